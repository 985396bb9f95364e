// LoRA adapters: narrow matrices that peft keeps beside a base model, and that are added to its
// weights while they are read.
//
// Shapes   A [rank, in], B [out, rank]: W [out, in] becomes W + scale B A, and W [in, out] the same
//          turned; of an embedding [rows, d] A is [rank, rows], and B [d, rank].
// Errors   kIo (the base is not found, the adapter's files are missing), kFormat (a tensor without
//          its pair, settings that contradict), kShape, kUnsupported (another kind of adapter, a
//          setting that changes the arithmetic); each names the file and the key or tensor.
// Cost     the adapter's matrices are read as float32 once; the base is not copied.
// Source   Hu 2021; Kalajdzievski 2023 (rsLoRA); peft's LoraConfig and names.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"
#include "core/model/model_folder.h"

namespace headscope {

// Whether a folder holds a LoRA adapter. Others of peft's are no such thing
// (core/model/foreign_kind.h).
[[nodiscard]] bool IsAdapter(const std::filesystem::path& folder);

// Whether a file is an adapter's own, by its name and what lies beside it.
[[nodiscard]] bool IsAdapterFile(const std::filesystem::path& file);

// Returns the base's folder: what "base_model_name_or_path" names, by itself or beside the adapter,
// or a folder of its name there or in the Hugging Face cache.
[[nodiscard]] Result<std::filesystem::path> FindAdapterBase(const std::filesystem::path& folder);

// Fails where the base is neither a folder with config.json and weights nor a GGUF file.
[[nodiscard]] Status CheckTakesAdapter(const ModelFiles& base, const std::filesystem::path& folder);

// Returns the base's own name of a tensor that the adapter names.
using BaseNames = std::function<std::string(const std::string& name)>;

// Adds the adapter to the base's weights, and replaces the tensors that it holds whole. Returns what
// the user should know: "LoRA adapter of rank 8 merged into ...". `names`: of a GGUF file, whose
// tensors cannot be replaced; null: a folder's.
[[nodiscard]] Result<std::string> AddAdapter(const std::filesystem::path& folder,
                                             const ModelDescription& description,
                                             WeightStore* weights,
                                             const std::stop_token& stop,
                                             const BaseNames& names = nullptr);

}  // namespace headscope
