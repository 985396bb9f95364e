#include "core/io/gguf.h"

#include <array>
#include <cstring>

#include "core/base/half.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::GgufBuilder;
using test::Raw;
using test::RawText;
using test::Says;
using test::TempFolder;

Result<GgufContents> ParseGguf(const std::string& bytes) {
  return ParseGgufBytes(std::as_bytes(std::span(bytes)), "m.gguf");
}

GgufBuilder Good() {
  GgufBuilder file;
  file.Add("general.architecture", "llama")
      .Add("llama.block_count", 2U)
      .Add("llama.rope.freq_base", 5e5F)
      .Add("flag", true)
      .Add("tokens", std::vector<std::string>{"a", "", "\xE2\x96\x81z"})
      .Add("scores", std::vector<float>{0.5F, -1.0F})
      .Add("types", std::vector<std::int32_t>{1, 6})
      .AddTensor("one", 0, {3, 2}, std::string(24, '\1'))
      .AddTensor("two", 8, {32}, std::string(34, '\0'));
  return file;
}

}  // namespace

TEST_CASE("metadata of every kind is found", "[io][gguf]") {
  GgufBuilder file = Good();
  file.AddRaw("u8", 0, Raw(std::uint8_t{200}))
      .AddRaw("i8", 1, Raw(std::int8_t{-5}))
      .AddRaw("u16", 2, Raw(std::uint16_t{60000}))
      .AddRaw("i16", 3, Raw(std::int16_t{-6}))
      .AddRaw("i32", 5, Raw(std::int32_t{-7}))
      .AddRaw("u64", 10, Raw(std::uint64_t{1} << 40U))
      .AddRaw("i64", 11, Raw(std::int64_t{-8}))
      .AddRaw("f64", 12, Raw(0.25));
  const std::string bytes = file.Bytes();
  const auto parsed = ParseGguf(bytes);
  INFO((parsed ? std::string() : parsed.error().message));
  REQUIRE(parsed);
  const GgufMetadata& metadata = parsed->metadata;
  CHECK(metadata.size() == 15);
  CHECK(*metadata.String("general.architecture") == "llama");
  CHECK(*metadata.Integer("llama.block_count", 1, 10) == 2);
  CHECK(*metadata.Number("llama.rope.freq_base", 1, 1e9) == 5e5);
  CHECK(*metadata.Boolean("flag"));
  CHECK(*metadata.Strings("tokens") == std::vector<std::string_view>{"a", "", "\xE2\x96\x81z"});
  CHECK(*metadata.Floats("scores") == std::vector<float>{0.5F, -1.0F});
  CHECK(*metadata.Integers("types") == std::vector<std::int32_t>{1, 6});
  CHECK(*metadata.Integer("u8", 0, 255) == 200);
  CHECK(*metadata.Integer("i8", -9, 0) == -5);
  CHECK(*metadata.Integer("u16", 0, 1 << 20) == 60000);
  CHECK(*metadata.Integer("i16", -9, 0) == -6);
  CHECK(*metadata.Integer("i32", -9, 0) == -7);
  CHECK(*metadata.Integer("u64", 0, std::int64_t{1} << 41U) == std::int64_t{1} << 40U);
  CHECK(*metadata.Integer("i64", -9, 0) == -8);
  CHECK(*metadata.Number("f64", 0, 1) == 0.25);
  CHECK(*metadata.Number("u8", 0, 255) == 200.0);
}

TEST_CASE("metadata that is not there is the fallback, or said", "[io][gguf]") {
  const std::string bytes = Good().Bytes();
  const auto parsed = ParseGguf(bytes);
  REQUIRE(parsed);
  const GgufMetadata& metadata = parsed->metadata;
  CHECK_FALSE(metadata.Has("none"));
  CHECK(*metadata.Integer("none", 0, 9, 7) == 7);
  CHECK(*metadata.Number("none", 0, 9, 0.5) == 0.5);
  CHECK(*metadata.Boolean("none", true));
  CHECK(*metadata.String("none", "x") == "x");
  CHECK(metadata.Strings("none")->empty());
  CHECK(metadata.Floats("none")->empty());
  CHECK(metadata.Integers("none")->empty());
  CHECK(metadata.Integer("none", 0, 9).error().message ==
        "m.gguf: \"none\" is missing, expected a whole number from 0 to 9");
}

