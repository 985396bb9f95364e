#include "core/figure/word_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::size_t kInLine = 5;  // tokens of a layer

Result<const LogitShares*> SharesOf(const NextWord& word) {
  return word.prediction.shares
             ? Result<const LogitShares*>(&*word.prediction.shares)
             : Fail(ErrorCode::kInput, "what the model says cannot be split over its heads");
}

TableCell ShareCell(double value) {
  return {fmt::format("{:+.4f}", value), value};
}

std::string SharesCaption(const NextWord& word, const LogitShares& shares) {
  std::string caption = fmt::format(
      "Norms held at what they are for the row. The shares add up to {:.4f}; {} is {:.4f}.",
      shares.sum,
      shares.question.against ? "the lead" : "the logit",
      shares.logit);
  if (word.prediction.softcap > 0.0 || word.prediction.scale != 1.0) {
    caption += " The model scales or caps its logits after this.";
  }
  return caption;
}

std::string AfterLayer(const NextWord& word, const LensLayer& layer) {
  return LayerName({word.heads.part, layer.layer});
}

}  // namespace

Result<std::shared_ptr<const NextWord>> WordOf(const FigureSubject& subject) {
  if (subject.word == nullptr || subject.word->prediction.rows.empty()) {
    return Fail(ErrorCode::kInput, "there is no word that the model said");
  }
  return subject.word;
}

std::string SplitWords(const NextWord& word) {
  const LogitShares& shares = *word.prediction.shares;
  const std::string place =
      fmt::format("at row {}, \u201c{}\u201d", shares.question.row, word.token);
  return shares.question.against ? fmt::format("the lead of \u201c{}\u201d over \u201c{}\u201d {}",
                                               word.split,
                                               word.over,
                                               place)
                                 : fmt::format("the logit of \u201c{}\u201d {}", word.split, place);
}

Result<EffectMap> ShareMapOf(const NextWord& word) {
  HEADSCOPE_TRY(const LogitShares* const shares, SharesOf(word));
  const std::string over =
      shares->question.against ? fmt::format(" over \u201c{}\u201d", word.over) : "";
  EffectMap map{.title = fmt::format("Shares in \u201c{}\u201d{}", word.split, over),
                .caption = fmt::format(
                    "Each head's share of {}; embeddings, MLPs and biases have the rest. {}",
                    SplitWords(word),
                    SharesCaption(word, *shares)),
                .words = "share of the logit; right: raises it",
                .shape = word.heads,
                .values = {}};
  for (std::size_t place = 0; place < map.shape.count(); ++place) {
    const SharePart* found = shares->Find(map.shape.At(place));
    map.values.push_back(found != nullptr ? std::optional(found->share) : std::nullopt);
  }
  return map;
}

Result<Table> SharePartsOf(const NextWord& word) {
  HEADSCOPE_TRY(const LogitShares* const shares, SharesOf(word));
  Table table{.title = fmt::format("What made \u201c{}\u201d", word.split),
              .caption = fmt::format(
                  "Each part's share of {}. {}", SplitWords(word), SharesCaption(word, *shares)),
              .columns = {{"part", "part"},
                          {"share", "share", true},
                          {"above the vocabulary's mean", "above_mean", true}},
              .rows = {}};
  std::vector<SharePart> parts = shares->parts;
  std::ranges::stable_sort(
      parts, std::ranges::greater(), [](const SharePart& part) { return std::abs(part.share); });
  for (const SharePart& part : parts) {
    table.rows.push_back({{part.Name()}, ShareCell(part.share), ShareCell(part.above_mean)});
  }
  return table;
}

Result<Table> LensOfWord(const NextWord& word) {
  if (word.prediction.lens.empty()) {
    return Fail(ErrorCode::kInput, "what the stream would say after each layer was not asked");
  }
  Table table{.title = "What the stream would say after each layer",
              .caption = fmt::format(
                  "At row {}, \u201c{}\u201d: the final norm and the output layer read the stream "
                  "after each layer, as if the rest of the model did nothing (logit lens). Early "
                  "layers do not write for these readers.",
                  word.prediction.rows.front().row,
                  word.token),
              .columns = {{"after", "layer"}},
              .rows = {}};
  for (std::size_t place = 0; place < kInLine; ++place) {
    table.columns.push_back({fmt::format("{}.", place + 1), fmt::format("token{}", place + 1)});
  }
  for (std::size_t i = 0; i < word.prediction.lens.size() && i < word.lens.size(); ++i) {
    const LensLayer& layer = word.prediction.lens[i];
    std::vector<TableCell>& row = table.rows.emplace_back();
    row.push_back({AfterLayer(word, layer)});
    for (std::size_t place = 0; place < kInLine; ++place) {
      row.push_back(
          place < layer.top.size()
              ? TableCell{fmt::format(
                    "{} {}", word.lens[i][place], PercentText(layer.top[place].probability))}
              : TableCell());
    }
  }
  return table;
}

Result<Table> LensNumbers(const NextWord& word) {
  HEADSCOPE_TRY(auto lens, LensOfWord(word));
  Table table{.title = std::move(lens.title),
              .caption = std::move(lens.caption),
              .columns = {{"after", "layer"},
                          {"rank", "rank", true},
                          {"id", "id", true},
                          {"token", "token"},
                          {"logit", "logit", true},
                          {"probability", "probability", true}},
              .rows = {}};
  for (std::size_t i = 0; i < word.prediction.lens.size() && i < word.lens.size(); ++i) {
    const LensLayer& layer = word.prediction.lens[i];
    for (std::size_t place = 0; place < layer.top.size(); ++place) {
      const LikelyWord& likely = layer.top[place];
      table.rows.push_back({{AfterLayer(word, layer)},
                            {fmt::format("{}", place + 1), static_cast<double>(place + 1)},
                            {fmt::format("{}", likely.id), static_cast<double>(likely.id)},
                            {word.lens[i][place]},
                            {fmt::format("{:.4f}", likely.logit), likely.logit},
                            {fmt::format("{:.4f}", likely.probability), likely.probability}});
    }
  }
  return table;
}

FigurePage WordPage(const FigureContext& context, const NextWord& word, const Table& table) {
  return PageOf(context, word.heads.part, table.title, table.caption);
}

Result<Table> TableOfParts(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto word, WordOf(subject));
  HEADSCOPE_TRY(auto table, SharePartsOf(*word));
  table.caption = WordPage(subject.context, *word, table).caption;
  return table;
}

}  // namespace headscope
