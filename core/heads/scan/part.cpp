#include "core/heads/scan/part.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/mapped_file.h"
#include "core/base/parse_number.h"
#include "core/heads/probe/target.h"
#include "core/heads/scan/part_head.h"
#include "core/heads/scan/part_text.h"
#include "core/io/json.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostPartBytes = std::uint64_t{3} << 30U;

Json SumsJson(const MetricSums& sums) {
  Json json = Json::array({sums.rows, sums.control_rows, sums.sequences});
  for (const auto member : HeadSums::kAll) {
    json.push_back(Json::array());
    for (const HeadSums& head : sums.heads) {
      json.back().push_back(head.*member);
    }
  }
  return json;
}

Status ReadSums(const JsonValue& value,
                const HeadsOfScan& heads,
                const std::string& name,
                MetricSums* sums) {
  const auto parts = value.Array();
  if (!parts || parts->size() != 3 + HeadSums::kAll.size()) {
    return Damaged(name, "the sums of a metric are not complete");
  }
  std::array<std::int64_t*, 3> counts = {&sums->rows, &sums->control_rows, &sums->sequences};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = (*parts)[i].Integer();
    if (!count || *count < 0 || *count > kMostCount) {
      return Damaged(name, "a count is no number of rows");
    }
    *counts[i] = *count;
  }
  for (std::size_t i = 0; i < HeadSums::kAll.size(); ++i) {
    const auto column = (*parts)[i + 3].Array();
    if (!column || column->size() != heads.count()) {
      return Damaged(name, "there is not one sum for each head");
    }
    for (std::size_t head = 0; head < heads.count(); ++head) {
      const auto number = (*column)[head].Number();
      if (!number) {
        return Damaged(name, "a sum is no number");
      }
      sums->heads[head].*HeadSums::kAll[i] = *number;
    }
  }
  return {};
}

bool ReadBits(const JsonValue& value, std::size_t heads, HeadBits* bits) {
  const std::string_view text = value.Text().value_or("");
  bits->assign((heads + 63) / 64, 0);
  if (text.size() != 16 * bits->size()) {
    return false;
  }
  for (std::size_t i = 0; i < bits->size(); ++i) {
    const auto word = ParseAs<std::uint64_t>(text.substr(16 * i, 16), 16);
    if (!word) {
      return false;
    }
    (*bits)[i] = *word;
  }
  return true;
}

Result<PairCase> ReadPair(const JsonValue& value, const ScanAbout& about, const std::string& name) {
  PairCase pair;
  const JsonArray parts = value.Array().value_or(JsonArray());
  bool is_whole = parts.size() == 10;
  const auto number = [&](std::size_t i, std::int64_t least, std::int64_t most) {
    const auto found = is_whole ? parts[i].Integer() : std::nullopt;
    is_whole = found && *found >= least && *found <= most;
    return found.value_or(0);
  };
  pair.sentence = number(0, 0, kMostCount);
  pair.direction = static_cast<PairDirection>(number(2, 0, 3));
  pair.offset = number(3, -kMostCount, kMostCount);
  pair.candidates = number(4, 1, kMostCount);
  pair.targets = number(9, 1, kMostCount);
  if (!is_whole || !ReadBits(parts[7], about.heads.count(), &pair.right) ||
      !ReadBits(parts[8], about.heads.count(), &pair.popular)) {
    return Damaged(name, "a pair of words is not complete");
  }
  pair.relation = parts[1].Text().value_or("");
  pair.rarest = parts[5].Boolean().value_or(false);
  pair.pieces_or_nearest = parts[6].Boolean().value_or(false);
  return pair;
}

// The members of each head, of all or none.
template <typename Head>
Status ReadHeads(const JsonArray& all,
                 std::size_t heads,
                 const std::string& name,
                 std::vector<Head>* to) {
  if (!all.empty() && all.size() != heads) {
    return Damaged(name, "there are not sums for each head");
  }
  for (const JsonValue& value : all) {
    const JsonArray numbers = value.Array().value_or(JsonArray());
    if (numbers.size() != Head::kAll.size()) {
      return Damaged(name, "the sums of a head are not complete");
    }
    to->emplace_back();
    for (std::size_t i = 0; i < Head::kAll.size(); ++i) {
      const auto number = numbers[i].Number();
      if (!number) {
        return Damaged(name, "a sum is no number");
      }
      to->back().*Head::kAll[i] = *number;
    }
  }
  return {};
}

template <typename Head>
Json HeadsJson(const std::vector<Head>& heads) {
  Json json = Json::array();
  for (const Head& head : heads) {
    json.push_back(Json::array());
    for (const auto member : Head::kAll) {
      json.back().push_back(head.*member);
    }
  }
  return json;
}

