#include "core/heads/scan/score_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/io/json.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostOfScores = std::int64_t{1} << 40U;
constexpr std::int64_t kMostIndex = 1 << 17;
constexpr double kMostNumber = std::numeric_limits<double>::max();

tl::unexpected<Error> NoScores(const std::string& name, std::string_view what) {
  return Fail(
      ErrorCode::kFormat,
      fmt::format(
          "{}: {}, expected the JSON that headscope score writes; make it again", name, what));
}

Result<std::optional<double>> NumberOrNone(const JsonObject& json, std::string_view key) {
  if (!json.Has(key) || json.IsNull(key)) {
    return std::optional<double>();
  }
  HEADSCOPE_TRY(const double number, json.Number(key, -kMostNumber, kMostNumber));
  return std::optional(number);
}

Result<HeadScore> ReadHeadScore(const JsonObject& json) {
  HeadScore score;
  HEADSCOPE_TRY(score.score, NumberOrNone(json, "score"));
  HEADSCOPE_TRY(score.error, NumberOrNone(json, "error"));
  HEADSCOPE_TRY(score.chance, NumberOrNone(json, "chance"));
  HEADSCOPE_TRY(score.control, NumberOrNone(json, "control"));
  HEADSCOPE_TRY(score.hits, NumberOrNone(json, "argmax_rate"));
  HEADSCOPE_TRY(score.rows, json.Integer("queries", 0, kMostOfScores, 0));
  return score;
}

Result<Verdict> ReadVerdict(const JsonObject& json) {
  HEADSCOPE_TRY(const std::string name, json.String("verdict", ""));
  for (const Verdict verdict : {Verdict::kBorderline, Verdict::kStrong}) {
    if (VerdictName(verdict) == name) {
      return verdict;
    }
  }
  return NoScores(json.name(), fmt::format("\"verdict\" is \"{}\"", name));
}

Result<Suggestion> ReadSuggestion(const JsonObject& json, HeadIndex head) {
  Suggestion one;
  one.head = head;
  HEADSCOPE_TRY(one.role, json.String("role"));
  HEADSCOPE_TRY(one.metric, json.String("metric"));
  HEADSCOPE_TRY(one.relation, json.String("relation", ""));
  HEADSCOPE_TRY(one.direction, json.String("direction", ""));
  HEADSCOPE_TRY(one.verdict, ReadVerdict(json));
  HEADSCOPE_TRY(one.score, json.Number("score", -kMostNumber, kMostNumber));
  HEADSCOPE_TRY(one.error, NumberOrNone(json, "error"));
  HEADSCOPE_TRY(one.chance, NumberOrNone(json, "chance"));
  HEADSCOPE_TRY(one.control, NumberOrNone(json, "control"));
  HEADSCOPE_TRY(one.control_kind, json.String("control_kind", ""));
  HEADSCOPE_TRY(one.twin, NumberOrNone(json, "twin"));
  HEADSCOPE_TRY(one.cases, json.Integer("cases", 0, kMostOfScores, 0));
  HEADSCOPE_TRY(one.sequences, json.Integer("sequences", 0, kMostOfScores, 0));
  HEADSCOPE_TRY(one.p_corrected, NumberOrNone(json, "p_corrected"));
  HEADSCOPE_TRY(one.stability, NumberOrNone(json, "stability"));
  HEADSCOPE_TRY(one.why, json.String("why", ""));
  return one;
}

struct ReadHead {
  HeadIndex head;
  JsonObject scores;
  JsonArray suggested;
};

Result<JsonObject> ObjectOf(JsonValue value, const std::string& name) {
  auto object = JsonObject::Of(value, name);
  if (!object) {
    return NoScores(name, "a head is no object");
  }
  return *object;
}

Result<ReadHead> ReadOneHead(JsonValue value, const std::string& name) {
  HEADSCOPE_TRY(const auto json, ObjectOf(value, name));
  HEADSCOPE_TRY(const std::string words, json.String("head"));
  const auto head = ParseHeadName(words);
  HEADSCOPE_TRY(const auto scores, json.Object("scores"));
  if (!head || !scores || head->layer > kMostIndex || head->head > kMostIndex) {
    return NoScores(name, fmt::format("\"{}\" is no head with scores", words));
  }
  HEADSCOPE_TRY(const auto suggested, json.Array("suggested"));
  return ReadHead{*head, *scores, suggested.value_or(JsonArray())};
}

