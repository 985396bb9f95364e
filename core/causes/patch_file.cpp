#include "core/causes/patch_file.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/io/json.h"
#include "core/io/json_text.h"
#include "core/io/text_file.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPartStart = R"({"headscope_patch":1,)";
constexpr std::uint64_t kMostPartBytes = std::uint64_t{1} << 30U;

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(at);
    std::string_view piece = text.substr(0, end);
    pieces.push_back(piece);
    if (end == text.npos) {
      return pieces;
    }
    text.remove_prefix(end + 1);
  }
}

Json AboutJson(const PatchAbout& about) {
  Json json;
  json["model"] = about.model;
  json["fingerprint"] = about.fingerprint;
  json["what"] = about.what;
  json["direction"] = about.direction;
  json["texts"] = about.pairs;
  json["clean"] = about.clean;
  json["corrupted"] = about.corrupted;
  json["right"] = about.right;
  json["wrong"] = about.wrong;
  json["row"] = about.row ? Json(*about.row) : Json(nullptr);
  json["at"] = about.at ? Json(*about.at) : Json(nullptr);
  json["things"] = about.things;
  json["layers"] = about.layers;
  json["to"] = about.to;
  json["freezes_mlps"] = about.freezes_mlps;
  json["pairs"] = about.num_pairs;
  return json;
}

std::string TextOf(JsonValue json, std::string_view key) {
  const auto found = json.Find(key);
  return found ? std::string(found->Text().value_or("")) : "";
}

std::optional<std::int64_t> NumberOf(JsonValue json, std::string_view key) {
  const auto found = json.Find(key);
  return found ? found->Integer() : std::nullopt;
}

std::vector<std::string> ListOf(JsonValue json, std::string_view key) {
  std::vector<std::string> list;
  for (const JsonValue one : json.Find(key).value_or(JsonValue()).Array().value_or(JsonArray())) {
    list.emplace_back(one.Text().value_or(""));
  }
  return list;
}

PatchAbout AboutOf(JsonValue json) {
  return {.model = TextOf(json, "model"),
          .fingerprint = TextOf(json, "fingerprint"),
          .what = TextOf(json, "what"),
          .direction = TextOf(json, "direction"),
          .pairs = TextOf(json, "texts"),
          .clean = TextOf(json, "clean"),
          .corrupted = TextOf(json, "corrupted"),
          .right = TextOf(json, "right"),
          .wrong = TextOf(json, "wrong"),
          .row = NumberOf(json, "row"),
          .at = NumberOf(json, "at"),
          .things = ListOf(json, "things"),
          .layers = NumberOf(json, "layers").value_or(0),
          .to = ListOf(json, "to"),
          .freezes_mlps = json.Find("freezes_mlps").value_or(JsonValue()).Boolean().value_or(false),
          .num_pairs = NumberOf(json, "pairs").value_or(0)};
}

bool ReadPairOf(JsonValue json, PatchPart* part) {
  const auto pair = NumberOf(json, "pair");
  const auto number = [&](std::string_view key) {
    const auto found = json.Find(key);
    return found ? found->Number() : std::nullopt;
  };
  const auto clean = number("clean");
  const auto corrupted = number("corrupted");
  const auto metrics = json.Find("metrics").value_or(JsonValue()).Array();
  if (!pair || *pair < 0 || *pair >= part->about.num_pairs || !clean || !corrupted || !metrics) {
    return false;
  }
  PatchedPair made{*clean, *corrupted, {}};
  for (const JsonValue one : *metrics) {
    const auto metric = one.Number();
    if (!metric) {
      return false;
    }
    made.metrics.push_back(*metric);
  }
  const bool fits =
      part->about.things.empty()
          ? part->about.layers > 0 && std::ssize(made.metrics) % part->about.layers == 0
          : made.metrics.size() == part->about.things.size();
  if (fits) {
    part->done[*pair] = std::move(made);
  }
  return fits;
}

std::vector<PatchedPair> PairsOf(const PatchPart& part) {
  std::vector<PatchedPair> pairs;
  for (const auto& [index, pair] : part.done) {
    pairs.push_back(pair);
  }
  return pairs;
}

std::string ReadingName(const HeadReading& reading) {
  constexpr std::string_view kLetters = "qkv";
  return fmt::format(
      "{}:{}", HeadName(reading.head), kLetters[static_cast<std::size_t>(reading.input)]);
}

