#include "core/base/file_lock.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using namespace std::chrono_literals;
using test::Says;
using test::TempFolder;

TEST_CASE("a lock is held once and leaves nothing behind", "[base][file_lock]") {
  const TempFolder folder;
  const std::filesystem::path file = folder / "work.json";
  {
    const Result<FileLock> first = FileLock::Take(file, 0ms);
    REQUIRE(first);
    const Result<FileLock> second = FileLock::Take(file, 20ms);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::kIo);
    CHECK_THAT(second.error().message, Says(file.string()) && Says("another program"));
    CHECK(FileLock::Take(folder / "other.json", 0ms));
  }
  CHECK(FileLock::Take(file, 0ms));
  CHECK(folder.Count() == 0);
}

TEST_CASE("a link and what it names have one lock", "[base][file_lock]") {
  const TempFolder folder;
  const std::filesystem::path file = folder.Write("work.json", "{}");
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink(file, folder / "elsewhere/link.json");
  const Result<FileLock> held = FileLock::Take(file, 0ms);
  REQUIRE(held);
  CHECK_FALSE(FileLock::Take(folder / "elsewhere/link.json", 0ms));
}

TEST_CASE("a folder that is not there cannot be locked in", "[base][file_lock]") {
  const TempFolder folder;
  const Result<FileLock> lock = FileLock::Take(folder / "missing/work.json", 0ms);
  REQUIRE_FALSE(lock);
  CHECK_THAT(lock.error().message, Says("missing/work.json") && Says("No such file"));
}

TEST_CASE("a name of any length has room for its lock", "[base][file_lock]") {
  const TempFolder folder;
  CHECK(FileLock::Take(folder / std::string(255, 'n'), 0ms));
}

TEST_CASE("many threads take turns, and no two hold it at once", "[base][file_lock]") {
  const TempFolder folder;
  std::atomic<int> inside = 0;
  std::atomic<int> together = 0;
  std::atomic<int> refused = 0;
  int turns = 0;  // guarded by the lock alone
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const Result<FileLock> lock = FileLock::Take(folder / "work.json", 60s);
          if (!lock) {
            ++refused;
            continue;
          }
          together += ++inside > 1 ? 1 : 0;
          ++turns;
          --inside;
        }
      });
    }
  }
  CHECK(refused == 0);
  CHECK(together == 0);
  CHECK(turns == 200);
  CHECK(folder.Count() == 0);
}

TEST_CASE("the lock of a program that is killed is free", "[base][file_lock]") {
  const TempFolder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Result<FileLock> lock = FileLock::Take(folder / "work.json", 0ms);
    kill(getpid(), lock ? SIGKILL : SIGTERM);
    _exit(1);
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  REQUIRE(WIFSIGNALED(how));
  CHECK(WTERMSIG(how) == SIGKILL);
  CHECK(folder.Count() == 1);
  CHECK(FileLock::Take(folder / "work.json", 0ms));
  CHECK(folder.Count() == 0);
}

}  // namespace
}  // namespace headscope
