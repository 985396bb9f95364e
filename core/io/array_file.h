// Named arrays of numbers and texts from a file: .safetensors, .npz or a single .npy.
//
// Shapes   any; numbers are TensorViews into the mapped file, texts are flat lists.
// Errors   kIo, kFormat, kUnsupported; the message names the file. An unreadable array is an error
//          only when it is asked for.
// Threads  immutable after it is made; any thread reads.
// Cost     numbers stay in the file until they are touched; a compressed .npz is unpacked (within
//          the limits of core/io/zip_file.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/safetensors.h"

namespace headscope {

// The name given to the nameless array of a .npy file.
inline constexpr const char* kOnlyArray = "attention";

struct ArrayFile {
  std::filesystem::path path;
  std::string_view header;  // what precedes the numbers, for fingerprints; may be empty
  TensorMap numbers;
  std::map<std::string, std::vector<std::string>, std::less<>> texts;  // lists
  MetadataMap metadata;                                                // single texts
  MetadataMap unreadable;              // arrays that cannot be read, with the reason
  std::shared_ptr<const void> keeper;  // owns what the views point into

  // Opens a file; its first bytes give the format.
  [[nodiscard]] static Result<ArrayFile> Open(const std::filesystem::path& path);

  // A list of texts: an array, or a JSON array of strings in the metadata; whole numbers count as
  // texts, too. Empty: not in the file.
  [[nodiscard]] Result<std::optional<std::vector<std::string>>> Texts(std::string_view name) const;
  // A list of whole numbers: an array, or a JSON array in the metadata. Empty: not in the file.
  [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> Integers(
      std::string_view name) const;
  // "" if it is not in the file.
  [[nodiscard]] std::string Text(std::string_view name) const;
};

// The check behind Open, for bytes in memory that outlive the result; for tests and fuzzing.
[[nodiscard]] Result<ArrayFile> ParseArrays(std::span<const std::byte> bytes,
                                            const std::string& name);

}  // namespace headscope
