// GGUF files made in code, right or wrong on purpose.
//
// Threads  plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace headscope::test {

template <typename T>
std::string Raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string RawText(std::string_view text) {
  return Raw(std::uint64_t{text.size()}).append(text);
}

struct GgufBuilder {
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::string entries;
  std::string infos;
  std::string data;
  std::uint64_t num_entries = 0;
  std::uint64_t num_tensors = 0;

  GgufBuilder& AddRaw(std::string_view key, std::uint32_t type, const std::string& value) {
    entries += RawText(key) + Raw(type) + value;
    ++num_entries;
    return *this;
  }
  GgufBuilder& Add(std::string_view key, std::uint32_t value) { return AddRaw(key, 4, Raw(value)); }
  GgufBuilder& Add(std::string_view key, float value) { return AddRaw(key, 6, Raw(value)); }
  GgufBuilder& Add(std::string_view key, bool value) {
    return AddRaw(key, 7, std::string(1, value ? '\1' : '\0'));
  }
  GgufBuilder& Add(std::string_view key, const char* value) {
    return AddRaw(key, 8, RawText(value));
  }
  GgufBuilder& Add(std::string_view key, const std::vector<std::string>& values) {
    std::string list = Raw(std::uint32_t{8}) + Raw(std::uint64_t{values.size()});
    for (const std::string& value : values) {
      list += RawText(value);
    }
    return AddRaw(key, 9, list);
  }
  template <typename T>
  GgufBuilder& Add(std::string_view key, const std::vector<T>& values) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>);
    std::string list =
        Raw(std::uint32_t{std::is_same_v<T, float> ? 6U : 5U}) + Raw(std::uint64_t{values.size()});
    for (const T value : values) {
      list += Raw(value);
    }
    return AddRaw(key, 9, list);
  }

  // `sizes` as the file lists them: the last dimension first. `type` is GGUF's number.
  GgufBuilder& AddInfo(std::string_view name,
                       std::uint32_t type,
                       const std::vector<std::uint64_t>& sizes,
                       std::uint64_t offset) {
    infos += RawText(name) + Raw(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) {
      infos += Raw(size);
    }
    infos += Raw(type) + Raw(offset);
    ++num_tensors;
    return *this;
  }
  GgufBuilder& AddTensor(std::string_view name,
                         std::uint32_t type,
                         const std::vector<std::uint64_t>& sizes,
                         std::string_view bytes) {
    Pad(&data);
    AddInfo(name, type, sizes, data.size());
    data += bytes;
    return *this;
  }

  [[nodiscard]] std::string Bytes() const {
    std::string bytes =
        "GGUF" + Raw(version) + Raw(num_tensors) + Raw(num_entries) + entries + infos;
    Pad(&bytes);
    return bytes + data;
  }

 private:
  void Pad(std::string* bytes) const {
    bytes->resize((bytes->size() + alignment - 1) / alignment * alignment, '\0');
  }
};

}  // namespace headscope::test
