#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <sys/resource.h>

#include <zip.h>

#include "core/io/npy.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::Says;
using test::TempFolder;

struct Close {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

// The bytes of one entry; checks that it is stored as it is.
std::string WrittenEntry(const std::filesystem::path& path, const std::string& name) {
  const std::unique_ptr<zip_t, Close> archive(
      zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, nullptr));
  REQUIRE(archive != nullptr);
  zip_stat_t status;
  REQUIRE(zip_stat(archive.get(), name.c_str(), 0, &status) == 0);
  CHECK(status.comp_method == ZIP_CM_STORE);
  std::string bytes(status.size, '\0');
  zip_file_t* file = zip_fopen(archive.get(), name.c_str(), 0);
  REQUIRE(file != nullptr);
  const zip_int64_t read = zip_fread(file, bytes.data(), bytes.size());
  CHECK(read == static_cast<zip_int64_t>(bytes.size()));
  zip_fclose(file);  // checks the sum
  return bytes;
}

// The header as NumPy writes it, for a dictionary shorter than a block.
std::string Header(std::string dictionary) {
  dictionary.resize((10 + dictionary.size() + 1 + 63) / 64 * 64 - 11, ' ');
  dictionary += '\n';
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(dictionary.size()) +
         std::string(1, '\0') + dictionary;
}

std::string CodePoints(const std::u32string& text) {
  return {reinterpret_cast<const char*>(text.data()), text.size() * sizeof(char32_t)};
}

TEST_CASE("numbers and texts come out as NumPy's own bytes", "[io][npz]") {
  const TempFolder folder;
  const std::filesystem::path path = folder / "out.npz";
  const std::array<float, 6> weights = {1.0F, 0.0F, 0.5F, 0.5F, 0.25F, 0.75F};
  const std::array<std::int64_t, 2> ids = {50256, -1};
  const std::vector<NpzEntry> entries = {
      {"attention", {"", DataType::kF32, {1, 2, 3}, std::as_bytes(std::span(weights))}, {}, {}},
      {"token_ids", {"", DataType::kI64, {2}, std::as_bytes(std::span(ids))}, {}, {}},
      {"tokens", {}, {"Ġthe", "", "\U0001F600", "a\xFF"}, {4}},
      {"model", {}, {"probe"}, {}},
      {"nothing", {}, {""}, {}},
      {"empty", {"", DataType::kF32, {0, 4}, {}}, {}, {}},
  };
  REQUIRE(WriteNpz(path, entries));
  CHECK(folder.Count() == 1);

  const std::string attention = WrittenEntry(path, "attention.npy");
  const Result<FloatArray> array = ParseNpy(std::as_bytes(std::span(attention)), "attention");
  REQUIRE(array);
  CHECK(array->shape == std::vector<std::int64_t>{1, 2, 3});
  CHECK(array->values == std::vector<float>(weights.begin(), weights.end()));
  CHECK(attention.starts_with(
      Header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }")));

  CHECK(WrittenEntry(path, "token_ids.npy") ==
        Header("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }") +
            std::string(reinterpret_cast<const char*>(ids.data()), sizeof(ids)));
  CHECK(WrittenEntry(path, "tokens.npy") ==
        Header("{'descr': '<U4', 'fortran_order': False, 'shape': (4,), }") +
            CodePoints({U'\u0120',
                        't',
                        'h',
                        'e',
                        0,
                        0,
                        0,
                        0,
                        U'\U0001F600',
                        0,
                        0,
                        0,
                        'a',
                        U'\uFFFD',
                        0,
                        0}));
  CHECK(WrittenEntry(path, "model.npy") ==
        Header("{'descr': '<U5', 'fortran_order': False, 'shape': (), }") + CodePoints(U"probe"));
  CHECK(WrittenEntry(path, "nothing.npy") ==
        Header("{'descr': '<U1', 'fortran_order': False, 'shape': (), }") +
            CodePoints(std::u32string(1, U'\0')));
  CHECK(WrittenEntry(path, "empty.npy") ==
        Header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4), }"));
}

TEST_CASE("equal content gives equal files, and replaces what was there", "[io][npz]") {
  const TempFolder folder;
  const std::vector<NpzEntry> entries = {{"model", {}, {"probe"}, {}}};
  folder.Write("b.npz", "something else");
  REQUIRE(WriteNpz(folder / "a.npz", entries));
  REQUIRE(WriteNpz(folder / "b.npz", entries));
  CHECK(ReadText(folder / "a.npz") == ReadText(folder / "b.npz"));
}

TEST_CASE("an array that NumPy cannot hold is refused by name", "[io][npz]") {
  const TempFolder folder;
  const std::array<std::uint16_t, 1> value = {0x3F80};
  const std::vector<NpzEntry> entries = {
      {"attention", {"", DataType::kBf16, {1}, std::as_bytes(std::span(value))}, {}, {}}};
  const Status status = WriteNpz(folder / "out.npz", entries);
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kUnsupported);
  CHECK_THAT(status.error().message, Says("attention: NumPy has no numbers of type BF16"));
  CHECK(folder.Count() == 0);
}

TEST_CASE("one long text among many is refused before it takes the memory", "[io][npz]") {
  const TempFolder folder;
  std::vector<std::string> texts(4096);
  texts.back() = std::string(100000, 'x');
  const std::vector<NpzEntry> entries = {{"tokens", {}, std::move(texts), {4096}}};
  const Status status = WriteNpz(folder / "out.npz", entries);
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(status.error().message, Says("tokens: expected texts of at most 1073741824 bytes"));
}

TEST_CASE("a full disk leaves the old file and nothing else", "[io][npz]") {
  const TempFolder folder;
  const std::filesystem::path path = folder.Write("out.npz", "old");
  const std::vector<float> weights(10000, 0.5F);
  const std::vector<NpzEntry> entries = {
      {"attention", {"", DataType::kF32, {100, 100}, std::as_bytes(std::span(weights))}, {}, {}}};
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit = {1000, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  const Status status = WriteNpz(path, entries);
  setrlimit(RLIMIT_FSIZE, &before);
  static_cast<void>(std::signal(SIGXFSZ, handler));
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message, Says(path.string()) && Says("File too large"));
  CHECK(ReadText(path) == "old");
  CHECK(folder.Count() == 1);
}

}  // namespace
}  // namespace headscope