TEST_CASE("metadata of another kind is refused by its key", "[io][gguf]") {
  GgufBuilder file = Good();
  file.AddRaw("past", 10, Raw(~std::uint64_t{0})).Add("nan", std::stof("nan"));
  const std::string bytes = file.Bytes();
  const auto parsed = ParseGguf(bytes);
  REQUIRE(parsed);
  const GgufMetadata& metadata = parsed->metadata;
  const auto says = [](const auto& result, const std::string& words) {
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kFormat);
    CHECK_THAT(result.error().message, Says("m.gguf: ") && Says(words));
  };
  says(metadata.Integer("llama.block_count", 3, 9), "\"llama.block_count\" is 2");
  says(metadata.Integer("general.architecture", 0, 9), "is \"llama\"");
  says(metadata.Integer("llama.rope.freq_base", 0, 9), "is 500000");
  says(metadata.Integer("past", 0, 9), "is past 2^63");
  says(metadata.Integer("tokens", 0, 9), "is a list");
  says(metadata.Number("nan", -1e300, 1e300), "is nan");
  says(metadata.Boolean("llama.block_count"), "expected true or false");
  says(metadata.String("flag"), "is true or false, expected a string");
  says(metadata.Strings("scores"), "expected a list of strings");
  says(metadata.Floats("types"), "expected a list of 32-bit numbers");
  says(metadata.Integers("scores"), "expected a list of 32-bit whole numbers");
}

TEST_CASE("tensors lie where the file says, last dimension last", "[io][gguf]") {
  const TempFolder folder;
  const auto file = GgufFile::Open(folder.Write("m.gguf", Good().Bytes()));
  REQUIRE(file);
  CHECK(file->weights.tensors().size() == 2);
  const TensorView* one = file->weights.Find("one");
  REQUIRE(one != nullptr);
  CHECK(one->type == DataType::kF32);
  CHECK(one->shape == std::vector<std::int64_t>{2, 3});
  CHECK(one->bytes.size() == 24);
  CHECK(one->bytes[23] == std::byte{1});
  const TensorView* two = file->weights.Find("two");
  REQUIRE(two != nullptr);
  CHECK(two->type == DataType::kQ80);
  CHECK(ElementCount(*two) == 32);
  CHECK(file->weights.files().size() == 1);
  CHECK(file->weights.files()[0].header.starts_with("GGUF"));
}

