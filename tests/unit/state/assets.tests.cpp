// What is found beside a bundled model, and how its name reads.
#include "app/state/assets.h"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

TEST_CASE("a name says its family and number of heads", "[state][assets]") {
  const auto member = ParseFamilyMember("gpt-h16");
  REQUIRE(member);
  CHECK(member->family == "gpt");
  CHECK(member->heads == 16);
  CHECK_FALSE(ParseFamilyMember("gpt-large"));
  CHECK_FALSE(ParseFamilyMember("gpt-hx"));
  CHECK_FALSE(ParseFamilyMember("gpt-h"));
  CHECK_FALSE(ParseFamilyMember("-h4"));
  CHECK_FALSE(ParseFamilyMember("probe"));
}

TEST_CASE("checkpoints are the step folders that hold a model, in order", "[state][assets]") {
  const test::TempFolder folder;
  const std::filesystem::path root = folder.path();
  for (const char* name : {"step-1024", "step-0", "step-64", "step-x", "other-3"}) {
    std::filesystem::create_directories(root / name);
    std::ofstream(root / name / "config.json") << "{}";
  }
  std::filesystem::create_directories(root / "step-7");  // holds no model
  CHECK(CheckpointSteps(root) == std::vector<std::int64_t>{0, 64, 1024});
  CHECK(CheckpointSteps(root / "nothing").empty());
}

}  // namespace
}  // namespace headscope
