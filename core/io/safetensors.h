// Safetensors files, mapped and fully checked before a tensor is read, and written whole or not at
// all.
//
// Shapes   any; product(shape) * item size == end - begin holds for every tensor, ranges neither
// overlap nor leave holes. Errors   kIo, kFormat; the message names the file and the tensor. A
// header over 100 MB is refused. Threads  immutable after Open; any thread reads. Cost     Open
// reads the header only. Source   the safetensors format: 8 bytes of header length, a JSON header,
// the tensors' bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/mapped_file.h"
#include "core/base/tensor_view.h"

namespace headscope {

class SafetensorsFile {
 public:
  [[nodiscard]] static Result<SafetensorsFile> Open(const std::filesystem::path& path);

  // Null if there is none of that name.
  [[nodiscard]] const TensorView* Find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, TensorView, std::less<>>& tensors() const {
    return tensors_;
  }
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& metadata() const {
    return metadata_;
  }
  [[nodiscard]] std::string_view header() const {
    return header_;
  }  // the JSON text, for fingerprints
  [[nodiscard]] std::uint64_t file_size() const { return file_.bytes().size(); }

 private:
  friend Result<SafetensorsFile> ParseSafetensors(MappedFile file, const std::string& name);
  MappedFile file_;
  std::string_view header_;
  std::map<std::string, TensorView, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

// The check behind Open, on bytes in memory that outlive the result; for tests and fuzzing.
struct SafetensorsHeader {
  std::string_view header;
  std::map<std::string, TensorView, std::less<>> tensors;
  std::map<std::string, std::string, std::less<>> metadata;
};
[[nodiscard]] Result<SafetensorsHeader> ParseSafetensorsBytes(std::span<const std::byte> bytes,
                                                              const std::string& name);

// Writes tensors in the order given (views must stay alive during the call), with string metadata.
[[nodiscard]] Status WriteSafetensors(const std::filesystem::path& path,
                                      std::span<const TensorView> tensors,
                                      const std::map<std::string, std::string>& metadata);

}  // namespace headscope
