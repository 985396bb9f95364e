#include "core/heads/flags/session_merge.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::Says;
using test::TempFolder;

HeadFlag FlagOf(std::int64_t layer, std::int64_t head, const std::string& role) {
  return {.layer = layer, .head = head, .role = role, .colour = "", .note = ""};
}

SessionFile With(std::vector<HeadFlag> flags) {
  SessionFile session;
  session.model_name = "alpha";
  session.model_fingerprint = "00ff";
  session.text = "a text";
  session.flags = std::move(flags);
  return session;
}

TEST_CASE("each window's changes are kept, by head", "[heads][session]") {
  const SessionFile base =
      With({FlagOf(0, 0, "broad"), FlagOf(0, 1, "broad"), FlagOf(0, 2, "broad")});
  // Mine: one changed, one removed, one added; theirs: as many others.
  const SessionFile mine =
      With({FlagOf(0, 0, "mine"), FlagOf(0, 2, "broad"), FlagOf(5, 5, "mine")});
  const SessionFile theirs = With({FlagOf(0, 0, "broad"),
                                   FlagOf(0, 1, "broad"),
                                   FlagOf(0, 2, "theirs"),
                                   FlagOf(4, 4, "theirs")});
  CHECK(MergeSessions(base, mine, theirs) == With({FlagOf(0, 0, "mine"),
                                                   FlagOf(0, 2, "theirs"),
                                                   FlagOf(4, 4, "theirs"),
                                                   FlagOf(5, 5, "mine")}));
}

TEST_CASE("of a head that both windows changed, the one that saves wins", "[heads][session]") {
  const SessionFile base = With({FlagOf(1, 1, "broad")});
  const SessionFile theirs = With({FlagOf(1, 1, "theirs")});
  CHECK(MergeSessions(base, With({FlagOf(1, 1, "mine")}), theirs).flags[0].role == "mine");
  CHECK(MergeSessions(base, With({}), theirs).flags.empty());
  CHECK(MergeSessions(base, With({FlagOf(1, 1, "mine")}), With({})).flags.size() == 1);
  CHECK(MergeSessions(base, base, With({})).flags.empty());
}

TEST_CASE("heads of one number in two parts are two heads", "[heads][session]") {
  HeadFlag cross = FlagOf(0, 0, "theirs");
  cross.part = ModelPart::kCross;
  HeadFlag encoder = FlagOf(0, 0, "mine");
  encoder.part = ModelPart::kEncoder;
  CHECK(MergeSessions(With({}), With({encoder}), With({cross})) == With({encoder, cross}));
}

TEST_CASE("text and selection are the ones that changed", "[heads][session]") {
  const SessionFile base = With({});
  SessionFile mine = base;
  SessionFile theirs = base;
  theirs.text = "typed in the other window";
  theirs.pair = "second";
  mine.selected_head = 3;
  const SessionFile merged = MergeSessions(base, mine, theirs);
  CHECK(merged.text == "typed in the other window");
  CHECK(merged.pair == "second");
  CHECK(merged.selected_head == 3);
  mine.text = "typed here";
  CHECK(MergeSessions(base, mine, theirs).text == "typed here");
  CHECK(MergeSessions(base, mine, theirs).pair.empty());
}

TEST_CASE("keys of a newer version are kept from both", "[heads][session]") {
  SessionFile base = With({FlagOf(1, 1, "broad")});
  base.unknown_json = R"({"zoom":1})";
  SessionFile mine = base;
  SessionFile theirs = base;
  theirs.unknown_json = R"({"zoom":2,"tags":[]})";
  theirs.flags[0].unknown_json = R"({"by":"Ann"})";
  CHECK(MergeSessions(base, mine, theirs) == theirs);
  mine.flags[0].role = "rare";
  mine.flags[0].unknown_json = R"({"on":"Monday"})";
  const SessionFile merged = MergeSessions(base, mine, theirs);
  CHECK(merged.unknown_json == R"({"zoom":2,"tags":[]})");
  CHECK(merged.flags[0].role == "rare");
  CHECK(merged.flags[0].unknown_json == R"({"by":"Ann","on":"Monday"})");
}

TEST_CASE("a file that became another model's is left as it is", "[heads][session]") {
  const TempFolder folder;
  SessionFile other = With({FlagOf(0, 0, "theirs")});
  other.model_name = "beta";
  other.model_fingerprint = "beef";
  REQUIRE(SaveSession(folder / "work.json", other));
  const auto updated = UpdateSession(folder / "work.json", {}, With({}));
  REQUIRE_FALSE(updated);
  CHECK_THAT(updated.error().message, Says("work.json") && Says("beta") && Says("alpha"));
  CHECK(LoadSession(folder / "work.json").value() == other);
}

