#include "core/base/temporary_file.h"

#include <csignal>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::TempFolder;
using Kind = TemporaryFile::Kind;

void Fill(const TemporaryFile& file, std::string_view text) {
  CHECK(write(file.descriptor(), text.data(), text.size()) == std::ssize(text));
}

TEST_CASE("a temporary file becomes its target, or nothing", "[base][temporary_file]") {
  const Kind kind = GENERATE(Kind::kNameless, Kind::kNamed);
  const bool is_there = GENERATE(false, true);
  const TempFolder folder;
  const std::filesystem::path target = folder / "out";
  const std::ptrdiff_t before = is_there ? 1 : 0;
  if (is_there) {
    folder.Write("out", "old");
  }
  {
    const auto dropped = TemporaryFile::Make(target, kind);
    REQUIRE(dropped);
    Fill(*dropped, "never seen");
    CHECK(folder.Count() == before + (dropped->kind() == Kind::kNamed ? 1 : 0));
  }
  CHECK(folder.Count() == before);
  auto file = TemporaryFile::Make(target, kind);
  REQUIRE(file);
  Fill(*file, "new");
  CHECK(file->BecomeTarget() == 0);
  CHECK(ReadText(target) == "new");
  CHECK(folder.Count() == 1);
}

TEST_CASE("where a file must have a name, a signal removes it and ends the program as ever",
          "[base][temporary_file]") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGPIPE);
  const TempFolder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static_cast<void>(std::signal(number, SIG_DFL));
    const auto one = TemporaryFile::Make(folder / "one", Kind::kNamed);
    const auto two = TemporaryFile::Make(folder / "two", Kind::kNamed);
    if (one && two && folder.Count() == 2) {
      kill(getpid(), number);
    }
    _exit(1);
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  REQUIRE(WIFSIGNALED(how));
  CHECK(WTERMSIG(how) == number);
  CHECK(folder.Count() == 0);
}

TEST_CASE("a signal that the program was told to ignore stays ignored", "[base][temporary_file]") {
  const TempFolder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static_cast<void>(std::signal(SIGHUP, SIG_IGN));
    auto file = TemporaryFile::Make(folder / "out", Kind::kNamed);
    kill(getpid(), SIGHUP);
    _exit(file && file->BecomeTarget() == 0 ? 0 : 1);
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK((WIFEXITED(how) && WEXITSTATUS(how) == 0));
  CHECK(folder.Count() == 1);
}

}  // namespace
}  // namespace headscope
