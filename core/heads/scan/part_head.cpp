#include "core/heads/scan/part_head.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace headscope {
namespace {

constexpr std::int64_t kFormat = 2;
constexpr std::int64_t kMostHeads = 1 << 17;  // of a part
constexpr std::int64_t kMostTwins = 1000;
constexpr std::int64_t kMostBatches = std::int64_t{1} << 40U;

Result<std::vector<std::string>> ReadTexts(const JsonObject& json, std::string_view key) {
  std::vector<std::string> texts;
  HEADSCOPE_TRY(const auto array, json.Array(key));
  for (const JsonValue& value : array ? *array : JsonArray()) {
    const auto text = value.Text();
    if (!text) {
      return Damaged(json.name(), "a text is none");
    }
    texts.emplace_back(*text);
  }
  return texts;
}

// ["decoder", layers, heads], ["cross", layers, heads]; none of a model of one stack.
Result<std::vector<HeadsOfScan>> ReadMoreHeads(const JsonObject& json) {
  std::vector<HeadsOfScan> parts;
  HEADSCOPE_TRY(const auto array, json.Array("more_heads"));
  constexpr std::array kParts = {ModelPart::kDecoder, ModelPart::kCross};
  for (const JsonValue& value : array ? *array : JsonArray()) {
    const JsonArray entry = value.Array().value_or(JsonArray());
    const bool is_whole = entry.size() == 3 && parts.size() < kParts.size() &&
                          entry[0].Text() == PartName(kParts[parts.size()]);
    const std::int64_t layers = is_whole ? entry[1].Integer().value_or(-1) : -1;
    const std::int64_t heads = is_whole ? entry[2].Integer().value_or(-1) : -1;
    if (layers < 0 || layers > kMostHeads || heads < 0 || heads > kMostHeads) {
      return Damaged(json.name(), "its parts are not a decoder and cross-attention");
    }
    parts.push_back({kParts[parts.size()], layers, heads});
  }
  return parts;
}

}  // namespace

tl::unexpected<Error> Damaged(const std::string& name, std::string_view what) {
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: {}, expected a part that headscope score --shard wrote; make it "
                          "again",
                          name,
                          what));
}

Result<ScanAbout> ReadAbout(const JsonObject& json) {
  const auto format = json.Integer("headscope_scan_part", 0, kMostCount, 0);
  if (!format || *format == 0) {
    return Damaged(json.name(), "\"headscope_scan_part\" is missing");
  }
  if (*format != kFormat) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: a part of format {}, from a newer version; this one reads {}",
                            json.name(),
                            *format,
                            kFormat));
  }
  ScanAbout about;
  for (const auto& [key, to] : {std::pair("model", &about.model),
                                std::pair("fingerprint", &about.fingerprint),
                                std::pair("probe", &about.probe),
                                std::pair("draw", &about.draw),
                                std::pair("corpus", &about.corpus),
                                std::pair("no_targets", &about.no_targets),
                                std::pair("no_copies", &about.no_copies)}) {
    HEADSCOPE_TRY(auto text, json.String(key, ""));
    *to = std::move(text);
  }
  const auto seed = json.Value("seed");
  about.seed = seed ? seed->Unsigned().value_or(0) : 0;
  for (const auto& [key, most, to] : {std::tuple("sequences", kMostCount, &about.sequences),
                                      std::tuple("layers", kMostHeads, &about.heads.layers),
                                      std::tuple("heads", kMostHeads, &about.heads.heads),
                                      std::tuple("twins", kMostTwins, &about.twins),
                                      std::tuple("batches", kMostBatches, &about.batches)}) {
    HEADSCOPE_TRY(const auto count, json.Integer(key, 0, most));
    *to = count;
  }
  HEADSCOPE_TRY(auto part, json.String("part", "attention"));
  about.heads.part = part == "encoder" ? ModelPart::kEncoder : ModelPart::kWhole;
  HEADSCOPE_TRY(auto more, ReadMoreHeads(json));
  about.more_heads = std::move(more);
  const auto is_absurd = [](const HeadsOfScan& heads) {
    return static_cast<std::int64_t>(heads.count()) > kMostHeads;
  };
  if (is_absurd(about.heads) || std::ranges::any_of(about.more_heads, is_absurd)) {
    return Damaged(json.name(), "it names more heads than any model has");
  }
  HEADSCOPE_TRY(auto groups, ReadTexts(json, "groups"));
  about.groups = std::move(groups);
  HEADSCOPE_TRY(auto notes, ReadTexts(json, "notes"));
  about.notes = std::move(notes);
  return about;
}

std::string PartHeadText(const ScanAbout& about) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["headscope_scan_part"] = kFormat;
  json["model"] = about.model;
  json["fingerprint"] = about.fingerprint;
  json["probe"] = about.probe;
  json["draw"] = about.draw;
  json["seed"] = about.seed;
  json["corpus"] = about.corpus;
  json["sequences"] = about.sequences;
  json["part"] = PartName(about.heads.part);
  json["layers"] = about.heads.layers;
  json["heads"] = about.heads.heads;
  json["groups"] = about.groups;
  json["notes"] = about.notes;
  json["twins"] = about.twins;
  json["batches"] = about.batches;
  json["no_copies"] = about.no_copies;
  for (const HeadsOfScan& heads : about.more_heads) {
    json["more_heads"].push_back(Json::array({PartName(heads.part), heads.layers, heads.heads}));
  }
  if (!about.no_targets.empty()) {
    json["no_targets"] = about.no_targets;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace headscope
