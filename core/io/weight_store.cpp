#include "core/io/weight_store.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/io/json.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"

namespace headscope {
namespace {

// Even the largest known models' indexes are under 1 MB.
constexpr std::uint64_t kMaxIndexBytes = 32'000'000;

// A shard must be in the same folder as its index, whatever the index says.
bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name.find("..") == std::string_view::npos &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

struct OpenShard {
  WeightFile file;
  TensorMap tensors;
  MetadataMap metadata;
};

Result<OpenShard> OpenOne(const std::filesystem::path& path, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto mapped, MappedFile::Open(path));
  HEADSCOPE_TRY(auto parsed,
                IsTorchFile(mapped.bytes())
                    ? ParseTorchBytes(mapped.bytes(), path.string(), stop)
                    : ParseSafetensorsBytes(mapped.bytes(), path.string(), stop));
  return OpenShard{.file = {.mapped = std::move(mapped), .header = parsed.header},
                   .tensors = std::move(parsed.tensors),
                   .metadata = std::move(parsed.metadata)};
}

// Moves the tensors that the index expects in this shard.
Status Take(const std::vector<std::string>& names,
            const std::filesystem::path& index,
            const std::string& shard,
            TensorMap* from,
            TensorMap* to) {
  for (const std::string& name : names) {
    auto node = from->extract(name);
    if (node.empty()) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: tensor {} should be in {}, which does not hold it; fetch the "
                              "index and the shards again, as they belong together",
                              index.string(),
                              Quoted(name),
                              Quoted(shard)));
    }
    to->insert(std::move(node));
  }
  return {};
}

}  // namespace

Result<ShardIndex> ParseShardIndex(std::string_view json,
                                   const std::string& name,
                                   const std::stop_token& stop) {
  if (json.size() > kMaxIndexBytes) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: expected at most {} bytes of JSON, found {}", name, kMaxIndexBytes, json.size()));
  }
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(json, name));
  HEADSCOPE_TRY(const auto root, JsonObject::Root(document));
  ShardIndex index;
  HEADSCOPE_TRY(const auto map, root.Object("weight_map"));
  if (!map) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"weight_map\" is missing, expected an object that says in which "
                            "file each tensor is",
                            name));
  }
  std::map<std::string_view, std::string_view> shard_of;
  StopPoll poll(stop);
  for (const JsonField& entry : map->Fields()) {
    HEADSCOPE_TRY(poll.Check());
    const std::string_view shard = entry.value.Text().value_or("");
    if (!IsPlainFileName(shard)) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: tensor {} is in {}, expected the name of a file in this folder, "
                              "without a slash or \"..\"",
                              name,
                              Quoted(entry.key),
                              Quoted(entry.value.Minified())));
    }
    if (!shard_of.emplace(entry.key, shard).second) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: tensor {} is there twice", name, Quoted(entry.key)));
    }
    index.tensors_of[std::string(shard)].emplace_back(entry.key);
  }
  if (shard_of.empty()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"weight_map\" names no tensor; is the file whole?", name));
  }
  return index;
}

Result<WeightStore> WeightStore::OpenSafetensors(const std::filesystem::path& path,
                                                 const std::stop_token& stop) {
  HEADSCOPE_TRY(auto opened, OpenOne(path, stop));
  std::vector<WeightFile> files;
  files.push_back(std::move(opened.file));
  return WeightStore(path, std::move(files), std::move(opened.tensors), std::move(opened.metadata));
}

Result<WeightStore> WeightStore::OpenShards(const std::filesystem::path& path,
                                            const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto json, MappedFile::Open(path));
  HEADSCOPE_TRY(const auto index, ParseShardIndex(json.text(), path.string(), stop));
  std::vector<WeightFile> files;
  TensorMap tensors;
  TensorMap unnamed;
  MetadataMap metadata;
  for (const auto& [shard, names] : index.tensors_of) {
    HEADSCOPE_TRY(CheckStop(stop));
    Result<OpenShard> opened = OpenOne(path.parent_path() / shard, stop);
    if (!opened) {
      return Fail(opened.error().code,
                  fmt::format("{}; {} asks for it", opened.error().message, path.string()));
    }
    HEADSCOPE_TRY(Take(names, path, shard, &opened->tensors, &tensors));
    unnamed.merge(opened->tensors);
    metadata.merge(opened->metadata);
    files.push_back(std::move(opened->file));
  }
  tensors.merge(unnamed);
  return WeightStore(path, std::move(files), std::move(tensors), std::move(metadata));
}

void WeightStore::InterleaveRows(std::string_view name, std::int64_t rows_of_a_head) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end() || found->second.shape.empty() || rows_of_a_head % 2 != 0 ||
      found->second.shape[0] == 0 || found->second.shape[0] % rows_of_a_head != 0) {
    return;  // the shape is wrong, which is reported where the tensor is used
  }
  found->second.interleaved_rows = rows_of_a_head;
}

void WeightStore::SplitParts(std::string_view name, const std::vector<std::string>& parts) {
  const auto found = tensors_.find(name);
  const auto count = static_cast<std::int64_t>(parts.size());
  if (found == tensors_.end() || found->second.shape.size() < 2 || count == 0 ||
      found->second.shape.front() != count) {
    return;
  }
  const TensorView whole = std::move(found->second);
  tensors_.erase(found);
  const std::size_t bytes = whole.bytes.size() / parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TensorView part = whole;
    part.name = parts[i];
    part.shape.erase(part.shape.begin());
    part.bytes = whole.bytes.subspan(i * bytes, bytes);
    tensors_.emplace(parts[i], std::move(part));
  }
}

void WeightStore::MakeRow(std::string_view name) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end() && found->second.shape.size() == 1) {
    found->second.shape.insert(found->second.shape.begin(), 1);
  }
}

void WeightStore::Turn(std::string_view name) {
  const auto found = tensors_.find(name);
  HEADSCOPE_CHECK(found != tensors_.end() && found->second.shape.size() == 2,
                  "a matrix of the file is turned");
  if (!found->second.is_turned) {
    found->second.is_turned = true;
    std::swap(found->second.shape[0], found->second.shape[1]);
  }
}

void WeightStore::Drop(std::string_view name) {
  if (const auto found = tensors_.find(name); found != tensors_.end()) {
    tensors_.erase(found);
  }
}

void WeightStore::Put(const std::string& name, TensorView tensor) {
  tensor.name = name;
  tensors_[name] = std::move(tensor);
}

void WeightStore::AddTo(std::string_view name, std::shared_ptr<const NarrowProduct> product) {
  const auto found = tensors_.find(name);
  HEADSCOPE_CHECK(found != tensors_.end(), "something is added to a tensor of the file");
  found->second.added = std::move(product);
}

void WeightStore::KeepFilesOf(WeightStore other) {
  for (WeightFile& file : other.files_) {
    files_.push_back(std::move(file));
  }
}

const TensorView* WeightStore::Find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace headscope
