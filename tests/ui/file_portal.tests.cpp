// The desktop's file chooser, against a session bus of the test's own.
#include "app/platform/file_portal.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/support/catch.h"
#include "tests/ui/fake_desktop.h"

namespace headscope::test {
namespace {

// What comes within five seconds.
std::optional<FileAnswer> Wait(FilePortal* portal) {
  for (int i = 0; i < 500; ++i) {
    if (std::optional<FileAnswer> answer = portal->Take()) {
      return answer;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

TEST_CASE("the desktop's chooser gives the path that was chosen", "[ui][portal]") {
  FakeDesktop desktop(true, 0, "file:///data/my%20model/caf%C3%A9.gguf");
  int woken = 0;
  FilePortal portal([&woken] { ++woken; });
  portal.Ask({.title = "Open", .folder = "/data", .endings_name = "Models", .endings = {".gguf"}});
  const auto answer = Wait(&portal);
  REQUIRE(answer);
  CHECK(answer->kind == FileAnswer::Kind::kChosen);
  CHECK(answer->path == "/data/my model/caf\xC3\xA9.gguf");
  CHECK(desktop.Asked().find("OpenFile") == 0);
  CHECK(desktop.Asked().find("*.gguf") != std::string::npos);
  CHECK(desktop.Asked().find("/data") != std::string::npos);
  CHECK_FALSE(portal.Take());  // once
}

TEST_CASE("a closed chooser and one that fails are told apart", "[ui][portal]") {
  {
    FakeDesktop desktop(true, 1, "");
    FilePortal portal([] {});
    portal.Ask({.kind = FileQuestion::Kind::kSave, .title = "Save", .name = "a.png"});
    const auto answer = Wait(&portal);
    REQUIRE(answer);
    CHECK(answer->kind == FileAnswer::Kind::kClosed);
    CHECK(desktop.Asked().find("a.png") != std::string::npos);
  }
  FakeDesktop desktop(true, 2, "");
  FilePortal portal([] {});
  portal.Ask({.kind = FileQuestion::Kind::kFolder, .title = "Folder"});
  const auto answer = Wait(&portal);
  REQUIRE(answer);
  CHECK(answer->kind == FileAnswer::Kind::kNoPortal);
}

TEST_CASE("without a portal, or without a bus, the answer says so", "[ui][portal]") {
  {
    FakeDesktop desktop(false, 0, "");
    FilePortal portal([] {});
    portal.Ask({.title = "Open"});
    const auto answer = Wait(&portal);
    REQUIRE(answer);
    CHECK(answer->kind == FileAnswer::Kind::kNoPortal);
  }
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all", 1);
  FilePortal portal([] {});
  portal.Ask({.title = "Open"});
  const auto answer = Wait(&portal);
  REQUIRE(answer);
  CHECK(answer->kind == FileAnswer::Kind::kNoPortal);
}

TEST_CASE("a chooser that is open does not keep the window from closing", "[ui][portal]") {
  // Never answers; or is closed while the call itself is still without a reply.
  const guint32 how = GENERATE(3U, 4U);
  FakeDesktop desktop(true, how, "");
  const auto start = std::chrono::steady_clock::now();
  {
    FilePortal portal([] {});
    portal.Ask({.title = "Open"});
    for (int i = 0; i < 500 && desktop.Asked().empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK_FALSE(desktop.Asked().empty());
    CHECK_FALSE(portal.Take());
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  for (int i = 0; i < 100 && !desktop.WasClosed(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(desktop.WasClosed());
}

}  // namespace
}  // namespace headscope::test
