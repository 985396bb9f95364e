#include "core/heads/scan/part_head.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/io/fields.h"

namespace headscope {
namespace {

constexpr std::int64_t kFormat = 2;
constexpr std::int64_t kMostHeads = 1 << 17;  // of a part
constexpr std::int64_t kMostTwins = 1000;
constexpr std::int64_t kMostBatches = std::int64_t{1} << 40U;

constexpr std::string_view kExpected =
    "expected a part that headscope score --shard wrote; make it again";

constexpr FieldNames<ModelPart, 2> kFirstParts = {
    {{{ModelPart::kWhole, PartName(ModelPart::kWhole)},
      {ModelPart::kEncoder, PartName(ModelPart::kEncoder)}}},
    ""};

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

// The other parts of an encoder-decoder, and why they are not scanned, are read and written by hand.
void EachField(FieldsOf<ScanAbout> auto& about, auto& visit) {
  const auto up_to = [](std::int64_t most) {
    return FieldRule{.most = static_cast<double>(most), .is_needed = true};
  };
  static const std::string kNoText = fmt::format("a text is none, {}", kExpected);
  const FieldRule texts{.is_needed = true, .wrong = kNoText};
  visit("model", about.model);
  visit("fingerprint", about.fingerprint);
  visit("probe", about.probe);
  visit("draw", about.draw);
  visit("seed", about.seed);
  visit("corpus", about.corpus);
  visit("sequences", about.sequences, up_to(kMostCount));
  visit("part", about.heads.part, kFirstParts);
  visit("layers", about.heads.layers, up_to(kMostHeads));
  visit("heads", about.heads.heads, up_to(kMostHeads));
  visit("groups", about.groups, texts);
  visit("notes", about.notes, texts);
  visit("twins", about.twins, up_to(kMostTwins));
  visit("batches", about.batches, up_to(kMostBatches));
  visit("no_copies", about.no_copies);
}

tl::unexpected<Error> Damaged(const std::string& name, std::string_view what) {
  return Fail(ErrorCode::kFormat, fmt::format("{}: {}, {}", name, what, kExpected));
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
  FieldReader reader(json.value(), [&json](std::string_view) { return json.name(); });
  EachField(about, reader);
  reader("no_targets", about.no_targets);
  HEADSCOPE_TRY(reader.status());
  HEADSCOPE_TRY(about.more_heads, ReadMoreHeads(json));
  const auto is_absurd = [](const HeadsOfScan& heads) {
    return static_cast<std::int64_t>(heads.count()) > kMostHeads;
  };
  if (is_absurd(about.heads) || std::ranges::any_of(about.more_heads, is_absurd)) {
    return Damaged(json.name(), "it names more heads than any model has");
  }
  return about;
}

std::string PartHeadText(const ScanAbout& about) {
  nlohmann::ordered_json json;
  json["headscope_scan_part"] = kFormat;
  FieldWriter writer(&json);
  EachField(about, writer);
  for (const HeadsOfScan& heads : about.more_heads) {
    json["more_heads"].push_back({PartName(heads.part), heads.layers, heads.heads});
  }
  writer("no_targets", about.no_targets, kSkipsEmpty);
  return JsonText(json) + "\n";
}

}  // namespace headscope
