#include "core/base/sweep.h"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

void MakeOld(const std::filesystem::path& path) {
  const timespec old{.tv_sec = 1'000'000'000, .tv_nsec = 0};
  const timespec times[2] = {old, old};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

TEST_CASE("what a killed run left is swept, and nothing else", "[base][sweep]") {
  const test::TempFolder folder;
  for (const char* name : {".headscope-0123abcd",
                           "notes.txt",
                           ".headscope-notes",
                           ".headscope-0123ABCD",
                           "x.headscope-0123abcd"}) {
    MakeOld(folder.Write(name, "text"));
  }
  std::filesystem::create_directory(folder / ".headscope-01234567");
  folder.Write(".headscope-89abcdef", "of this moment");
  CHECK(SweepTemporaryFiles(folder.path()) == 1);
  CHECK_FALSE(std::filesystem::exists(folder / ".headscope-0123abcd"));
  CHECK(std::filesystem::exists(folder / ".headscope-89abcdef"));
  CHECK(std::filesystem::exists(folder / ".headscope-01234567"));
  CHECK(std::filesystem::exists(folder / ".headscope-notes"));
  CHECK(std::filesystem::exists(folder / "notes.txt"));
  CHECK(SweepTemporaryFiles(folder / "none") == 0);
}

// A link to a file of another name is neither followed nor removed.
TEST_CASE("a link of that name is left alone", "[base][sweep]") {
  const test::TempFolder folder;
  const auto target = folder.Write("kept.txt", "text");
  MakeOld(target);
  std::filesystem::create_symlink(target, folder / ".headscope-00000000");
  CHECK(SweepTemporaryFiles(folder.path()) == 0);
  CHECK(std::filesystem::exists(target));
}

TEST_CASE("a file is swept once the process that writes it has been killed", "[base][sweep]") {
  const test::TempFolder folder;
  const auto path = folder.Write(".headscope-0000000f", "half");
  int ready[2] = {};
  REQUIRE(pipe(ready) == 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const int file = open(path.c_str(), O_RDWR);
    const char answer = flock(file, LOCK_EX | LOCK_NB) == 0 ? '1' : '0';
    static_cast<void>(!write(ready[1], &answer, 1));
    pause();
    _exit(0);
  }
  char answer = 0;
  REQUIRE(read(ready[0], &answer, 1) == 1);
  REQUIRE(answer == '1');
  MakeOld(path);
  CHECK(SweepTemporaryFiles(folder.path()) == 0);
  CHECK(std::filesystem::exists(path));
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  CHECK(SweepTemporaryFiles(folder.path()) == 1);
  CHECK_FALSE(std::filesystem::exists(path));
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace headscope
