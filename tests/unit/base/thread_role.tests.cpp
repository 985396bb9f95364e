#include "core/base/thread_role.h"

#include <string>
#include <thread>

#include "core/base/atomic_file.h"
#include "core/base/file_lock.h"
#include "core/base/mapped_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/violations.h"

namespace headscope {
namespace {

TEST_CASE("a thread has the role it was given, for as long, and no other has it",
          "[base][thread]") {
  CHECK(CurrentThreadRole() == ThreadRole::kNone);
  {
    const InThreadRole outer(ThreadRole::kWorker);
    {
      const InThreadRole inner(ThreadRole::kDrawing);
      CHECK(CurrentThreadRole() == ThreadRole::kDrawing);
      ThreadRole elsewhere = ThreadRole::kDrawing;
      std::thread([&elsewhere] { elsewhere = CurrentThreadRole(); }).join();
      CHECK(elsewhere == ThreadRole::kNone);
    }
    CHECK(CurrentThreadRole() == ThreadRole::kWorker);
  }
  CHECK(CurrentThreadRole() == ThreadRole::kNone);
}

TEST_CASE("what does not belong on the thread that draws is noticed there and nowhere else",
          "[base][thread]") {
  test::Violations violations;
  CheckNotDrawing("anything");
  CHECK(violations.works().empty());
  for (const ThreadRole role : {ThreadRole::kWorker, ThreadRole::kErrands}) {
    const InThreadRole own(role);
    CheckNotDrawing("anything");
    CHECK(violations.works().empty());
  }
  const InThreadRole drawing(ThreadRole::kDrawing);
  CheckNotDrawing("opening a model");
  CHECK(violations.works() == std::vector<std::string>{"opening a model"});
}

TEST_CASE("files are neither read, written nor locked by the thread that draws", "[base][thread]") {
  const test::TempFolder folder;
  const auto path = folder.Write("a.txt", "words");
  test::Violations violations;
  const InThreadRole drawing(ThreadRole::kDrawing);
  CHECK(MappedFile::Open(path).has_value());
  CHECK(WriteFileAtomically(path, std::string_view("other")).has_value());
  CHECK(FileLock::Take(path, std::chrono::milliseconds(0)).has_value());
  CHECK(violations.works() ==
        std::vector<std::string>{"reading a file", "writing a file", "waiting for a lock"});
}

}  // namespace
}  // namespace headscope
