#include "core/io/safetensors.h"

#include <cstring>
#include <string>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;

std::string Length(std::uint64_t length) {
  std::string text;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    text += static_cast<char>((length >> shift) & 0xFFU);
  }
  return text;
}

std::string FileOf(const std::string& header, std::size_t data_bytes) {
  return Length(header.size()) + header + std::string(data_bytes, '\0');
}

Result<SafetensorsHeader> Parse(const std::string& bytes) {
  return ParseSafetensorsBytes(std::as_bytes(std::span(bytes)), "m.safetensors");
}

std::string Entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{}]}})", type, shape, offsets);
}

TEST_CASE("tensors and metadata are found", "[io][safetensors]") {
  std::string bytes = FileOf(
      R"({"__metadata__":{"format":"pt","tokens":"[\"a\"]"},"b":)" + Entry("F32", "2,2", "4,20") +
          R"(,"a":)" + Entry("F16", "2", "0,4") + R"(,"empty":)" + Entry("I64", "0,5", "20,20") +
          R"(,"scalar":)" + Entry("U8", "", "20,21") + "}   ",
      21);
  const float value = 1.5F;
  std::memcpy(bytes.data() + bytes.size() - 21 + 4, &value, sizeof(value));
  const Result<SafetensorsHeader> parsed = Parse(bytes);
  REQUIRE(parsed);
  CHECK(parsed->tensors.size() == 4);
  CHECK(parsed->metadata == MetadataMap{{"format", "pt"}, {"tokens", "[\"a\"]"}});
  const TensorView& tensor = parsed->tensors.at("b");
  CHECK(tensor.name == "b");
  CHECK(tensor.type == DataType::kF32);
  CHECK(tensor.shape == std::vector<std::int64_t>{2, 2});
  float stored = 0.0F;
  REQUIRE(tensor.bytes.size() == 16);
  std::memcpy(&stored, tensor.bytes.data(), sizeof(stored));
  CHECK(stored == value);
  CHECK(parsed->tensors.at("empty").bytes.empty());
  CHECK(parsed->tensors.at("scalar").shape.empty());
  CHECK(parsed->header.ends_with("}   "));
}

TEST_CASE("every type of the format that can be held is read", "[io][safetensors]") {
  const auto [name, size] = GENERATE(table<std::string, int>({{"F64", 8},
                                                              {"F32", 4},
                                                              {"F16", 2},
                                                              {"BF16", 2},
                                                              {"I64", 8},
                                                              {"I32", 4},
                                                              {"I16", 2},
                                                              {"I8", 1},
                                                              {"U64", 8},
                                                              {"U32", 4},
                                                              {"U16", 2},
                                                              {"U8", 1},
                                                              {"BOOL", 1}}));
  const Result<SafetensorsHeader> parsed =
      Parse(FileOf(R"({"t":)" + Entry(name, "3", fmt::format("0,{}", 3 * size)) + "}",
                   static_cast<std::size_t>(3 * size)));
  REQUIRE(parsed);
  CHECK(Name(parsed->tensors.at("t").type) == name);
}

TEST_CASE("a header without tensors is a file without tensors", "[io][safetensors]") {
  CHECK(Parse(FileOf("{}", 0))->tensors.empty());
  CHECK(Parse(FileOf(R"({"__metadata__":null})", 0))->metadata.empty());
  CHECK(Parse(FileOf(R"({"__metadata__":[]})", 0))->metadata.empty());
  CHECK(Parse(FileOf(R"({"__metadata__":{"heads":12,"a":NaN,"a":"2"}})", 0))->metadata ==
        MetadataMap{{"heads", "12"}, {"a", "NaN"}});
}

struct BadCase {
  std::string what;
  std::string bytes;
  std::string says;
  ErrorCode code = ErrorCode::kFormat;
};

std::string OneTensor(const std::string& entry, std::size_t data_bytes) {
  return FileOf("{\"h.0.weight\":" + entry + "}", data_bytes);
}

