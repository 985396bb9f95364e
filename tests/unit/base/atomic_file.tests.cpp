#include "core/base/atomic_file.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::Says;
using test::TempFolder;

// Within its life no file can grow past `bytes`: what a full disk does, without one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  FileSizeLimit(FileSizeLimit&&) = delete;
  FileSizeLimit& operator=(FileSizeLimit&&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

mode_t Mode(const std::filesystem::path& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0U;
}

TEST_CASE("a file is written and replaced whole", "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path path = folder / "out.json";
  REQUIRE(WriteFileAtomically(path, std::string_view("first")));
  CHECK(ReadText(path) == "first");
  REQUIRE(WriteFileAtomically(path, std::string_view("")));
  CHECK(ReadText(path).empty());
  const std::array<std::byte, 3> bytes = {std::byte{0}, std::byte{0xFF}, std::byte{10}};
  REQUIRE(WriteFileAtomically(path, bytes));
  CHECK(ReadText(path) == std::string("\0\xFF\n", 3));
  CHECK(folder.Count() == 1);
}

TEST_CASE("what is kept makes its folder, and leaves nothing where it cannot be written",
          "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path path = folder / "a" / "b" / "kept";
  KeepFile(path, "one");
  CHECK(ReadText(path) == "one");
  KeepFile(path, "two");
  CHECK(ReadText(path) == "two");
  {
    const FileSizeLimit limit(4);
    KeepFile(path, "longer");
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("pieces follow each other in the file", "[base][atomic_file]") {
  const TempFolder folder;
  const std::string first(100000, 'a');
  const std::string last(70001, 'b');
  const std::array<std::span<const std::byte>, 3> pieces = {std::as_bytes(std::span(first)),
                                                            std::as_bytes(std::span(last)),
                                                            std::span<const std::byte>()};
  std::size_t given = 0;
  REQUIRE(WritePiecesAtomically(
      folder / "out", [&] { return Result<std::span<const std::byte>>(pieces[given++]); }));
  CHECK(ReadText(folder / "out") == first + last);
}

TEST_CASE("a path of no folder is written in the working folder", "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Status status = WriteFileAtomically("plain", std::string_view("here"));
  std::filesystem::current_path(before);
  REQUIRE(status);
  CHECK(ReadText(folder / "plain") == "here");
}

TEST_CASE("the longest name that the system takes can be written", "[base][atomic_file]") {
  const TempFolder folder;
  const std::string name(255, 'n');
  REQUIRE(WriteFileAtomically(folder / name, std::string_view("x")));
  CHECK(ReadText(folder / name) == "x");
}

TEST_CASE("permissions follow the file's own, or the mask for a new one", "[base][atomic_file]") {
  const TempFolder folder;
  const mode_t mask = umask(027);
  const Status status = WriteFileAtomically(folder / "new", std::string_view("x"));
  umask(mask);
  REQUIRE(status);
  CHECK(Mode(folder / "new") == 0640);

  const std::filesystem::path secret = folder.Write("secret", "old");
  REQUIRE(chmod(secret.c_str(), 0600) == 0);
  REQUIRE(WriteFileAtomically(secret, std::string_view("new")));
  CHECK(Mode(secret) == 0600);
}

TEST_CASE("a link stays a link, and what it names is replaced", "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path target = folder.Write("target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  REQUIRE(WriteFileAtomically(folder / "link", std::string_view("new")));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(ReadText(target) == "new");
}

TEST_CASE("what cannot be written is refused by name", "[base][atomic_file]") {
  const TempFolder folder;
  std::filesystem::path path;
  std::string reason;
  SECTION("a folder that is not there") {
    path = folder / "missing/out.png";
    reason = "No such file";
  }
  SECTION("a file in place of the folder") {
    path = folder.Write("file", "text") / "out.png";
    reason = "Not a directory";
  }
  SECTION("a folder in place of the file") {
    path = folder / "folder";
    std::filesystem::create_directory(path);
    reason = "not a regular file";
  }
  SECTION("a full device") {
    path = "/dev/full";
    reason = "not a regular file";
  }
  SECTION("a name too long") {
    path = folder / std::string(256, 'n');
    reason = "File name too long";
  }
  SECTION("no name at all") {
    reason = "cannot be written";
  }
  const std::ptrdiff_t before = folder.Count();
  const Status status = WriteFileAtomically(path, std::string_view("x"));
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message, Says(path.string()) && Says(reason));
  CHECK(folder.Count() == before);
}

TEST_CASE("a folder without write permission is refused and stays as it was",
          "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path path = folder.Write("session.json", "old");
  REQUIRE(chmod(folder.path().c_str(), 0555) == 0);
  // Permissions do not bind root: write as nobody for a moment.
  constexpr uid_t kNobody = 65534;
  const bool is_root = geteuid() == 0;
  REQUIRE((!is_root || seteuid(kNobody) == 0));
  const Status status = WriteFileAtomically(path, std::string_view("new"));
  REQUIRE((!is_root || seteuid(0) == 0));
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message, Says(path.string()) && Says("Permission denied"));
  CHECK(ReadText(path) == "old");
  CHECK(folder.Count() == 1);
}

TEST_CASE("when the disk is full the old file stays and nothing else does", "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path path = folder.Write("out", "old");
  Status status;
  {
    const FileSizeLimit limit(1000);
    status = WriteFileAtomically(path, std::string(5000, 'n'));
  }
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message, Says(path.string()) && Says("File too large"));
  CHECK(ReadText(path) == "old");
  CHECK(folder.Count() == 1);
}