std::optional<PatchDirection> DirectionOf(const PatchPart& part) {
  return ParsePatchDirection(part.about.direction);
}

}  // namespace

Result<std::vector<PairLine>> ReadPairs(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto text, ReadTextFile(path));
  std::vector<PairLine> pairs;
  std::size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    line = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    if (line.empty()) {
      continue;
    }
    const std::vector<std::string_view> cells = Split(line, '\t');
    if (cells.size() != 4) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format("{}: line {}: expected 4 cells between tabs (clean, corrupted, right, "
                      "wrong), found {}",
                      path.string(),
                      number,
                      cells.size()));
    }
    const bool is_head = cells[0] == "clean" && cells[1] == "corrupted";
    if (!is_head || !pairs.empty()) {
      pairs.push_back({std::string(cells[0]),
                       std::string(cells[1]),
                       std::string(cells[2]),
                       std::string(cells[3]),
                       number});
    }
  }
  if (pairs.empty()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: it holds no pair, expected lines of clean, corrupted, right, wrong",
                    path.string()));
  }
  return pairs;
}

PatchAbout DescribePatching(const Model& model,
                            const PatchQuestion& question,
                            const std::vector<PairLine>& pairs,
                            PatchLengths lengths) {
  PatchAbout about;
  about.model = model.name();
  about.fingerprint = model.fingerprint();
  about.what = question.paths ? "path" : PatchName(question.what);
  about.direction = PatchName(question.direction);
  about.at = question.at;
  about.num_pairs = std::ssize(pairs);
  for (const PairLine& pair : pairs) {
    about.pairs +=
        fmt::format("{}\t{}\t{}\t{}\n", pair.clean, pair.corrupted, pair.right, pair.wrong);
  }
  if (pairs.size() == 1) {
    about.clean = pairs.front().clean;
    about.corrupted = pairs.front().corrupted;
    about.right = pairs.front().right;
    about.wrong = pairs.front().wrong;
  }
  if (question.paths) {
    about.freezes_mlps = question.paths->freezes_mlps;
    for (const HeadIndex head : question.paths->from) {
      about.things.push_back(HeadName(head));
    }
    about.things.emplace_back("together");
    for (const HeadReading& to : question.paths->to) {
      about.to.push_back(ReadingName(to));
    }
    if (about.to.empty()) {
      about.to.emplace_back("logits");
    }
  } else if (IsOfHeads(question.what)) {
    for (const HeadIndex head : HeadsTaken(model.description(), question, lengths)) {
      about.things.push_back(HeadName(head));
    }
  } else {
    about.layers = model.description().layers;
  }
  return about;
}

std::string PatchPairText(std::int64_t pair, const PatchedPair& patched) {
  Json json;
  json["pair"] = pair;
  json["clean"] = patched.clean;
  json["corrupted"] = patched.corrupted;
  json["metrics"] = patched.metrics;
  return JsonText(json) + "\n";
}

std::string PatchPartText(const PatchPart& part) {
  const std::string about = JsonText(AboutJson(part.about));
  std::string text = fmt::format("{}{}\n", kPartStart, about.substr(1));
  for (const auto& [pair, patched] : part.done) {
    text += PatchPairText(pair, patched);
  }
  return text;
}

bool IsPatchPart(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(kPartStart.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file && start == kPartStart;
}

Result<PatchPart> ReadPatchPart(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto text, ReadTextFile(path, kMostPartBytes));
  PatchPart part;
  bool is_first = true;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const auto json = JsonDocument::Parse(line, path.string());
    const bool is_last = end == rest.npos;
    const bool fits =
        json && (is_first ? line.starts_with(kPartStart) : ReadPairOf(json->root(), &part));
    if (!fits && (is_first || !is_last)) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: not what patch wrote of its pairs", path.string()));
    }
    if (is_first) {
      part.about = AboutOf(json->root());
      is_first = false;
    }
    rest.remove_prefix(is_last ? rest.size() : end + 1);
  }
  if (is_first) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: it is empty", path.string()));
  }
  return part;
}

Status MergePatchPart(PatchPart part, const std::string& name, PatchPart* whole) {
  if (part.about != whole->about) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: it is of another run of patch: the model, the texts or what is "
                            "asked differ",
                            name));
  }
  whole->done.merge(part.done);
  return {};
}

