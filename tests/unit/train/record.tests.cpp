#include "core/train/record.h"

#include "core/base/atomic_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

// Every knob elsewhere than at first.
TrainSettings TurnedSettings() {
  TrainSettings settings;
  settings.shape = {.layers = 1,
                    .heads = 3,
                    .head_dim = 5,
                    .model_dim = 24,
                    .vocabulary = 40,
                    .context = 50,
                    .inner = 7,
                    .tied = true,
                    .fixed_positions = true,
                    .own_segments = true};
  settings.task = TrainTask::kMixture;
  settings.periods = {9, 11};
  settings.start = {.spread = 0.25, .alike = true, .noise = 1e-7, .ones = true};
  settings.batch = 3;
  settings.steps = 77;
  settings.rate = 0.1 + 0.2;  // no short decimal
  settings.warm_up = 13;
  settings.disagreement = 0.125;
  settings.seed = 0xFFFFFFFFFFFFFFFFU;
  settings.draws = false;
  settings.rows = "0123456789abcdef";
  return settings;
}

TEST_CASE("settings read back as they were written, to the last bit", "[train][record]") {
  for (const TrainSettings& settings : {TrainSettings(), TurnedSettings()}) {
    const auto read = ParseTrainSettings(TrainSettingsText(settings), "made");
    INFO((read ? "" : read.error().message));
    REQUIRE(read);
    CHECK(*read == settings);
    CHECK(SettingsDiffer(settings, *read).empty());
  }
  CHECK_FALSE(ParseTrainSettings("{\"task\": \"sing\"}", "made"));
  CHECK_FALSE(ParseTrainSettings("{", "made"));
}

TEST_CASE("the first knob that differs is named as its option, and steps may differ",
          "[train][record]") {
  TrainSettings other;
  other.steps = 5;
  CHECK(SettingsDiffer(TrainSettings(), other).empty());
  other.rate = 0.01;
  CHECK(SettingsDiffer(TrainSettings(), other) == "--rate is 0.003, there 0.01");
  other = TrainSettings();
  other.shape.own_segments = true;
  CHECK(SettingsDiffer(other, TrainSettings()) == "--own-segments is true, there false");
}

TEST_CASE("a record reads back with its lines", "[train][record]") {
  const test::TempFolder folder;
  CHECK_FALSE(HasTrainRecord(folder.path()));
  TrainRecord record{.settings = TurnedSettings()};
  TrainMeasures measures{.previous_token = {{0.5, 0.25}, {0.125, 1.0 / 3.0}},
                         .induction = {{0.0, 1.0}, {0.5, 0.5}},
                         .duplicate_token = {{0.0, 0.0}, {0.0, 0.0}},
                         .divergence = {0.25, std::nullopt}};
  measures.accuracy = {0.1, 0.2, 0.3, 1.0};
  record.lines = {{.step = 50, .loss = 1.0 / 3.0, .measures = measures},
                  {.step = 100, .loss = 2.5, .measures = {.divergence = {std::nullopt}}}};
  REQUIRE(WriteTrainRecord(folder.path(), record));
  CHECK(HasTrainRecord(folder.path()));
  const auto read = ReadTrainRecord(folder.path());
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  CHECK(read->settings == record.settings);
  REQUIRE(read->lines.size() == 2);
  CHECK(read->lines[0].step == 50);
  CHECK(read->lines[0].loss == 1.0 / 3.0);
  CHECK(read->lines[0].measures.previous_token == measures.previous_token);
  CHECK(read->lines[0].measures.induction == measures.induction);
  CHECK(read->lines[0].measures.divergence == measures.divergence);
  CHECK(read->lines[0].measures.accuracy == measures.accuracy);
  CHECK(read->lines[1].measures.induction.empty());
  CHECK_FALSE(read->lines[1].measures.accuracy);
}

TEST_CASE("a record that is torn or missing says so and names its file", "[train][record]") {
  const test::TempFolder folder;
  CHECK_THAT(ReadTrainRecord(folder.path()).error().message, test::Says("training.json"));
  for (const char* text : {"{\"settings\": {", "{}", "{\"settings\": {}, \"lines\": []}", "[]"}) {
    REQUIRE(WriteFileAtomically(folder / kTrainRecordFile, text));
    const auto read = ReadTrainRecord(folder.path());
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().message, test::Says("training.json"));
  }
}

TEST_CASE("a line of numbers has a time where one is given", "[train][record]") {
  const TrainLine line{.step = 7, .loss = 0.5, .measures = {.divergence = {0.25}}};
  CHECK(
      TrainLineText(line) ==
      R"({"step":7,"loss":0.5,"previous_token":null,"induction":null,"duplicate_token":null,"divergence":[0.25]})");
  CHECK_THAT(TrainLineText(line, 12.5), test::Says(R"("milliseconds":12.5})"));
}

}  // namespace
}  // namespace headscope
