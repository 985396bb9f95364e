#include "core/base/mapped_file.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <sys/stat.h>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;

std::string Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_CASE("a mapped file shows its bytes, also after a move", "[base][mapped_file]") {
  const TempFolder folder;
  Result<MappedFile> file = MappedFile::Open(folder.Write("a", "attention"));
  REQUIRE(file);
  CHECK(Text(*file) == "attention");

  MappedFile moved = std::move(*file);
  CHECK(Text(moved) == "attention");
  Result<MappedFile> other = MappedFile::Open(folder.Write("b", "heads"));
  REQUIRE(other);
  moved = std::move(*other);
  CHECK(Text(moved) == "heads");
}

TEST_CASE("a pointer of Git LFS is no file to read", "[base][mapped_file]") {
  const TempFolder folder;
  const auto file = MappedFile::Open(folder.Write(
      "vocab.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"));
  REQUIRE_FALSE(file.has_value());
  CHECK_THAT(file.error().message, Says("vocab.txt: is a Git LFS pointer") && Says("git lfs pull"));
  CHECK(MappedFile::Open(folder.Write("a.txt", "version https://git-lfs.github.com/")));
}

std::int64_t ResidentPages() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  REQUIRE(file);
  return resident;
}

TEST_CASE("released pages leave the memory and come back with the file's bytes",
          "[base][mapped_file]") {
  constexpr std::size_t kSize = std::size_t{8} << 20;
  const TempFolder folder;
  const Result<MappedFile> file = MappedFile::Open(folder.Write("a", std::string(kSize, 'w')));
  REQUIRE(file);
  const auto all_equal = [](std::span<const std::byte> bytes, char value) {
    return std::all_of(
        bytes.begin(), bytes.end(), [&](std::byte byte) { return byte == std::byte(value); });
  };
  REQUIRE(all_equal(file->bytes(), 'w'));
  const std::int64_t before = ResidentPages();
  ReleasePages(file->bytes().subspan(100, kSize - 200));
  CHECK(before - ResidentPages() > 1000);  // of 2,048, were pages 4 KiB
  CHECK(all_equal(file->bytes(), 'w'));
}

TEST_CASE("memory that no file can bring back is not released", "[base][mapped_file]") {
  const std::string own(std::size_t{1} << 20, 'o');
  ReleasePages(std::as_bytes(std::span(own)));
  ReleasePages({});
  CHECK(own.find_first_not_of('o') == std::string::npos);
}

TEST_CASE("symbolic links are followed", "[base][mapped_file]") {
  const TempFolder folder;
  std::filesystem::create_symlink(folder.Write("blob", "weights"), folder / "link");
  const Result<MappedFile> file = MappedFile::Open(folder / "link");
  REQUIRE(file);
  CHECK(Text(*file) == "weights");
}

TEST_CASE("what cannot be mapped is refused by name", "[base][mapped_file]") {
  const TempFolder folder;
  std::filesystem::path path;
  std::string reason;
  SECTION("a missing file") {
    path = folder / "missing";
    reason = "No such file";
  }
  SECTION("an empty file") {
    path = folder.Write("empty", "");
    reason = "empty";
  }
  SECTION("a folder") {
    path = folder.path();
    reason = "found a folder";
  }
  SECTION("a named pipe, without waiting for its writer") {
    path = folder / "pipe";
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    reason = "expected a file";
  }
  SECTION("a device") {
    path = "/dev/zero";
    reason = "expected a file";
  }
  SECTION("a link that leads nowhere") {
    path = folder / "link";
    std::filesystem::create_symlink(folder / "gone", path);
    reason = "No such file";
  }
  SECTION("a link that leads to itself") {
    path = folder / "loop";
    std::filesystem::create_symlink(path, path);
    reason = "Too many levels";
  }
  const Result<MappedFile> file = MappedFile::Open(path);
  REQUIRE_FALSE(file);
  CHECK(file.error().code == ErrorCode::kIo);
  CHECK_THAT(file.error().message, Says(path.string()) && Says(reason));
}

}  // namespace
}  // namespace headscope