TEST_CASE("a GGUF file may hold a vocabulary and no tensor", "[io][gguf]") {
  GgufBuilder file;
  file.alignment = 1;  // nothing behind the metadata
  file.Add("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  const std::string bytes = file.Bytes();
  const auto parsed = ParseGguf(bytes);
  REQUIRE(parsed);
  CHECK(parsed->tensors.empty());
}

TEST_CASE("a bad GGUF file is refused with one sentence", "[io][gguf]") {
  const auto with = [](auto change) {
    GgufBuilder file;
    change(file);
    return file.Bytes();
  };
  const std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::uint64_t> five_sizes(5, 1);
  const std::vector<std::uint64_t> huge_row = {huge, 1};
  const std::vector<std::uint64_t> huge_rows = {huge / 2, 4};
  const std::vector<std::uint64_t> narrow_rows = {32, 8};
  struct Bad {
    std::string bytes;
    std::string says;
    ErrorCode code = ErrorCode::kFormat;
  };
  const std::vector<Bad> cases = {
      {"", "cut short"},
      {"GGU", "cut short"},
      {"GGML" + std::string(40, '\0'), "starts with \"GGUF\", found \"GGML\""},
      {with([](auto& file) { file.version = 1; }), "version 1", ErrorCode::kUnsupported},
      {with([](auto& file) { file.version = 4; }), "version 4", ErrorCode::kUnsupported},
      {with([](auto& file) { file.version = 0x03000000; }), "big-endian", ErrorCode::kUnsupported},
      {with([&](auto& file) { file.num_tensors = huge; }), "cut short"},
      {with([&](auto& file) { file.num_entries = huge; }), "cut short"},
      {with([](auto& file) { file.num_entries = 1; }), "cut short"},
      {with([&](auto& file) { file.AddRaw("k", 8, Raw(huge)); }), "cut short"},
      {with([](auto& file) { file.AddRaw("k", 13, Raw(1)); }), "\"k\" is of type 13"},
      {with([&](auto& file) { file.AddRaw("k", 9, Raw(std::uint32_t{4}) + Raw(huge / 4 + 2)); }),
       "\"k\" of 4611686018427387905 values"},
      {with([&](auto& file) { file.AddRaw("k", 9, Raw(std::uint32_t{8}) + Raw(huge)); }),
       "cut short"},
      {with([](auto& file) {
         std::string deep;
         for (int i = 0; i < 9; ++i) {
           deep += Raw(std::uint32_t{9}) + Raw(std::uint64_t{1});
         }
         file.AddRaw("k", 9, deep + std::string(100, '\0'));
       }),
       "over 4 deep"},
      {with([](auto& file) { file.Add("k", 1U).Add("k", 2U); }), "\"k\" is there twice"},
      {with([](auto& file) { file.Add(std::string(70'000, 'k'), 1U); }), "at most 65535"},
      {with([](auto& file) { file.Add("general.alignment", 0U); }), "general.alignment"},
      {with([](auto& file) { file.Add("general.alignment", 24U); }), "a power of two"},
      {with([&](auto& file) { file.AddTensor("t", 0, five_sizes, "abcd"); }), "5 dimensions"},
      {with([](auto& file) { file.AddTensor("t", 18, {256}, "abcd"); }),
       "tensor \"t\" is stored as IQ3_XXS",
       ErrorCode::kUnsupported},
      {with([](auto& file) { file.AddTensor("t", 77, {256}, "abcd"); }),
       "stored as type 77",
       ErrorCode::kUnsupported},
      {with([&](auto& file) { file.AddTensor("t", 0, huge_row, "abcd"); }), "no file holds"},
      {with([&](auto& file) { file.AddTensor("t", 0, huge_rows, "abcd"); }),
       "larger than any file"},
      {with([](auto& file) { file.AddTensor("t", 8, {31}, std::string(34, '\0')); }),
       "no whole number of blocks"},
      {with([&](auto& file) { file.AddTensor("t", 12, narrow_rows, std::string(144, '\0')); }),
       "no whole number of blocks"},
      {with([](auto& file) { file.AddTensor("t", 0, {2}, "abcd"); }), "8 bytes from 0 on"},
      {with([&](auto& file) { file.AddInfo("t", 0, {1}, huge - 31); }), "within the 0 bytes"},
      {with([](auto& file) {
         file.AddInfo("t", 0, {1}, 4);
         file.data = std::string(8, '\0');
       }),
       "starts at 4, expected a multiple of 32"},
      {with([](auto& file) {
         file.AddInfo("t", 0, {16}, 0).AddInfo("u", 0, {1}, 32);
         file.data = std::string(64, '\0');
       }),
       "tensor \"u\" overlaps"},
      {with([](auto& file) { file.AddTensor("t", 0, {1}, "abcd").AddTensor("t", 0, {1}, "abcd"); }),
       "tensor \"t\" is there twice"},
  };
  for (const Bad& bad : cases) {
    INFO(bad.says);
    const auto parsed = ParseGguf(bad.bytes);
    REQUIRE_FALSE(parsed);
    const std::string& message = parsed.error().message;
    INFO(message);
    CHECK(parsed.error().code == bad.code);
    CHECK_THAT(message, Says("m.gguf: ") && Says(bad.says));
    CHECK(message.find('\n') == std::string::npos);
    CHECK(message.size() < 300);
  }
}

TEST_CASE("a GGUF file cut anywhere is refused", "[io][gguf]") {
  const std::string whole = Good().Bytes();
  REQUIRE(ParseGguf(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(ParseGguf(whole.substr(0, size)));
  }
}

TEST_CASE("a flipped byte never makes a GGUF tensor leave the file", "[io][gguf]") {
  const std::string whole = Good().Bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned flip : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
      const auto parsed = ParseGguf(bytes);
      if (!parsed) {
        continue;
      }
      for (const auto& [name, tensor] : parsed->tensors) {
        const auto* begin = reinterpret_cast<const char*>(tensor.bytes.data());
        REQUIRE(begin >= bytes.data());
        REQUIRE(begin + tensor.bytes.size() <= bytes.data() + bytes.size());
        REQUIRE(CheckedByteCount(tensor.shape, tensor.type) == tensor.bytes.size());
      }
      for (const char* key : {"tokens", "scores", "types", "flag"}) {
        static_cast<void>(parsed->metadata.Strings(key));
        static_cast<void>(parsed->metadata.Floats(key));
        static_cast<void>(parsed->metadata.Integers(key));
      }
    }
  }
}

TEST_CASE("the vocabularies of outside GGUF files open", "[io][gguf][shared]") {
  const std::filesystem::path folder = test::SharedData() / "tokenizers" / "vectors";
  for (const auto& [name, model, tokens] :
       std::initializer_list<std::tuple<const char*, const char*, std::size_t>>{
           {"gpt-2", "gpt2", 50257},
           {"bert-bge", "bert", 30522},
           {"llama-spm", "llama", 32000},
           {"phi-3", "llama", 32064},
           {"falcon", "gpt2", 65024}}) {
    INFO(name);
    const auto file = GgufFile::Open(folder / (std::string("ggml-vocab-") + name + ".gguf"));
    REQUIRE(file);
    CHECK(file->metadata.String("tokenizer.ggml.model").value() == model);
    CHECK(file->metadata.Strings("tokenizer.ggml.tokens")->size() == tokens);
    CHECK(file->weights.tensors().empty());
  }
}

}  // namespace headscope