TEST_CASE("a head that both windows flagged differently is told, and the file keeps theirs",
          "[heads][session]") {
  const TempFolder folder;
  const std::filesystem::path path = folder / "work.json";
  const SessionFile base = With({FlagOf(0, 0, "same"), FlagOf(0, 1, "was")});
  REQUIRE(SaveSession(path, base));
  const SessionFile theirs =
      With({FlagOf(0, 0, "same"), FlagOf(0, 1, "theirs"), FlagOf(1, 1, "both"), FlagOf(1, 2, "b")});
  REQUIRE(UpdateSession(path, base, theirs).value().conflicts.empty());
  // What it says differently, what it took away, what it says alike, and what only it says.
  const SessionFile mine = With({FlagOf(0, 1, "mine"), FlagOf(1, 1, "both"), FlagOf(2, 2, "mine")});
  const auto updated = UpdateSession(path, base, mine);
  REQUIRE(updated);
  CHECK(updated->conflicts == std::vector<HeadIndex>{{0, 1}});
  const SessionFile file = LoadSession(path).value();
  CHECK(file == updated->session);
  CHECK(
      file.flags ==
      With({FlagOf(0, 1, "theirs"), FlagOf(1, 1, "both"), FlagOf(1, 2, "b"), FlagOf(2, 2, "mine")})
          .flags);
  // Of a flag that one took away and the other changed.
  const auto removed = UpdateSession(path, With({FlagOf(0, 1, "mine")}), With({}));
  REQUIRE(removed);
  CHECK(removed->conflicts == std::vector<HeadIndex>{{0, 1}});
  CHECK(LoadSession(path).value().flags.front().role == "theirs");
  // Once it knows what they say, its own word counts.
  const SessionFile decided = WithFlagsOf(file, mine, updated->conflicts);
  REQUIRE(UpdateSession(path, file, decided).value().conflicts.empty());
  CHECK(LoadSession(path).value().flags.front().role == "mine");
}

TEST_CASE("what is no session is not merged into", "[heads][session]") {
  const TempFolder folder;
  folder.Write("work.json", "a diary");
  const auto updated = UpdateSession(folder / "work.json", {}, With({}));
  REQUIRE_FALSE(updated);
  CHECK_THAT(updated.error().message, Says("expected a Headscope session"));
  CHECK(ReadText(folder / "work.json") == "a diary");
  CHECK(folder.Count() == 1);
}

// Flags heads (layer, 0), (layer, 1), ... one by one, as a window does.
class Window {
 public:
  Window(std::filesystem::path path, std::int64_t layer)
      : path_(std::move(path)), known_(With({})), layer_(layer) {}

  bool FlagNext() {
    SessionFile mine = known_;
    mine.flags.push_back(FlagOf(layer_, next_++, "mine"));
    Result<UpdatedSession> written = UpdateSession(path_, known_, mine);
    if (!written) {
      return false;
    }
    known_ = std::move(written->session);
    return true;
  }

 private:
  std::filesystem::path path_;
  SessionFile known_;
  std::int64_t layer_;
  std::int64_t next_ = 0;
};

std::int64_t FlagsOf(const SessionFile& session, std::int64_t layer) {
  return std::ranges::count(session.flags, layer, &HeadFlag::layer);
}

TEST_CASE("windows of many threads lose none of each other's flags", "[heads][session]") {
  const TempFolder folder;
  constexpr int kFlags = 20;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&folder, thread] {
        Window window(folder / "work.json", thread);
        for (int i = 0; i < kFlags; ++i) {
          while (!window.FlagNext()) {
          }
        }
      });
    }
  }
  const Result<SessionFile> session = LoadSession(folder / "work.json");
  REQUIRE(session);
  for (int thread = 0; thread < 4; ++thread) {
    CHECK(FlagsOf(*session, thread) == kFlags);
  }
  CHECK(folder.Count() == 1);
}

// A window of another process that flags heads until it is killed, and says how many it saved.
struct OtherWindow {
  pid_t process = 0;
  int saved = -1;  // one byte for each
};

OtherWindow StartWindow(const std::filesystem::path& path, std::int64_t layer) {
  int ends[2] = {};
  REQUIRE(pipe(ends) == 0);
  const pid_t process = fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    Window window(path, layer);
    while (true) {
      const char done = 1;
      if (!window.FlagNext() || write(ends[1], &done, 1) != 1) {
        _exit(1);
      }
      usleep(1000);
    }
  }
  close(ends[1]);
  return {process, ends[0]};
}

std::int64_t Kill(const OtherWindow& window) {
  kill(window.process, SIGKILL);
  int how = 0;
  waitpid(window.process, &how, 0);
  CHECK((WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL));
  std::int64_t count = 0;
  char done = 0;
  while (read(window.saved, &done, 1) == 1) {
    ++count;
  }
  close(window.saved);
  return count;
}

TEST_CASE("a kill at any moment loses no flag that was saved", "[heads][session]") {
  const TempFolder folder;
  const std::filesystem::path path = folder / "work.json";
  Window own(path, 0);
  std::int64_t own_saved = 0;
  for (int round = 1; round <= 12; ++round) {
    const OtherWindow first = StartWindow(path, 2 * round);
    const OtherWindow second = StartWindow(path, 2 * round + 1);
    for (int i = 0; i < 3; ++i) {
      REQUIRE(own.FlagNext());
      ++own_saved;
      usleep(static_cast<useconds_t>(700 * round + 331 * i));
    }
    const std::int64_t first_saved = Kill(first);
    const std::int64_t second_saved = Kill(second);
    const Result<SessionFile> session = LoadSession(path);
    REQUIRE(session);
    CAPTURE(round);
    CHECK(FlagsOf(*session, 0) == own_saved);
    // One more may be in the file and was not told any more.
    CHECK(FlagsOf(*session, 2 * round) >= first_saved);
    CHECK(FlagsOf(*session, 2 * round + 1) >= second_saved);
  }
}

}  // namespace
}  // namespace headscope