MeanLeads LeadsOf(const PatchPart& part) {
  MeanLeads sums;
  for (const auto& [number, pair] : part.done) {
    sums.clean += pair.clean;
    sums.corrupted += pair.corrupted;
  }
  const auto count = static_cast<double>(part.done.size());
  return {.clean = sums.clean / count, .corrupted = sums.corrupted / count};
}

Result<std::vector<PatchScore>> ScoresOf(const PatchPart& part) {
  const auto direction = DirectionOf(part);
  if (std::ssize(part.done) != part.about.num_pairs || !direction) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} of {} pairs are there; merge every share of the run",
                            part.done.size(),
                            part.about.num_pairs));
  }
  const std::vector<PatchedPair> pairs = PairsOf(part);
  const bool is_even = std::ranges::all_of(pairs, [&](const PatchedPair& pair) {
    return pair.metrics.size() == pairs.front().metrics.size();
  });
  if (!is_even) {
    return Fail(ErrorCode::kInput,
                "the pairs have texts of different lengths, and a map over positions needs one: "
                "take pairs of one length, or patch heads");
  }
  return ScoresOfPairs(pairs, *direction);
}

Result<std::string> PatchJson(const PatchPart& part) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(part));
  const PatchAbout& about = part.about;
  const std::vector<PatchedPair> pairs = PairsOf(part);
  const bool is_one = about.num_pairs == 1;
  Json json;
  json["model"] = about.model;
  json["clean"] = is_one ? Json(about.clean) : Json(nullptr);
  json["corrupted"] = is_one ? Json(about.corrupted) : Json(nullptr);
  json["right"] = is_one ? Json(about.right) : Json(nullptr);
  json["wrong"] = is_one ? Json(about.wrong) : Json(nullptr);
  json["row"] = about.row ? Json(*about.row) : Json(nullptr);
  json["what"] = about.what;
  json["direction"] = about.direction;
  json["at"] = about.at ? Json(*about.at) : Json(nullptr);
  if (!about.to.empty()) {
    json["to"] = about.to;
    json["freezes_mlps"] = about.freezes_mlps;
  }
  const MeanLeads leads = LeadsOf(part);
  json["clean_metric"] = leads.clean;
  json["corrupted_metric"] = leads.corrupted;
  const auto score_json = [&](const PatchScore& score) {
    Json one;
    one["score"] = score.score;
    if (score.error) {
      one["error"] = *score.error;
      one["restored"] = score.restored ? Json(*score.restored) : Json(nullptr);
    }
    return one;
  };
  json["scores"] = Json::array();
  json["stream"] = nullptr;
  for (std::size_t i = 0; i < about.things.size(); ++i) {
    Json one{{"head", about.things[i]}};
    one.update(score_json(scores[i]));
    if (about.things[i] == "together") {
      json["together"] = score_json(scores[i]);
    } else {
      json["scores"].push_back(std::move(one));
    }
  }
  if (about.things.empty()) {
    json["stream"] = Json::array();
    const std::size_t positions = scores.size() / static_cast<std::size_t>(about.layers);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (i % positions == 0) {
        json["stream"].push_back(Json::array());
      }
      json["stream"].back().push_back(scores[i].score);
    }
  }
  json["pairs"] = about.num_pairs;
  return JsonText(json, 1) + "\n";
}

Result<std::string> PatchCsv(const PatchPart& part) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(part));
  const bool is_of_heads = !part.about.things.empty();
  std::string csv =
      is_of_heads ? "head,score,error,restored" : "layer,position,score,error,restored";
  const std::string at = part.about.at ? fmt::format(",{}", *part.about.at) : "";
  csv += at.empty() ? "\n" : ",at\n";
  const std::size_t positions =
      is_of_heads ? 1 : scores.size() / static_cast<std::size_t>(part.about.layers);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    csv += is_of_heads ? part.about.things[i] : fmt::format("{},{}", i / positions, i % positions);
    csv += fmt::format(",{},{},{}{}\n",
                       scores[i].score,
                       scores[i].error ? fmt::format("{}", *scores[i].error) : "",
                       scores[i].restored ? fmt::format("{}", *scores[i].restored) : "",
                       at);
  }
  return csv;
}

}  // namespace headscope
