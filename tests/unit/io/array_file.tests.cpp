#include "core/io/array_file.h"

#include <array>
#include <memory>

#include <zip.h>

#include "core/io/npy.h"
#include "core/io/zip_file.h"
#include "tests/support/catch.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::NpyBytes;
using test::RawBytes;
using test::ReadText;
using test::Says;
using test::TempFolder;

constexpr std::array<float, 4> kNumbers = {1.0F, 0.0F, 0.5F, 0.5F};

std::string Numbers() {
  return NpyBytes("<f4", "1, 2, 2", RawBytes(std::span<const float>(kNumbers)));
}

// A zip as Python's zipfile would write it, each file packed by one method.
std::string Zip(const std::vector<std::pair<std::string, std::string>>& files, int method) {
  const TempFolder folder;
  const std::string path = (folder / "a.npz").string();
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  REQUIRE(archive != nullptr);
  for (const auto& [name, bytes] : files) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    REQUIRE(index >= 0);
    REQUIRE(zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0) == 0);
  }
  REQUIRE(zip_close(archive) == 0);
  return ReadText(path);
}

Result<ArrayFile> ParseFile(const std::string& bytes) {
  return ParseArrays(std::as_bytes(std::span(bytes)), "x.npz");
}

TEST_CASE("arrays come out of a zip, stored or deflated", "[io][arrays]") {
  const std::array<std::int64_t, 3> ids = {5, 7, 9};
  const std::vector<std::pair<std::string, std::string>> files = {
      {"attention.npy", Numbers()},
      {"tokens.npy",
       NpyBytes("<U3", "3,", RawBytes(std::span<const char32_t>(U"thecat \u00E9\0", 9)))},
      {"token_ids.npy", NpyBytes("<i8", "3,", RawBytes(std::span<const std::int64_t>(ids)))},
      {"model.npy", NpyBytes("<U5", "", RawBytes(std::span<const char32_t>(U"probe", 5)))},
      {"bytes.npy", NpyBytes("|S3", "2,", std::string("ab\0cde", 6))},
      {"objects.npy", NpyBytes("|O", "3,", "pickled")},
      {"note.txt", "no array"}};
  const int method = GENERATE(ZIP_CM_STORE, ZIP_CM_DEFLATE);
  const std::string bytes = Zip(files, method);
  const auto file = ParseFile(bytes);
  REQUIRE(file);
  const TensorView& attention = file->numbers.find("attention")->second;
  CHECK(attention.shape == std::vector<std::int64_t>{1, 2, 2});
  CHECK(attention.type == DataType::kF32);
  CHECK(std::string(reinterpret_cast<const char*>(attention.bytes.data()),
                    attention.bytes.size()) == RawBytes(std::span<const float>(kNumbers)));
  CHECK(*file->Texts("tokens") == std::vector<std::string>{"the", "cat", " é"});
  CHECK(*file->Texts("bytes") == std::vector<std::string>{"ab", "cde"});
  CHECK(*file->Integers("token_ids") == std::vector<std::int64_t>{5, 7, 9});
  CHECK(file->Text("model") == "probe");
  CHECK(file->Text("family").empty());
  CHECK_FALSE(file->Texts("missing")->has_value());
  CHECK_THAT(file->Texts("objects").error().message, Says("x.npz") && Says("objects"));
  CHECK(file->unreadable.contains("note.txt"));
  // What is stored is not copied.
  const bool lies_in_file =
      reinterpret_cast<const char*>(attention.bytes.data()) >= bytes.data() &&
      reinterpret_cast<const char*>(attention.bytes.data()) < bytes.data() + bytes.size();
  CHECK(lies_in_file == (method == ZIP_CM_STORE));
}

TEST_CASE("a single array and a safetensors file are arrays too", "[io][arrays]") {
  const auto one = ParseFile(Numbers());
  REQUIRE(one);
  CHECK(one->numbers.contains(kOnlyArray));
  const TempFolder folder;
  const std::vector<TensorView> tensors = {
      {"attention", DataType::kF32, {1, 2, 2}, std::as_bytes(std::span(kNumbers))}};
  REQUIRE(WriteSafetensors(
      folder / "a.safetensors",
      tensors,
      {{"tokens", R"(["a", "b"])"}, {"token_ids", "[3, 4]"}, {"bad", "[1"}, {"worse", "[1.5]"}}));
  const auto file = ArrayFile::Open(folder / "a.safetensors");
  REQUIRE(file);
  CHECK(*file->Texts("tokens") == std::vector<std::string>{"a", "b"});
  CHECK(*file->Integers("token_ids") == std::vector<std::int64_t>{3, 4});
  CHECK(*file->Texts("token_ids") == std::vector<std::string>{"3", "4"});
  CHECK_FALSE(file->Integers("tokens"));
  CHECK_FALSE(file->Texts("bad"));
  CHECK_FALSE(file->Texts("worse"));
}

TEST_CASE("a zip cut or changed anywhere is refused or read, never past its end", "[io][arrays]") {
  const std::string whole =
      Zip({{"attention.npy", Numbers()}, {"b.npy", Numbers()}}, ZIP_CM_DEFLATE);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = ParseFile(whole.substr(0, size));
    REQUIRE_FALSE(cut);
    CHECK_THAT(cut.error().message, Says("x.npz"));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xFF'}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const auto file = ParseFile(changed);
      if (!file) {
        CHECK_THAT(file.error().message, Says("x.npz"));
      }
    }
  }
}

TEST_CASE("a zip that unpacks to far more than itself is not unpacked", "[io][arrays]") {
  const std::size_t count = std::size_t{16} << 20U;  // 64 MiB of zeros in 64 kB
  const std::string zeros =
      NpyBytes("<f4", std::to_string(count) + ",", std::string(count * 4, '\0'));
  const auto file = ParseFile(Zip({{"attention.npy", zeros}}, ZIP_CM_DEFLATE));
  REQUIRE(file);
  CHECK_FALSE(file->numbers.contains("attention"));
  CHECK_THAT(file->unreadable.find("attention")->second, Says("numpy.savez"));
}

TEST_CASE("one file of a zip cannot be listed as many", "[io][arrays]") {
  const std::string large = Numbers() + std::string(4096, 'x');
  std::vector<std::pair<std::string, std::string>> files = {{"large", large}};
  for (const char* name : {"a", "b", "c"}) {
    files.emplace_back(name, "small");
  }
  std::string whole = Zip(files, ZIP_CM_STORE);
  REQUIRE(ListZip(std::as_bytes(std::span(whole)), "x.npz"));
  // Every other entry of the list gets the sizes and the place of the first.
  const std::size_t first = whole.find("PK\x01\x02");
  for (std::size_t at = whole.find("PK\x01\x02", first + 4); at != std::string::npos;
       at = whole.find("PK\x01\x02", at + 4)) {
    whole.replace(at + 20, 8, whole.substr(first + 20, 8));
    whole.replace(at + 42, 4, whole.substr(first + 42, 4));
  }
  const auto listed = ListZip(std::as_bytes(std::span(whole)), "x.npz");
  REQUIRE_FALSE(listed);
  CHECK_THAT(listed.error().message, Says("overlap"));
}

}  // namespace
}  // namespace headscope
