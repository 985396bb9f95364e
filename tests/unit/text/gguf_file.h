// The vocabulary of a .gguf file that is known to be good, for tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/text/gguf_vocabulary.h"

namespace headscope {

class GgufFile {
 public:
  // Fails the test if there is no such file.
  explicit GgufFile(const std::filesystem::path& path);
  [[nodiscard]] const GgufVocabulary& vocabulary() const { return vocabulary_; }

 private:
  template <typename T>
  T Read();
  std::string_view ReadText();
  void ReadValue(std::string_view key, std::uint32_t type);
  void ReadElements(std::string_view key);

  std::string bytes_;
  std::size_t at_ = 0;
  GgufVocabulary vocabulary_;
};

}  // namespace headscope
