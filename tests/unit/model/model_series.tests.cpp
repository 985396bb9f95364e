// What is found beside a model and in it, and how its name reads.
#include "core/model/model_series.h"

#include <filesystem>
#include <fstream>

#include "core/model/model_folder.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

TEST_CASE("a name says its family and number of heads", "[model][series]") {
  const auto member = ParseFamilyMember("gpt-h16");
  REQUIRE(member);
  CHECK(member->family == "gpt");
  CHECK(member->heads == 16);
  for (const char* name : {"copy-h4-2", "copy-h4-seed2", "copy-h4-seed-2"}) {
    const auto run = ParseFamilyMember(name);
    REQUIRE(run);
    CHECK(run->family == "copy");
    CHECK(run->heads == 4);
  }
  CHECK_FALSE(ParseFamilyMember("copy-h4-x"));
  CHECK_FALSE(ParseFamilyMember("copy-h4-seed"));
  CHECK_FALSE(ParseFamilyMember("copy-h4-seed-"));
  CHECK_FALSE(ParseFamilyMember("copy-h4-seed-1-2"));  // the same seed with other knobs
  CHECK_FALSE(ParseFamilyMember("gpt-large"));
  CHECK_FALSE(ParseFamilyMember("gpt-hx"));
  CHECK_FALSE(ParseFamilyMember("gpt-h"));
  CHECK_FALSE(ParseFamilyMember("-h4"));
  CHECK_FALSE(ParseFamilyMember("probe"));
}

TEST_CASE("checkpoints are the step folders that hold a model, in order", "[model][series]") {
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

TEST_CASE("checkpoints of other trainings keep their folders' names", "[model][series]") {
  const test::TempFolder folder;
  const std::filesystem::path root = folder.path();
  for (const char* name : {"checkpoint-500",
                           "checkpoint-1500",
                           "step-000064",
                           "step-",
                           "checkpoint-last",
                           "step--3"}) {
    std::filesystem::create_directories(root / name);
    std::ofstream(root / name / "config.json") << "{}";
  }
  CHECK(FindSeries(root).checkpoints == std::vector<SeriesModel>{{root / "step-000064", 64},
                                                                 {root / "checkpoint-500", 500},
                                                                 {root / "checkpoint-1500", 1500}});
  CHECK(FindSeries(root / "checkpoint-500") == FindSeries(root));
  CHECK(CheckpointSteps(root).empty());  // none is step-<N>
  CHECK(ModelName("/runs/mine/checkpoint-500") == "mine/checkpoint-500");
  CHECK(ModelName("/runs/mine/checkpoint-last") == "checkpoint-last");
}

TEST_CASE("a series is the checkpoints of a training, or the family of head counts",
          "[model][series]") {
  const test::TempFolder folder;
  const std::filesystem::path root = folder.path();
  for (const char* name : {"a-h8", "a-h8/step-200", "a-h8/step-1000", "a-h16", "a-h2", "b-h4"}) {
    std::filesystem::create_directories(root / name);
    std::ofstream(root / name / "config.json") << "{}";
  }
  std::filesystem::create_directories(root / "a-h4");  // holds no model
  const ModelSeries whole = FindSeries(root / "a-h8");
  CHECK(whole.checkpoints == std::vector<SeriesModel>{{root / "a-h8/step-200", 200},
                                                      {root / "a-h8/step-1000", 1000},
                                                      {root / "a-h8", 0, true}});
  CHECK(whole.head_counts == std::vector<SeriesModel>{{root / "a-h2", 2, true},
                                                      {root / "a-h8", 8, true},
                                                      {root / "a-h16", 16, true}});
  CHECK(FindSeries(root / "a-h8/step-200") == whole);
  CHECK(FindSeries(root / "a-h8/step-200/").checkpoints.front().folder == root / "a-h8/step-200/");
  CHECK(FindSeries(root / "a-h16").checkpoints.empty());
  CHECK(FindSeries(root / "a-h16").head_counts == whole.head_counts);
  CHECK(whole.family == std::vector<SeriesModel>{{root / "a-h2", 0, true},
                                                 {root / "a-h8/step-200", 200},
                                                 {root / "a-h8/step-1000", 1000},
                                                 {root / "a-h8", 0, true},
                                                 {root / "a-h16", 0, true}});
  CHECK(FindSeries(root / "a-h16").family == whole.family);
  CHECK(FindSeries(root / "b-h4") == ModelSeries{});
  CHECK(FindSeries(root / "nothing/there") == ModelSeries{});
}

TEST_CASE("a family over steps needs two trainings and a checkpoint", "[model][series]") {
  const test::TempFolder folder;
  const std::filesystem::path root = folder.path();
  const auto make = [&](const char* name) {
    std::filesystem::create_directories(root / name);
    std::ofstream(root / name / "config.json") << "{}";
  };
  make("a-h4/step-0");  // a training that has no end yet
  CHECK(FindSeries(root / "a-h4/step-0").family.empty());
  make("a-h4-seed-2/step-0");
  const std::vector<SeriesModel> both = {{root / "a-h4/step-0", 0},
                                         {root / "a-h4-seed-2/step-0", 0}};
  CHECK(FindSeries(root / "a-h4/step-0").family == both);
  CHECK(FindSeries(root / "a-h4/step-0").head_counts.empty());
  make("b-h2");
  make("b-h4");
  CHECK(FindSeries(root / "b-h2").family.empty());
}

}  // namespace
}  // namespace headscope