Status ReadMeans(const JsonObject& json, std::size_t heads, MeanTotals* means) {
  HEADSCOPE_TRY(const auto array, json.Array("means"));
  for (const JsonValue& value : array ? *array : JsonArray()) {
    const JsonArray entry = value.Array().value_or(JsonArray());
    const auto id = entry.size() == 2 ? entry[0].Text() : std::nullopt;
    const auto all = entry.size() == 2 ? entry[1].Array() : std::nullopt;
    if (!id || !all || all->size() != heads) {
      return Damaged(json.name(), "a mean has not its name and a sum for each head");
    }
    HEADSCOPE_TRY(ReadHeads(*all, heads, json.name(), &(*means)[std::string(*id)]));
  }
  return {};
}

Json PairsJson(const HeadPairs& pairs) {
  return pairs.rows > 0.0 ? Json::array({pairs.rows, pairs.apart, pairs.shared}) : Json::array();
}

Status ReadHeadPairs(const JsonObject& json, const HeadsOfScan& heads, HeadPairs* pairs) {
  HEADSCOPE_TRY(const auto array, json.Array("head_pairs"));
  if (!array || array->empty()) {
    return {};
  }
  const JsonArray& parts = *array;
  const auto rows = parts.size() == 3 ? parts[0].Number() : std::nullopt;
  if (!rows || !(*rows > 0.0) || heads.heads > kMostPairedHeads) {
    return Damaged(json.name(), "the sums of pairs of heads are not complete");
  }
  pairs->rows = *rows;
  const auto count = static_cast<std::size_t>(heads.layers * PairCount(heads.heads));
  for (const auto& [part, to] : {std::pair(1, &pairs->apart), std::pair(2, &pairs->shared)}) {
    for (const JsonValue& value :
         parts[static_cast<std::size_t>(part)].Array().value_or(JsonArray())) {
      to->push_back(value.Number().value_or(-1.0));
    }
    const bool is_whole = to->size() == count && std::ranges::min(*to) >= 0.0;
    if (!is_whole) {
      return Damaged(json.name(), "there is not a sum for each pair of heads");
    }
  }
  return {};
}

Status ReadKeyWriters(const JsonObject& json,
                      std::size_t heads,
                      std::vector<std::int64_t>* writers) {
  HEADSCOPE_TRY(const auto array, json.Array("key_writers"));
  for (const JsonValue& value : array ? *array : JsonArray()) {
    writers->push_back(value.Integer().value_or(-2));
  }
  const bool is_whole = writers->empty() || writers->size() == heads;
  if (!is_whole || std::ranges::any_of(*writers, [&](std::int64_t writer) {
        return writer < -1 || writer >= static_cast<std::int64_t>(heads);
      })) {
    return Damaged(json.name(), "there is not a writer, or none, for each head");
  }
  return {};
}

// The sums of the heads that `about` says first; `json` is a batch, or one more part of it.
Status ReadOwnSums(const JsonObject& json, const ScanAbout& about, BatchSums* sums) {
  HEADSCOPE_TRY(const auto metrics, json.Array("rows"));
  sums->rows.resize(AllMetrics().size());
  for (std::size_t i = 0; i < sums->rows.size(); ++i) {
    sums->rows[i].resize(about.groups.size());
  }
  if (!metrics || metrics->size() != sums->rows.size()) {
    return Damaged(json.name(), "a batch has not the metrics of this version");
  }
  for (std::size_t i = 0; i < sums->rows.size(); ++i) {
    const auto groups = (*metrics)[i].Array();
    if (!groups || groups->size() != sums->rows[i].size()) {
      return Damaged(json.name(), "a metric has not the groups of its scan");
    }
    for (std::size_t group = 0; group < groups->size(); ++group) {
      sums->rows[i][group].heads.resize(about.heads.count());
      if (!(*groups)[group].is_null()) {
        HEADSCOPE_TRY(ReadSums((*groups)[group], about.heads, json.name(), &sums->rows[i][group]));
      }
    }
  }
  const std::size_t heads = about.heads.count();
  HEADSCOPE_TRY(const auto copies, json.Array("copies"));
  HEADSCOPE_TRY(ReadHeads(copies ? *copies : JsonArray(), heads, json.name(), &sums->copies));
  HEADSCOPE_TRY(ReadMeans(json, heads, &sums->means));
  HEADSCOPE_TRY(ReadHeadPairs(json, about.heads, &sums->head_pairs));
  HEADSCOPE_TRY(ReadKeyWriters(json, heads, &sums->key_writers));
  HEADSCOPE_TRY(const auto why_not, json.Object("why_not"));
  for (const JsonField& field : why_not ? why_not->Fields() : JsonFields()) {
    sums->why_not.emplace(field.key, field.value.Text().value_or(""));
  }
  HEADSCOPE_TRY(const auto pairs, json.Array("pairs"));
  for (const JsonValue& value : pairs ? *pairs : JsonArray()) {
    HEADSCOPE_TRY(auto pair, ReadPair(value, about, json.name()));
    sums->pairs.push_back(std::move(pair));
  }
  HEADSCOPE_TRY(const auto sequences, json.Array("sequences"));
  for (const JsonValue& value : sequences ? *sequences : JsonArray()) {
    SequenceMeans one;
    if (!ReadSequence(value, about.groups.size(), heads, &one)) {
      return Damaged(json.name(), "what a sequence had is not complete");
    }
    sums->sequences.push_back(std::make_shared<const SequenceMeans>(std::move(one)));
  }
  return {};
}

