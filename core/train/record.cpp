#include "core/train/record.h"

#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/io/json.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestRecord = std::uint64_t{64} << 20U;
constexpr std::int64_t kMostOfKnobs = std::int64_t{1} << 53U;
constexpr double kMostOfNumbers = std::numeric_limits<double>::max();

Json HeadTableJson(const HeadTable& table) {
  return table.empty() ? Json(nullptr) : Json(table);
}

Json LineJson(const TrainLine& line) {
  const TrainMeasures& measures = line.measures;
  Json json = {{"step", line.step},
               {"loss", line.loss},
               {"previous_token", HeadTableJson(measures.previous_token)},
               {"induction", HeadTableJson(measures.induction)},
               {"duplicate_token", HeadTableJson(measures.duplicate_token)}};
  json["divergence"] = Json::array();
  for (const std::optional<double>& one : measures.divergence) {
    json["divergence"].push_back(OrNull(one));
  }
  if (measures.accuracy) {
    for (std::size_t kind = 0; kind < kTargetKindNames.size(); ++kind) {
      json["accuracy"][std::string(kTargetKindNames[kind])] = (*measures.accuracy)[kind];
    }
  }
  return json;
}

// By the names of the command line's options.
Json SettingsJson(const TrainSettings& settings) {
  const TrainShape& shape = settings.shape;
  return {{"task", settings.task == TrainTask::kCopy ? "copy" : "mixture"},
          {"heads", shape.heads},
          {"head-dim", shape.head_dim},
          {"layers", shape.layers},
          {"model-dim", shape.model_dim},
          {"vocabulary", shape.vocabulary},
          {"context", shape.context},
          {"mlp", shape.inner},
          {"tied", shape.tied},
          {"sinusoids", shape.fixed_positions},
          {"own-segments", shape.own_segments},
          {"periods", {settings.periods.least, settings.periods.most}},
          {"batch", settings.batch},
          {"steps", settings.steps},
          {"rate", settings.rate},
          {"warmup", settings.warm_up},
          {"disagreement", settings.disagreement},
          {"spread", settings.start.spread},
          {"alike", settings.start.alike},
          {"noise", settings.start.noise},
          {"ones", settings.start.ones},
          {"seed", settings.seed},
          {"data", settings.rows.empty() ? Json(nullptr) : Json(settings.rows)}};
}

tl::unexpected<Error> NoRecord(const std::string& name, std::string_view what) {
  return Fail(
      ErrorCode::kFormat,
      fmt::format("{}: {}, expected what headscope train writes; train it again", name, what));
}

Result<HeadTable> ReadHeadTable(const JsonObject& json, const char* key) {
  HeadTable table;
  if (json.IsNull(key)) {
    return table;
  }
  HEADSCOPE_TRY(const auto layers, json.Array(key));
  for (const JsonValue& layer : layers.value_or(JsonArray())) {
    table.emplace_back();
    for (const JsonValue& head : layer.Array().value_or(JsonArray())) {
      table.back().push_back(head.Number().value_or(0.0));
    }
  }
  return table;
}

Result<TrainLine> ReadTrainLine(const JsonObject& json) {
  TrainLine line;
  HEADSCOPE_TRY(line.step, json.Integer("step", 0, kMostOfKnobs));
  HEADSCOPE_TRY(line.loss, json.Number("loss", -kMostOfNumbers, kMostOfNumbers));
  HEADSCOPE_TRY(line.measures.previous_token, ReadHeadTable(json, "previous_token"));
  HEADSCOPE_TRY(line.measures.induction, ReadHeadTable(json, "induction"));
  HEADSCOPE_TRY(line.measures.duplicate_token, ReadHeadTable(json, "duplicate_token"));
  HEADSCOPE_TRY(const auto divergence, json.Array("divergence"));
  for (const JsonValue& one : divergence.value_or(JsonArray())) {
    line.measures.divergence.push_back(one.Number());
  }
  HEADSCOPE_TRY(const auto accuracy, json.Object("accuracy"));
  if (accuracy) {
    auto& kinds = line.measures.accuracy.emplace();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      HEADSCOPE_TRY(kinds[kind], accuracy->Number(kTargetKindNames[kind], 0.0, 1.0));
    }
  }
  return line;
}