std::vector<BadCase> BadCases() {
  const std::string good = Entry("F32", "2", "0,8");
  const std::string huge = "9223372036854775807";
  return {
      {"no bytes", "", "found only 0 bytes"},
      {"a length cut short", "\x10\0\0", "found only"},
      {"a header past the end", Length(100) + "{}", "cut short"},
      {"a header over 100 MB", Length(100'000'001) + "{}", "at most 100000000"},
      {"a length of 2^64 - 1", Length(~0ULL) + "{}", "18446744073709551615"},
      {"a length that wraps around", Length(~0ULL - 7) + "{}", "at most 100000000"},
      {"a pointer file", "version https://git-lfs.github.com/spec/v1\noid ", "git lfs pull"},
      {"an empty header", FileOf("", 0), "expected JSON"},
      {"a header that is no JSON", FileOf("{\"a\":", 0), "expected JSON"},
      {"a header of a list", FileOf("[]", 0), "expected a JSON object"},
      {"a header that is not UTF-8", FileOf("{\"\xC3\x28\":{}}", 0), "expected JSON"},
      {"deep nesting", FileOf(std::string(100000, '['), 0), "expected JSON"},
      {"nesting inside a tensor",
       FileOf("{\"t\":" + std::string(5000, '[') + std::string(5000, ']') + "}", 0),
       "expected JSON"},
      {"metadata twice", FileOf(R"({"__metadata__":{},"__metadata__":{}})", 0), "twice"},
      {"a tensor of a number", OneTensor("7", 0), "expected an object"},
      {"a tensor without dtype", OneTensor(R"({"shape":[],"data_offsets":[0,0]})", 0), "dtype"},
      {"a dtype of a number",
       OneTensor(R"({"dtype":4,"shape":[],"data_offsets":[0,4]})", 4),
       "dtype"},
      {"an unknown dtype", OneTensor(Entry("FLOAT", "2", "0,8"), 8), "\"FLOAT\""},
      {"an 8-bit float",
       OneTensor(Entry("F8_E4M3", "2", "0,2"), 2),
       "F8_E4M3",
       ErrorCode::kUnsupported},
      {"dtype twice",
       OneTensor(R"({"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]})", 1),
       "twice"},
      {"a negative dimension", OneTensor(Entry("F32", "-2", "0,8"), 8), "\"shape\""},
      {"a dimension of a fraction", OneTensor(Entry("F32", "2.5", "0,8"), 8), "\"shape\""},
      {"a dimension past 2^63",
       OneTensor(Entry("U8", "9223372036854775808", "0,8"), 8),
       "\"shape\""},
      {"a shape of a string",
       OneTensor(R"({"dtype":"F32","shape":"2","data_offsets":[0,8]})", 8),
       "\"shape\""},
      {"33 dimensions",
       OneTensor(
           Entry("U8", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "0,1"),
           1),
       "at most 32"},
      {"a product past 2^63", OneTensor(Entry("F32", huge, "0,8"), 8), "larger than any file"},
      {"a product that wraps to 8",
       OneTensor(Entry("F32", "4294967296,4294967296,2", "0,8"), 8),
       "larger than any file"},
      {"a product hidden behind a zero",
       OneTensor(Entry("F32", "0," + huge + "," + huge, "0,0"), 0),
       "larger than any file"},
      {"a shape over its bytes", OneTensor(Entry("F32", "3", "0,8"), 8), "expected 12 bytes"},
      {"a shape under its bytes", OneTensor(Entry("F32", "1", "0,8"), 8), "expected 4 bytes"},
      {"offsets past the end", OneTensor(Entry("F32", "2", "0,8"), 7), "cut short"},
      {"huge offsets",
       OneTensor(Entry("F32", "2", "18446744073709551608,18446744073709551615"), 8),
       "18446744073709551608"},
      {"offsets that overflow",
       OneTensor(Entry("F32", "2", "0,18446744073709551616"), 8),
       "whole numbers"},
      {"negative offsets", OneTensor(Entry("F32", "2", "-8,0"), 8), "data_offsets"},
      {"offsets the wrong way round", OneTensor(Entry("F32", "2", "8,0"), 8), "found 8 to 0"},
      {"three offsets", OneTensor(Entry("F32", "2", "0,4,8"), 8), "two numbers"},
      {"one offset", OneTensor(Entry("F32", "2", "0"), 8), "two numbers"},
      {"a hole in front", OneTensor(Entry("F32", "2", "4,12"), 12), "leave a hole"},
      {"bytes behind", OneTensor(good, 12), "found 12"},
      {"data without tensors", FileOf("{}", 5), "found 5"},
      {"a hole between",
       FileOf("{\"a\":" + good + ",\"b\":" + Entry("F32", "2", "12,20") + "}", 20),
       "leave a hole"},
      {"tensors that overlap",
       FileOf("{\"a\":" + good + ",\"b\":" + Entry("F32", "2", "4,12") + "}", 12),
       "overlap"},
      {"tensors on the same bytes",
       FileOf("{\"a\":" + good + ",\"b\":" + good + "}", 8),
       "overlap"},
      {"an empty tensor inside another",
       FileOf("{\"a\":" + good + ",\"b\":" + Entry("F32", "0", "4,4") + "}", 8),
       "overlap"},
      {"a name twice",
       FileOf("{\"a\":" + good + ",\"a\":" + Entry("F32", "2", "8,16") + "}", 16),
       "twice"},
  };
}