Status ReadBatch(const JsonObject& json, ScanPart* part) {
  const ScanAbout& about = part->about;
  HEADSCOPE_TRY(const auto batch, json.Integer("batch", 0, about.batches * (1 + about.twins) - 1));
  BatchSums sums;
  HEADSCOPE_TRY(ReadOwnSums(json, about, &sums));
  HEADSCOPE_TRY(const auto more, json.Array("more"));
  const std::size_t expected = about.no_targets.empty() ? about.more_heads.size() : 0;
  if ((more ? more->size() : 0) != expected) {
    return Damaged(json.name(), "a batch has not the parts of its model");
  }
  for (std::size_t i = 0; i < expected; ++i) {
    const auto own = JsonObject::Of((*more)[i], json.name());
    if (!own) {
      return Damaged(json.name(), "the sums of a part are none");
    }
    HEADSCOPE_TRY(ReadOwnSums(*own, AboutPart(about, i), &sums.more.emplace_back()));
  }
  part->done.insert_or_assign(batch, std::move(sums));
  return {};
}

}  // namespace

namespace {

std::string OwnSumsText(const BatchSums& sums) {
  Json json = Json::object();
  json["rows"] = Json::array();
  for (const GroupSums& metric : sums.rows) {
    Json& groups = json["rows"].emplace_back(Json::array());
    for (const MetricSums& group : metric) {
      const bool is_empty = group.rows == 0 && group.control_rows == 0;
      groups.push_back(is_empty ? Json(nullptr) : SumsJson(group));
    }
  }
  json["copies"] = HeadsJson(sums.copies);
  json["means"] = Json::array();
  for (const auto& [id, heads] : sums.means) {
    json["means"].push_back(Json::array({id, HeadsJson(heads)}));
  }
  json["head_pairs"] = PairsJson(sums.head_pairs);
  if (!sums.key_writers.empty()) {
    json["key_writers"] = sums.key_writers;
  }
  for (const auto& [id, reason] : sums.why_not) {
    json["why_not"][id] = reason;
  }
  std::string text = JsonText(json);
  // What there is most of, without a tree of values.
  text.back() = ',';
  text += "\"pairs\":" + PairsText(sums.pairs);
  if (!sums.sequences.empty()) {
    text += ",\"sequences\":" + SequencesText(sums.sequences);
  }
  return text + "}";
}

}  // namespace

std::string BatchText(std::int64_t batch, const BatchSums& sums) {
  std::string text = fmt::format("{{\"batch\":{},", batch) + OwnSumsText(sums).substr(1);
  if (!sums.more.empty()) {
    text.back() = ',';
    text += "\"more\":[";
    for (const BatchSums& part : sums.more) {
      text += OwnSumsText(part) + ",";
    }
    text.back() = ']';
    text += "}";
  }
  return text + "\n";
}

std::string PartText(const ScanPart& part) {
  std::string text = PartHeadText(part.about);
  for (const auto& [batch, sums] : part.done) {
    text += BatchText(batch, sums);
  }
  return text;
}

Result<ScanPart> ParsePart(std::string_view text, const std::string& name) {
  ScanPart part;
  bool has_head = false;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const Result<JsonDocument> document = JsonDocument::Parse(line, name);
    if (!document && !has_head) {  // another file, such as a scan's report
      return Damaged(name, "its first line is no JSON by itself");
    }
    HEADSCOPE_TRY(document);
    HEADSCOPE_TRY(const auto json, JsonObject::Root(*document));
    if (has_head) {
      HEADSCOPE_TRY(ReadBatch(json, &part));
      continue;
    }
    HEADSCOPE_TRY(part.about, ReadAbout(json));
    has_head = true;
  }
  if (!has_head) {
    return Damaged(name, "no line of it is whole");
  }
  return part;
}

Result<ScanPart> ReadPart(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto file, MappedFile::Open(path));
  if (file.bytes().size() > kMostPartBytes) {
    return Damaged(path.string(), "more than 3 GB");
  }
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data());
  return ParsePart({text, file.bytes().size()}, path.string());
}

void KeepPart(const ScanPart& part, const std::filesystem::path& path) {
  if (path.empty()) {
    return;
  }
  KeepFile(path, PartText(part));
}

std::optional<ProbeCorpus> TargetsOfScan(const Model& model,
                                         const ProbeCorpus& corpus,
                                         ScanAbout* about) {
  if (!model.description().decoder) {
    return std::nullopt;
  }
  Result<ProbeCorpus> targets = MakeTargets(model, corpus);
  if (!targets) {
    about->no_targets = targets.error().message;
    about->notes.push_back(targets.error().message);
    return std::nullopt;
  }
  return std::move(*targets);
}

}  // namespace headscope
