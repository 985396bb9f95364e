#include "core/causes/prediction_file.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "core/causes/token_names.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

Json WordsJson(const std::vector<LikelyWord>& words, const Tokenizer* tokenizer) {
  Json list = Json::array();
  for (const LikelyWord& word : words) {
    Json& one = list.emplace_back();
    one["id"] = word.id;
    one["token"] = TokenText(tokenizer, word.id);
    one["logit"] = word.logit;
    one["probability"] = word.probability;
  }
  return list;
}

Json RowJson(const PredictedRow& row, const PredictionAbout& about) {
  Json json;
  json["row"] = row.row;
  json["token"] = TokenText(about.tokenizer, row.token);
  json["next"] = nullptr;
  if (row.next) {
    json["next"] = {{"id", row.next->id},
                    {"token", TokenText(about.tokenizer, row.next->id)},
                    {"rank", row.next->rank},
                    {"probability", row.next->probability},
                    {"loss", row.next->loss}};
  }
  json["top"] = WordsJson(row.top, about.tokenizer);
  return json;
}

Json SharesJson(const LogitShares& shares, const Prediction& prediction) {
  Json json;
  json["row"] = shares.question.row;
  json["id"] = shares.question.id;
  json["against"] = shares.question.against ? Json(*shares.question.against) : Json(nullptr);
  json["logit"] = shares.logit;
  json["sum"] = shares.sum;
  json["scale"] = prediction.scale;
  json["softcap"] = prediction.softcap > 0.0 ? Json(prediction.softcap) : Json(nullptr);
  json["parts"] = Json::array();
  for (const SharePart& part : shares.parts) {
    json["parts"].push_back(
        {{"part", part.Name()}, {"share", part.share}, {"above_mean", part.above_mean}});
  }
  json["keys"] = Json::object();
  for (const auto& [head, keys] : shares.keys) {
    json["keys"][HeadName(head)] = keys;
  }
  return json;
}

Json EdgeNames(const std::vector<CutEdge>& edges) {
  Json names = Json::array();
  std::ranges::transform(edges, std::back_inserter(names), EdgeName);
  return names;
}

Json ControlJson(const PredictionAbout::Control& control) {
  Json json;
  json["seed"] = control.seed;
  json["cost"] = control.cost.own;
  json["mean"] = control.cost.mean();
  json["deviation"] =
      control.cost.others.size() > 1 ? Json(control.cost.deviation()) : Json(nullptr);
  json["draws"] = Json::array();
  for (std::size_t i = 0; i < control.draws.size(); ++i) {
    Json& draw = json["draws"].emplace_back();
    draw["heads"] = Json::array();
    std::ranges::transform(control.draws[i].heads, std::back_inserter(draw["heads"]), HeadName);
    if (!control.draws[i].edges.empty()) {
      draw["cut"] = EdgeNames(control.draws[i].edges);
    }
    draw["cost"] = control.cost.others[i];
  }
  return json;
}

// A cell of a table, in quotes if it must be.
std::string Cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character == '"' ? "\"\"" : std::string(1, character);
  }
  return quoted + "\"";
}

void AddWords(std::string_view kind,
              std::int64_t row,
              std::string_view part,
              const std::vector<LikelyWord>& words,
              const Tokenizer* tokenizer,
              std::string* csv) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    *csv += fmt::format("{},{},{},{},{},{},{},{},,\n",
                        kind,
                        row,
                        part,
                        words[i].id,
                        Cell(TokenText(tokenizer, words[i].id)),
                        i + 1,
                        words[i].logit,
                        words[i].probability);
  }
}

}  // namespace

std::string PredictionJson(const Prediction& prediction, const PredictionAbout& about) {
  Json json;
  json["model"] = about.model;
  json["tokens"] = about.tokens;
  json["rows"] = Json::array();
  for (const PredictedRow& row : prediction.rows) {
    json["rows"].push_back(RowJson(row, about));
  }
  json["loss"] = OrNull(prediction.loss);
  json["shares"] = prediction.shares ? SharesJson(*prediction.shares, prediction) : Json(nullptr);
  json["lens"] = Json::array();
  for (const LensLayer& layer : prediction.lens) {
    json["lens"].push_back(
        {{"layer", layer.layer}, {"top", WordsJson(layer.top, about.tokenizer)}});
  }
  json["without"] = nullptr;
  if (!about.without.empty()) {
    json["without"] = Json::array();
    for (const HeadIndex head : about.without) {
      json["without"].push_back(HeadName(head));
    }
  }
  json["replaced_by"] =
      about.replaced_by ? Json(ReplacementName(*about.replaced_by)) : Json(nullptr);
  if (!about.cut.empty()) {
    json["cut"] = EdgeNames(about.cut);
    json["renormalised"] = about.renormalises;
  }
  if (about.control) {
    json["control"] = ControlJson(*about.control);
  }
  return JsonText(json, 1) + "\n";
}

std::string PredictionCsv(const Prediction& prediction, const PredictionAbout& about) {
  std::string csv = "kind,row,part,id,token,rank,logit,probability,loss,share\n";
  for (const PredictedRow& row : prediction.rows) {
    if (row.next) {
      csv += fmt::format("next,{},,{},{},{},,{},{},\n",
                         row.row,
                         row.next->id,
                         Cell(TokenText(about.tokenizer, row.next->id)),
                         row.next->rank,
                         row.next->probability,
                         row.next->loss);
    }
    AddWords("top", row.row, "", row.top, about.tokenizer, &csv);
  }
  if (const auto& shares = prediction.shares) {
    const std::int64_t row = shares->question.row;
    const std::string token = Cell(TokenText(about.tokenizer, shares->question.id));
    for (const SharePart& part : shares->parts) {
      csv += fmt::format(
          "share,{},{},{},{},,,,,{}\n", row, part.Name(), shares->question.id, token, part.share);
    }
    for (const auto& [head, keys] : shares->keys) {
      for (std::size_t key = 0; key < keys.size(); ++key) {
        csv += fmt::format("key,{},{} key {},{},{},,,,,{}\n",
                           row,
                           HeadName(head),
                           key,
                           shares->question.id,
                           token,
                           keys[key]);
      }
    }
    for (const LensLayer& layer : prediction.lens) {
      AddWords("lens", row, fmt::format("layer {}", layer.layer), layer.top, about.tokenizer, &csv);
    }
  }
  return csv;
}

}  // namespace headscope