TEST_CASE("a bad file is refused with one sentence that names it", "[io][safetensors]") {
  for (const BadCase& bad : BadCases()) {
    INFO(bad.what);
    const Result<SafetensorsHeader> parsed = Parse(bad.bytes);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == bad.code);
    const std::string& message = parsed.error().message;
    CHECK_THAT(message, Says("m.safetensors: ") && Says(bad.says));
    CHECK(message.find('\n') == std::string::npos);
    CHECK(message.size() < 300);
  }
}

TEST_CASE("a message about a tensor names the tensor", "[io][safetensors]") {
  const Result<SafetensorsHeader> parsed = Parse(OneTensor(Entry("F32", "3", "0,8"), 8));
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message ==
        "m.safetensors: tensor \"h.0.weight\": expected 12 bytes for F32 [3], found 8");
}

TEST_CASE("a file cut anywhere is refused", "[io][safetensors]") {
  const std::string whole = FileOf(
      "{\"a\":" + Entry("F32", "2", "0,8") + ",\"b\":" + Entry("BF16", "2,2", "8,16") + "}", 16);
  REQUIRE(Parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(Parse(whole.substr(0, size)));
  }
}

TEST_CASE("a flipped byte never makes a tensor leave the file", "[io][safetensors]") {
  const std::string whole = FileOf(
      "{\"a\":" + Entry("F32", "2", "0,8") + ",\"b\":" + Entry("BF16", "2,2", "8,16") + "}", 16);
  for (std::size_t at = 0; at < whole.size() - 16; ++at) {
    for (unsigned flip = 1; flip < 256; ++flip) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
      const Result<SafetensorsHeader> parsed = Parse(bytes);
      if (!parsed) {
        continue;
      }
      std::size_t covered = 0;
      for (const auto& [name, tensor] : parsed->tensors) {
        const auto* begin = reinterpret_cast<const char*>(tensor.bytes.data());
        REQUIRE(begin >= bytes.data());
        REQUIRE(begin + tensor.bytes.size() <= bytes.data() + bytes.size());
        covered += tensor.bytes.size();
      }
      REQUIRE(covered == 16);
    }
  }
}

TEST_CASE("a file on disk opens, moves and finds its tensors", "[io][safetensors]") {
  const TempFolder folder;
  const std::string bytes = FileOf("{\"a\":" + Entry("I32", "2", "0,8") + "}", 8);
  Result<WeightStore> file = WeightStore::OpenSafetensors(folder.Write("m.safetensors", bytes));
  REQUIRE(file);
  const WeightStore moved = std::move(*file);
  CHECK(moved.files().front().mapped.bytes().size() == bytes.size());
  CHECK(moved.files().front().header == bytes.substr(8, bytes.size() - 16));
  REQUIRE(moved.Find("a") != nullptr);
  CHECK(moved.Find("a")->bytes.size() == 8);
  CHECK(std::to_integer<int>(moved.Find("a")->bytes[7]) == 0);
  CHECK(moved.Find("A") == nullptr);
}

TEST_CASE("what is no file is refused by name", "[io][safetensors]") {
  const TempFolder folder;
  for (const std::filesystem::path& path :
       {folder / "missing", folder.path(), folder.Write("empty", "")}) {
    const Result<WeightStore> file = WeightStore::OpenSafetensors(path);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::kIo);
    CHECK_THAT(file.error().message, Says(path.string()));
  }
}

TEST_CASE("real trained models and saved attention open", "[io][safetensors][shared]") {
  const std::filesystem::path data = test::SharedData();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".safetensors") {
      continue;
    }
    ++files;
    INFO(entry.path());
    const Result<WeightStore> file = WeightStore::OpenSafetensors(entry.path());
    REQUIRE(file);
    std::size_t covered = 0;
    for (const auto& [name, tensor] : file->tensors()) {
      covered += tensor.bytes.size();
    }
    CHECK(covered + file->files().front().header.size() + 8 ==
          file->files().front().mapped.bytes().size());
  }
  CHECK(files >= 4);
}

}  // namespace
}  // namespace headscope
