#include "core/io/npy.h"

#include <array>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;

std::string Npy(unsigned version, const std::string& dictionary, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(dictionary.size() & 0xFFU);
  bytes += static_cast<char>(dictionary.size() >> 8U);
  if (version > 1) {
    bytes += std::string(2, '\0');
  }
  return bytes + dictionary + data;
}

template <typename T>
std::string Raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string Dictionary(const std::string& type,
                       const std::string& shape,
                       const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
}

Result<FloatArray> ParseArray(const std::string& bytes) {
  return ParseNpy(std::as_bytes(std::span(bytes)), "x.npy");
}

TEST_CASE("every version and float type is read as float32", "[io][npy]") {
  const unsigned version = GENERATE(1U, 2U, 3U);
  const std::vector<float> expected = {1.5F, -2.0F, 0.25F, 3.0F, 0.0F, -0.5F};
  const std::array<std::pair<std::string, std::string>, 3> stored = {{
      {"<f8", Raw(std::vector<double>(expected.begin(), expected.end()))},
      {"<f4", Raw(expected)},
      {"<f2", Raw(std::vector<std::uint16_t>{0x3E00, 0xC000, 0x3400, 0x4200, 0x0000, 0xB800})},
  }};
  for (const auto& [type, data] : stored) {
    const Result<FloatArray> array = ParseArray(Npy(version, Dictionary(type, "2, 3"), data));
    REQUIRE(array);
    CHECK(array->shape == std::vector<std::int64_t>{2, 3});
    CHECK(array->values == expected);
  }
}

TEST_CASE("headers are read however Python spells them", "[io][npy]") {
  const std::string data = Raw(std::vector<float>{1.0F, 2.0F});
  const std::string dictionary = GENERATE(as<std::string>(),
                                          "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                                          "{'shape':(2,),'descr':'<f4','fortran_order':False}  \n",
                                          "  {\"descr\": \"=f4\", \"fortran_order\": False, "
                                          "\"shape\": ( 2 , ) , }");
  const Result<FloatArray> array = ParseArray(Npy(1, dictionary, data));
  REQUIRE(array);
  CHECK(array->shape == std::vector<std::int64_t>{2});
  CHECK(array->values == std::vector<float>{1.0F, 2.0F});
}

TEST_CASE("single numbers and empty arrays are arrays", "[io][npy]") {
  const Result<FloatArray> single =
      ParseArray(Npy(1, Dictionary("<f4", ""), Raw(std::vector<float>{7.0F})));
  REQUIRE(single);
  CHECK(single->shape.empty());
  CHECK(single->values == std::vector<float>{7.0F});
  const Result<FloatArray> empty = ParseArray(Npy(1, Dictionary("<f8", "3, 0"), ""));
  REQUIRE(empty);
  CHECK(empty->shape == std::vector<std::int64_t>{3, 0});
  CHECK(empty->values.empty());
}

TEST_CASE("a bad array is refused with one sentence", "[io][npy]") {
  const std::string data = Raw(std::vector<float>{1.0F, 2.0F});
  const auto [what, bytes, says] = GENERATE_COPY(table<std::string, std::string, std::string>({
      {"no bytes", "", "expected a NumPy array"},
      {"other bytes", "RIFF....", "expected a NumPy array"},
      {"a zip", "PK\x03\x04", "numpy.savez"},
      {"a cut magic", "\x93NUM", "expected a NumPy array"},
      {"a cut version", "\x93NUMPY\x01", "cut short"},
      {"a cut length", std::string("\x93NUMPY\x02\0\x01\0", 10), "cut short"},
      {"a version to come", Npy(4, Dictionary("<f4", "2"), data), "format 1 to 3, found 4"},
      {"a header past the end", std::string("\x93NUMPY\x01\0\xFF\0{", 11), "cut short"},
      {"a huge header", "\x93NUMPY\x02" + std::string(1, '\0') + "\xFF\xFF\xFF\xFF{}", "at most"},
      {"a header of code", Npy(1, "__import__('os').system('true')", data), "__import__"},
      {"an open dictionary", Npy(1, "{'descr': '<f4', ", data), "expected a header"},
      {"a key too few", Npy(1, "{'descr': '<f4', 'shape': (2,)}", data), "expected a header"},
      {"a key twice",
       Npy(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", data),
       "expected a header"},
      {"words behind", Npy(1, Dictionary("<f4", "2") + "x", data), "expected a header"},
      {"a negative size", Npy(1, Dictionary("<f4", "-2"), data), "expected a header"},
      {"a size past 2^63", Npy(1, Dictionary("<f4", "99999999999999999999"), data), "a header"},
      {"a product past 2^63",
       Npy(1, Dictionary("<f4", "4294967296, 4294967296"), data),
       "found 8 bytes"},
      {"a product that wraps to 8",
       Npy(1, Dictionary("<f4", "4294967296, 4294967296, 2"), data),
       "found 8 bytes"},
      {"too few numbers", Npy(1, Dictionary("<f4", "3"), data), "found 8 bytes"},
      {"too many numbers", Npy(1, Dictionary("<f4", "1"), data), "found 8 bytes"},
      {"Fortran order", Npy(1, Dictionary("<f4", "1, 2", "True"), data), "ascontiguousarray"},
      {"whole numbers", Npy(1, Dictionary("<i8", "1"), data), "\"<i8\""},
      {"the other byte order", Npy(1, Dictionary(">f4", "2"), data), ".astype"},
      {"a pickle", Npy(1, Dictionary("|O", "1"), data), "\"|O\""},
      {"named fields",
       Npy(1, "{'descr': [('a', '<f4', (2,))], 'fortran_order': False, 'shape': (1,)}", data),
       "named fields"},
      {"fields without an end", Npy(1, "{'descr': [[[[", data), "expected a header"},
  }));
  INFO(what);
  const Result<FloatArray> array = ParseArray(bytes);
  REQUIRE_FALSE(array);
  CHECK_THAT(array.error().message, Says("x.npy: ") && Says(says));
  CHECK(array.error().message.find('\n') == std::string::npos);
}

TEST_CASE("an array cut anywhere is refused", "[io][npy]") {
  const std::string whole = Npy(1, Dictionary("<f4", "2"), Raw(std::vector<float>{1.0F, 2.0F}));
  REQUIRE(ParseArray(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(ParseArray(whole.substr(0, size)));
  }
}

TEST_CASE("an array is read from its file", "[io][npy]") {
  const TempFolder folder;
  const std::filesystem::path path =
      folder.Write("x.npy", Npy(1, Dictionary("<f4", "1"), Raw(std::vector<float>{4.0F})));
  const Result<FloatArray> array = ReadNpy(path);
  REQUIRE(array);
  CHECK(array->values == std::vector<float>{4.0F});
  CHECK_THAT(ReadNpy(folder / "missing").error().message, Says((folder / "missing").string()));
}

}  // namespace
}  // namespace headscope