TEST_CASE("a writer that fails leaves the old file and tells its own reason",
          "[base][atomic_file]") {
  const TempFolder folder;
  const std::filesystem::path path = folder.Write("out.png", "old");
  const Status status = WriteFileAtomically(path, [&](OutputFile* file) -> Status {
    const std::string half = "half a picture";
    HEADSCOPE_TRY(file->WriteAt(0, std::as_bytes(std::span(half))));
    return Fail(ErrorCode::kInput, "no picture of 0 pixels");
  });
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kInput);
  CHECK(status.error().message == "no picture of 0 pixels");
  CHECK(ReadText(path) == "old");
  CHECK(folder.Count() == 1);
}

TEST_CASE("bytes are written in any order", "[base][atomic_file]") {
  const TempFolder folder;
  const Status status = WriteFileAtomically(folder / "out", [&](OutputFile* file) -> Status {
    const std::string text = "second";
    HEADSCOPE_TRY(file->WriteAt(5, std::as_bytes(std::span(text))));
    return file->WriteAt(0, std::as_bytes(std::span(text).first(5)));
  });
  REQUIRE(status);
  CHECK(ReadText(folder / "out") == "seconsecond");
}

// What a child that runs `body` ends with, by signal.
template <typename Body>
int SignalThatEnds(Body body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The test framework answers signals with a report of its own.
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE}) {
      static_cast<void>(std::signal(number, SIG_DFL));
    }
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    body();
    _exit(1);
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  return WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

TEST_CASE("a kill in the middle of writing leaves the old file and nothing else",
          "[base][atomic_file]") {
  const int number = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE, SIGKILL);
  const TempFolder folder;
  const std::filesystem::path path = folder.Write("session.json", "old");
  const int how = SignalThatEnds([&] {
    static_cast<void>(WriteFileAtomically(path, [number](OutputFile* file) {
      const std::string half = "half a session";
      static_cast<void>(file->WriteAt(0, std::as_bytes(std::span(half))));
      kill(getpid(), number);
      return Status();
    }));
  });
  INFO("signal " << number);
  CHECK(how == number);
  CHECK(ReadText(path) == "old");
  CHECK(folder.Count() == 1);
}

TEST_CASE("a limit of file sizes is said", "[base][atomic_file]") {
  const TempFolder folder;
  const FileSizeLimit limit(1000);
  const Status status = WriteFileAtomically(folder / "out", std::string(5000, 'n'));
  REQUIRE_FALSE(status);
  CHECK_THAT(status.error().message, Says("at most 1000 bytes") && Says("ulimit -f"));
}

}  // namespace
}  // namespace headscope
