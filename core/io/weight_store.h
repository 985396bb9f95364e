// A model's tensors: one list of names over any number of mapped files.
//
// Shapes   every tensor's bytes lie in one of the files and have the size that its shape and type
//          need.
// Errors   kIo, kFormat, kUnsupported, kCancelled; the message names the file at fault and the
//          tensor.
// Threads  immutable after it is made; any thread reads.
// Cost     opening reads headers only; no byte of a tensor is read until it is touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/mapped_file.h"
#include "core/base/tensor_view.h"

namespace headscope {

using TensorMap = std::map<std::string, TensorView, std::less<>>;
using MetadataMap = std::map<std::string, std::string, std::less<>>;

struct WeightFile {
  MappedFile mapped;
  std::string_view header;  // what precedes the tensors, for fingerprints
};

class WeightStore {
 public:
  WeightStore() = default;
  // Messages name `path`: the file, or the index of several files.
  WeightStore(std::filesystem::path path,
              std::vector<WeightFile> files,
              TensorMap tensors,
              MetadataMap metadata = {})
      : path_(std::move(path)),
        files_(std::move(files)),
        tensors_(std::move(tensors)),
        metadata_(std::move(metadata)) {}

  // Opens one model.safetensors, or what torch.save wrote (core/io/torch_file.h).
  [[nodiscard]] static Result<WeightStore> OpenSafetensors(const std::filesystem::path& path,
                                                           const std::stop_token& stop = {});
  // Opens a model.safetensors.index.json and the shards next to it, following symbolic links. The
  // index says which shard a tensor is read from; a tensor that it does not list is read from the
  // shard that has it.
  [[nodiscard]] static Result<WeightStore> OpenShards(const std::filesystem::path& index,
                                                      const std::stop_token& stop = {});

  // Marks a tensor's rows as interleaved (TensorView::interleaved_rows), if it exists and its rows
  // make whole heads.
  void InterleaveRows(std::string_view name, std::int64_t rows_of_a_head);

  // Replaces a tensor of several equal parts, one after another, by tensors of its parts, with these
  // names. A tensor that has not as many parts stays, and so do names that are taken.
  void SplitParts(std::string_view name, const std::vector<std::string>& parts);

  // Makes a vector the only row of a matrix.
  void MakeRow(std::string_view name);

  // Lets a matrix be read with rows and columns exchanged (TensorView::is_turned).
  void Turn(std::string_view name);

  // Forgets a tensor; its bytes stay for others.
  void Drop(std::string_view name);
  // Sets a tensor, whose bytes this or KeepFilesOf keeps.
  void Put(const std::string& name, TensorView tensor);
  // Lets a product be added to a tensor of the store while it is read.
  void AddTo(std::string_view name, std::shared_ptr<const NarrowProduct> product);
  // Keeps another store's files open, behind its own.
  void KeepFilesOf(WeightStore other);

  // Returns null if there is no tensor of that name.
  [[nodiscard]] const TensorView* Find(std::string_view name) const;
  [[nodiscard]] const TensorMap& tensors() const { return tensors_; }
  // The metadata of all files together; empty for a GGUF file.
  [[nodiscard]] const MetadataMap& metadata() const { return metadata_; }
  [[nodiscard]] const std::vector<WeightFile>& files() const { return files_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<WeightFile> files_;
  TensorMap tensors_;
  MetadataMap metadata_;
};

// The content of a shard index, checked as far as possible without the shards; for tests and
// fuzzing.
struct ShardIndex {
  std::map<std::string, std::vector<std::string>, std::less<>> tensors_of;  // by shard
};
[[nodiscard]] Result<ShardIndex> ParseShardIndex(std::string_view json,
                                                 const std::string& name,
                                                 const std::stop_token& stop = {});

}  // namespace headscope
