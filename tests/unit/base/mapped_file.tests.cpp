#include "core/base/mapped_file.h"

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