// The heads of one part, in the order of their places.
Result<ScoreReport> ReportOfHeads(const ScanAbout& about,
                                  std::span<const ReadHead> heads,
                                  const std::string& name) {
  ScoreReport report{.about = about, .scores = {}, .suggested = {}};
  const HeadIndex last = heads.back().head;
  report.about.heads = {last.part, last.layer + 1, last.head + 1};
  if (std::ssize(heads) != (last.layer + 1) * (last.head + 1)) {
    return NoScores(name, "some of its heads are missing");
  }
  for (std::size_t place = 0; place < heads.size(); ++place) {
    if (heads[place].head != report.about.heads.At(place)) {
      return NoScores(name, "its heads are not in order");
    }
    const JsonFields fields = heads[place].scores.Fields();
    if (place == 0) {
      for (const JsonField& field : fields) {
        report.scores.push_back({.id = std::string(field.key)});
      }
    }
    if (fields.size() != report.scores.size()) {
      return NoScores(name, "its heads have different scores");
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].key != report.scores[i].id) {
        return NoScores(name, "its heads have different scores");
      }
      HEADSCOPE_TRY(const auto json, ObjectOf(fields[i].value, name));
      HEADSCOPE_TRY(auto score, ReadHeadScore(json));
      report.scores[i].heads.push_back(std::move(score));
    }
    for (const JsonValue& value : heads[place].suggested) {
      HEADSCOPE_TRY(const auto json, ObjectOf(value, name));
      HEADSCOPE_TRY(auto one, ReadSuggestion(json, heads[place].head));
      report.suggested.push_back(std::move(one));
    }
  }
  for (NamedScores& scores : report.scores) {
    if (std::ranges::none_of(scores.heads, [](const HeadScore& one) { return !!one.score; })) {
      const auto json = heads.front().scores.Object(scores.id);
      HEADSCOPE_TRY(scores.why_not, (*json)->String("why_not", ""));
    }
  }
  return report;
}

Result<std::vector<AblatedHead>> ReadControls(const JsonObject& json) {
  std::vector<AblatedHead> controls;
  HEADSCOPE_TRY(const auto names, json.Array("controls"));
  for (const JsonValue& value : names.value_or(JsonArray())) {
    controls.emplace_back().head = ParseHeadName(value.Text().value_or("")).value_or(HeadIndex());
  }
  return controls;
}

Result<HeadAblation> ReadAblation(JsonValue value, const std::string& name) {
  HEADSCOPE_TRY(const auto json, ObjectOf(value, name));
  HeadAblation ablation;
  HEADSCOPE_TRY(const std::string words, json.String("head"));
  const auto head = ParseHeadName(words);
  if (!head) {
    return NoScores(name, fmt::format("\"{}\" is no head", words));
  }
  ablation.own.head = *head;
  HEADSCOPE_TRY(ablation.own.loss, json.Number("loss", -kMostNumber, kMostNumber));
  HEADSCOPE_TRY(ablation.own.tokens, json.Integer("tokens", 0, kMostOfScores));
  HEADSCOPE_TRY(ablation.own.texts, json.Integer("sequences", 0, kMostOfScores));
  HEADSCOPE_TRY(ablation.controls, ReadControls(json));
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    HEADSCOPE_TRY(const auto change, json.Object(AblationName(kAblationKinds[kind])));
    if (!change) {
      return NoScores(name, fmt::format("an ablation of {} is not whole", words));
    }
    AblatedHead::Change& own = ablation.own.changes[kind];
    HEADSCOPE_TRY(own.change, NumberOrNone(*change, "change"));
    HEADSCOPE_TRY(own.error, NumberOrNone(*change, "error"));
    HEADSCOPE_TRY(own.why_not, change->String("why_not", ""));
    HEADSCOPE_TRY(const auto others, change->Array("control_changes"));
    const JsonArray values = others.value_or(JsonArray());
    for (std::size_t i = 0; i < std::min(values.size(), ablation.controls.size()); ++i) {
      ablation.controls[i].changes[kind].change = values[i].Number();
    }
  }
  return ablation;
}

