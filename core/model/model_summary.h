// What a list of models says of each before any is opened: its type, layers, heads, and size.
//
// Errors   none: what cannot be read is left out of the summary.
// Threads  any; reads files.
// Cost     config.json, or the metadata of a GGUF file; of weights only their sizes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

namespace headscope {

struct ModelSummary {
  std::string type;    // config.json's model_type; of a GGUF file "llama in GGUF"; may be empty
  std::string layout;  // "12 layers × 8 heads"; empty: it does not open
  std::uint64_t bytes = 0;  // of all files with weights; 0: unknown
};

// `path` as FindModelFiles takes it (core/model/model_folder.h).
[[nodiscard]] ModelSummary SummariseModel(const std::filesystem::path& path,
                                          const std::stop_token& stop = {});

// Returns, for example, "llama · 12 layers × 8 heads · 1.2 GB".
[[nodiscard]] std::string InWords(const ModelSummary& summary);

}  // namespace headscope