Result<TrainSettings> SettingsOf(const JsonObject& json) {
  TrainSettings settings;
  TrainShape& shape = settings.shape;
  HEADSCOPE_TRY(const std::string task, json.String("task"));
  const auto known = ParseTrainTask(task);
  if (!known) {
    return NoRecord(json.name(), fmt::format("\"task\" is \"{}\"", task));
  }
  settings.task = *known;
  const std::pair<const char*, std::int64_t*> counts[] = {{"heads", &shape.heads},
                                                          {"head-dim", &shape.head_dim},
                                                          {"layers", &shape.layers},
                                                          {"model-dim", &shape.model_dim},
                                                          {"vocabulary", &shape.vocabulary},
                                                          {"context", &shape.context},
                                                          {"mlp", &shape.inner},
                                                          {"batch", &settings.batch},
                                                          {"steps", &settings.steps},
                                                          {"warmup", &settings.warm_up}};
  for (const auto& [key, value] : counts) {
    HEADSCOPE_TRY(*value, json.Integer(key, 0, kMostOfKnobs));
  }
  const std::pair<const char*, bool*> switches[] = {{"tied", &shape.tied},
                                                    {"sinusoids", &shape.fixed_positions},
                                                    {"own-segments", &shape.own_segments},
                                                    {"alike", &settings.start.alike},
                                                    {"ones", &settings.start.ones}};
  for (const auto& [key, value] : switches) {
    HEADSCOPE_TRY(*value, json.Boolean(key, false));
  }
  const std::pair<const char*, double*> numbers[] = {{"rate", &settings.rate},
                                                     {"disagreement", &settings.disagreement},
                                                     {"spread", &settings.start.spread},
                                                     {"noise", &settings.start.noise}};
  for (const auto& [key, value] : numbers) {
    HEADSCOPE_TRY(*value, json.Number(key, 0.0, kMostOfNumbers));
  }
  const auto seed = json.Value("seed");
  if (!seed || !seed->Unsigned()) {
    return NoRecord(json.name(), "\"seed\" is no whole number");
  }
  settings.seed = *seed->Unsigned();
  HEADSCOPE_TRY(settings.rows, json.String("data", ""));
  settings.draws = settings.rows.empty();
  HEADSCOPE_TRY(const auto periods, json.Array("periods"));
  if (!periods || periods->size() != 2) {
    return NoRecord(json.name(), "\"periods\" are not two numbers");
  }
  settings.periods = {static_cast<std::int64_t>((*periods)[0].Number().value_or(0.0)),
                      static_cast<std::int64_t>((*periods)[1].Number().value_or(0.0))};
  return settings;
}

}  // namespace

std::string TrainLineText(const TrainLine& line, std::optional<double> milliseconds) {
  Json json = LineJson(line);
  if (milliseconds) {
    json["milliseconds"] = *milliseconds;
  }
  return JsonText(json);
}

std::string TrainSettingsText(const TrainSettings& settings) {
  return JsonText(SettingsJson(settings));
}

Result<TrainSettings> ParseTrainSettings(const std::string& text, const std::string& name) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(text, name));
  HEADSCOPE_TRY(const auto json, JsonObject::Root(document));
  return SettingsOf(json);
}

std::string SettingsDiffer(const TrainSettings& asked, const TrainSettings& there) {
  const Json one = SettingsJson(asked);
  const Json other = SettingsJson(there);
  for (const auto& [key, value] : one.items()) {
    if (key != "steps" && value != other[key]) {
      return fmt::format("--{} is {}, there {}", key, JsonText(value), JsonText(other[key]));
    }
  }
  return "";
}

Status WriteTrainRecord(const std::filesystem::path& folder, const TrainRecord& record) {
  Json json = {{"settings", SettingsJson(record.settings)}, {"lines", Json::array()}};
  for (const TrainLine& line : record.lines) {
    json["lines"].push_back(LineJson(line));
  }
  return WriteFileAtomically(folder / kTrainRecordFile, JsonInLines(json, {"lines"}));
}

bool HasTrainRecord(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / kTrainRecordFile, error);
}

Result<TrainRecord> ReadTrainRecord(const std::filesystem::path& folder) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(folder / kTrainRecordFile, kLargestRecord));
  HEADSCOPE_TRY(const auto json, JsonObject::Root(document));
  HEADSCOPE_TRY(const auto settings, json.Object("settings"));
  HEADSCOPE_TRY(const auto lines, json.Array("lines"));
  if (!settings || !lines) {
    return NoRecord(document.name(), "\"settings\" or \"lines\" is missing");
  }
  TrainRecord record;
  HEADSCOPE_TRY(record.settings, SettingsOf(*settings));
  for (const JsonValue& value : *lines) {
    const auto line = JsonObject::Of(value, document.name());
    if (!line) {
      return NoRecord(document.name(), "a line is no object");
    }
    HEADSCOPE_TRY(auto read, ReadTrainLine(*line));
    record.lines.push_back(std::move(read));
  }
  return record;
}

}  // namespace headscope