// What the model is compared by; none of it where the file has none.
Result<std::optional<ModelNumbers>> ReadNumbersOf(const JsonObject& json) {
  HEADSCOPE_TRY(const auto loss, json.Object("loss"));
  HEADSCOPE_TRY(const auto overlap, json.Object("overlap"));
  if (!loss && !overlap) {
    return std::optional<ModelNumbers>();
  }
  ModelNumbers numbers;
  if (loss) {
    MeanOfRuns& mean = numbers.loss.emplace();
    HEADSCOPE_TRY(mean.mean, loss->Number("score", -kMostNumber, kMostNumber));
    HEADSCOPE_TRY(mean.error, NumberOrNone(*loss, "error"));
    HEADSCOPE_TRY(const std::int64_t texts, loss->Integer("texts", 0, kMostOfScores, 0));
    mean.runs = static_cast<std::size_t>(texts);
    HEADSCOPE_TRY(const std::string of, loss->String("of", ""));
    numbers.is_of_repeats = of == "repeats";
  }
  if (overlap) {
    SubspaceOverlap& found = numbers.overlap.emplace();
    HEADSCOPE_TRY(found.overlap, overlap->Number("score", -kMostNumber, kMostNumber));
    HEADSCOPE_TRY(found.chance, overlap->Number("chance", -kMostNumber, kMostNumber));
  }
  return std::optional(numbers);
}

}  // namespace

Result<ScoreFile> ReadScores(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(path, kLargestScoreFile));
  HEADSCOPE_TRY(const auto json, JsonObject::Root(document));
  const std::string& name = document.name();
  HEADSCOPE_TRY(const auto entries, json.Array("heads"));
  if (!entries || entries->empty()) {
    return NoScores(name, "\"heads\" is missing");
  }
  ScanAbout about;
  HEADSCOPE_TRY(about.model, json.String("model", ""));
  HEADSCOPE_TRY(about.fingerprint, json.String("fingerprint", ""));
  HEADSCOPE_TRY(about.probe, json.String("probe", ""));
  HEADSCOPE_TRY(about.draw, json.String("draw", ""));
  HEADSCOPE_TRY(about.sequences, json.Integer("sequences", 0, kMostOfScores, 0));
  std::vector<ReadHead> heads;
  for (const JsonValue& value : *entries) {
    HEADSCOPE_TRY(auto head, ReadOneHead(value, name));
    heads.push_back(std::move(head));
  }
  std::vector<ScoreReport> parts;
  for (auto first = heads.begin(); first != heads.end();) {
    const auto end = std::find_if(first, heads.end(), [&](const ReadHead& head) {
      return head.head.part != first->head.part;
    });
    HEADSCOPE_TRY(auto report, ReportOfHeads(about, std::span(first, end), name));
    parts.push_back(std::move(report));
    first = end;
  }
  ScoreFile file{.report = std::move(parts.front()), .ablations = {}};
  file.report.more.assign(std::make_move_iterator(parts.begin() + 1),
                          std::make_move_iterator(parts.end()));
  HEADSCOPE_TRY(file.report.numbers, ReadNumbersOf(json));
  HEADSCOPE_TRY(const auto ablations, json.Array("ablations"));
  for (const JsonValue& value : ablations.value_or(JsonArray())) {
    HEADSCOPE_TRY(auto ablation, ReadAblation(value, name));
    file.ablations.push_back(std::move(ablation));
  }
  return file;
}

HeadScanReport ScanOfFiles(std::span<const ScoreFile> files) {
  HeadScanReport scan;
  for (const ScoreFile& file : files) {
    const ScanAbout& about = file.report.about;
    const bool is_of_repeats = !about.draw.empty();
    if (!is_of_repeats) {
      scan.probe.kind = about.probe == "retrieval" ? ProbeKind::kRetrieval : ProbeKind::kFile;
      scan.probe.file = about.probe;
      scan.all_sentences = about.sequences;
    }
    scan.more.resize(std::max(scan.more.size(), file.report.more.size()));
    (is_of_repeats ? scan.repeats : scan.sentences) = ProbeScores{file.report, {}};
    for (std::size_t part = 0; part < file.report.more.size(); ++part) {
      HeadScanReport& more = scan.more[part];
      more.probe = scan.probe;
      (is_of_repeats ? more.repeats : more.sentences) = ProbeScores{file.report.more[part], {}};
    }
  }
  // What is not there is not awaited.
  const auto end = [](HeadScanReport* report) {
    report->why_no_repeats = report->repeats ? "" : "not given";
    report->why_no_sentences = report->sentences ? "" : "not given";
    report->is_measured = true;
  };
  end(&scan);
  std::ranges::for_each(scan.more, [&](HeadScanReport& part) { end(&part); });
  return scan;
}

}  // namespace headscope
