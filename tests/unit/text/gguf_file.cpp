#include "tests/unit/text/gguf_file.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"

namespace headscope {
namespace {

constexpr std::uint32_t kBool = 7;
constexpr std::uint32_t kText = 8;
constexpr std::uint32_t kList = 9;
// Bytes of a value of each type of the format; 0 for those of no fixed size.
constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::string_view kPrefix = "tokenizer.ggml.";

}  // namespace

GgufFile::GgufFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  bytes_ = text.str();
  REQUIRE(bytes_.starts_with("GGUF"));
  vocabulary_.name = path.string();
  at_ = 4 + 4 + 8;  // version, tensors
  const auto count = Read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view key = ReadText();
    const auto type = Read<std::uint32_t>();
    ReadValue(key.starts_with(kPrefix) ? key.substr(kPrefix.size()) : "", type);
  }
}

template <typename T>
T GgufFile::Read() {
  T value{};
  if (at_ + sizeof(T) > bytes_.size()) {
    FAIL("the file is cut off");
  }
  std::memcpy(&value, bytes_.data() + at_, sizeof(T));
  at_ += sizeof(T);
  return value;
}

std::string_view GgufFile::ReadText() {
  const auto size = Read<std::uint64_t>();
  if (at_ + size > bytes_.size()) {
    FAIL("the file is cut off");
  }
  at_ += size;
  return std::string_view(bytes_).substr(at_ - size, size);
}

void GgufFile::ReadValue(std::string_view key, std::uint32_t type) {
  if (type == kText) {
    const std::string_view text = ReadText();
    if (key == "model") {
      vocabulary_.model = text;
    } else if (key == "pre") {
      vocabulary_.pre = text;
    }
  } else if (type == kList) {
    ReadElements(key);
  } else if (type == kBool) {
    const bool value = Read<std::uint8_t>() != 0;
    if (key == "add_bos_token") {
      vocabulary_.add_bos = value;
    } else if (key == "add_eos_token") {
      vocabulary_.add_eos = value;
    }
  } else if (kSizes[type] == 4) {
    const auto value = Read<std::uint32_t>();
    if (key == "bos_token_id") {
      vocabulary_.bos_id = value;
    } else if (key == "eos_token_id") {
      vocabulary_.eos_id = value;
    } else if (key == "unknown_token_id") {
      vocabulary_.unknown_id = value;
    } else if (key == "seperator_token_id") {
      vocabulary_.separator_id = value;
    } else if (key == "cls_token_id") {
      vocabulary_.cls_id = value;
    }
  } else {
    at_ += kSizes[type];
  }
}

void GgufFile::ReadElements(std::string_view key) {
  const auto type = Read<std::uint32_t>();
  const auto count = Read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    if (type == kText) {
      const std::string_view text = ReadText();
      if (key == "tokens") {
        vocabulary_.tokens.push_back(text);
      } else if (key == "merges") {
        vocabulary_.merges.push_back(text);
      }
    } else if (key == "scores") {
      vocabulary_.scores.push_back(Read<float>());
    } else if (key == "token_type") {
      vocabulary_.types.push_back(Read<std::int32_t>());
    } else {
      at_ += kSizes[type];
    }
  }
}

}  // namespace headscope
