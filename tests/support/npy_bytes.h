// The bytes of a .npy file, right or wrong.
#pragma once

#include <span>
#include <string>

namespace headscope::test {

// `shape` as Python spells it without brackets: "2, 3", "2,", "".
inline std::string NpyBytes(const std::string& type,
                            const std::string& shape,
                            const std::string& data) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + data;
}

template <typename T>
std::string RawBytes(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace headscope::test
