// Where a model's tensors come from: one list of names over any number of mapped files.
//
// Shapes   every tensor's bytes lie in one of the files and are as many as its shape and type need.
// Errors   kIo, kFormat, kUnsupported, kCancelled; the message names the file at fault and the
//          tensor.
// Threads  immutable after it is made; any thread reads.
// Cost     opening reads headers only; every byte of a tensor stays in the file until it is
//          touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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
  std::string_view header;  // what stands before the tensors, for fingerprints
};

class WeightStore {
 public:
  WeightStore() = default;
  // `path` stands in messages: the file, or the index of several.
  WeightStore(std::filesystem::path path,
              std::vector<WeightFile> files,
              TensorMap tensors,
              MetadataMap metadata = {})
      : path_(std::move(path)),
        files_(std::move(files)),
        tensors_(std::move(tensors)),
        metadata_(std::move(metadata)) {}

  // One model.safetensors.
  [[nodiscard]] static Result<WeightStore> OpenSafetensors(const std::filesystem::path& path,
                                                           const std::stop_token& stop = {});
  // A model.safetensors.index.json and the shards beside it, symbolic links followed. The index
  // says which shard a tensor is read from; one that it does not name is read where it is.
  [[nodiscard]] static Result<WeightStore> OpenShards(const std::filesystem::path& index,
                                                      const std::stop_token& stop = {});

  // Says that a tensor's rows lie interleaved (TensorView::interleaved_rows), where there is one of
  // that name with whole heads of rows.
  void InterleaveRows(std::string_view name, std::int64_t rows_of_a_head);

  // Null if there is none of that name.
  [[nodiscard]] const TensorView* Find(std::string_view name) const;
  [[nodiscard]] const TensorMap& tensors() const { return tensors_; }
  // Of all files together; empty for a GGUF file.
  [[nodiscard]] const MetadataMap& metadata() const { return metadata_; }
  [[nodiscard]] const std::vector<WeightFile>& files() const { return files_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<WeightFile> files_;
  TensorMap tensors_;
  MetadataMap metadata_;
};

// What a shard index says, checked as far as it can be without the shards; for tests and fuzzing.
struct ShardIndex {
  std::map<std::string, std::vector<std::string>, std::less<>> tensors_of;  // by shard
};
[[nodiscard]] Result<ShardIndex> ParseShardIndex(std::string_view json,
                                                 const std::string& name,
                                                 const std::stop_token& stop = {});

}  // namespace headscope
