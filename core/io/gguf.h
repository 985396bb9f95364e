// GGUF files, versions 2 and 3, little-endian, mapped and fully checked before anything is read.
//
// Shapes   row-major, as everywhere here: the last dimension is contiguous in memory (the file
//          lists it first). Every tensor lies in the file, and no two overlap.
// Errors   kIo, kFormat (a part of several is missing, or belongs to another model), kUnsupported
//          (other versions, big-endian files, types that the program cannot compute with); the
//          message names the file and the key or tensor.
// Threads  immutable after Open; any thread reads.
// Cost     Open reads the metadata and the list of tensors; lists stay in the file until asked for.
// Source   the GGUF format: "GGUF", version, counts, metadata, tensor infos, aligned data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/weight_store.h"

namespace headscope {

enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

// Metadata by key; the format calls a list an array. A missing key gives the fallback or an empty
// list; a value of the wrong type is an error.
class GgufMetadata {
 public:
  [[nodiscard]] bool Has(std::string_view key) const { return values_.contains(key); }
  [[nodiscard]] Result<std::int64_t> Integer(
      std::string_view key,
      std::int64_t least,
      std::int64_t most,
      std::optional<std::int64_t> fallback = std::nullopt) const;
  [[nodiscard]] Result<double> Number(std::string_view key,
                                      double least,
                                      double most,
                                      std::optional<double> fallback = std::nullopt) const;
  [[nodiscard]] Result<bool> Boolean(std::string_view key,
                                     std::optional<bool> fallback = std::nullopt) const;
  [[nodiscard]] Result<std::string> String(
      std::string_view key, std::optional<std::string> fallback = std::nullopt) const;
  // Views point into the file.
  [[nodiscard]] Result<std::vector<std::string_view>> Strings(std::string_view key) const;
  [[nodiscard]] Result<std::vector<float>> Floats(std::string_view key) const;
  [[nodiscard]] Result<std::vector<std::int32_t>> Integers(std::string_view key) const;
  // A list of bytes, unchanged.
  [[nodiscard]] Result<std::string_view> Bytes(std::string_view key) const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  friend class GgufReader;
  struct Value {
    GgufType type = GgufType::kU8;
    GgufType element = GgufType::kU8;  // of a list
    std::uint64_t count = 0;           // of a list
    std::span<const std::byte> bytes;  // for a string or list: what follows its length
  };
  [[nodiscard]] const Value* Find(std::string_view key) const;
  [[nodiscard]] Result<const Value*> FindList(std::string_view key,
                                              std::initializer_list<GgufType> elements,
                                              std::string_view expected) const;
  [[nodiscard]] tl::unexpected<Error> Wrong(std::string_view key, std::string_view expected) const;

  std::string name_;  // of the file
  std::map<std::string_view, Value> values_;
};

struct GgufContents {
  GgufMetadata metadata;
  TensorMap tensors;
  std::string_view header;  // everything before the tensors' bytes
};

// One file, or one part of several, in memory that outlives the result.
[[nodiscard]] Result<GgufContents> ParseGgufBytes(std::span<const std::byte> bytes,
                                                  const std::string& name,
                                                  const std::stop_token& stop = {});

struct GgufFile {
  GgufMetadata metadata;  // of the first part; points into a file mapped by `weights`
  WeightStore weights;    // of all parts

  // Opens a file, or a model in several files by any of its parts: the others lie next to it
  // (core/io/gguf_parts.h).
  [[nodiscard]] static Result<GgufFile> Open(const std::filesystem::path& path,
                                             const std::stop_token& stop = {});
};

}  // namespace headscope
