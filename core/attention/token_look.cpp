#include "core/attention/token_look.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/attention/given_layer.h"
#include "core/base/byte_text.h"
#include "core/base/counted.h"
#include "core/base/stop.h"
#include "core/base/utf8.h"
#include "core/text/stop_words.h"
#include "core/text/unicode.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr std::int64_t kSeenRowsAtOnce = 64;
constexpr std::uint64_t kMostSeenBytes = std::uint64_t{512} << 20U;

bool IsAllPunctuation(const Token& token) {
  bool is_all = !token.display.empty();
  for (const auto& [begin, end, code] : Characters(token.display)) {
    is_all = is_all && text::IsPunctuation(code);
  }
  return is_all;
}

// Whether each token is a piece of a word in the list. Special tokens are none.
std::vector<bool> PiecesOfStopWords(const Encoding& text, const TokenLook& look) {
  std::vector<bool> is_piece(text.tokens.size(), false);
  if (!look.hides_stop_words) {
    return is_piece;
  }
  const StopWords words(look.stop_words);
  for (std::size_t begin = 0; begin < text.tokens.size();) {
    std::string word = text.tokens[begin].display;
    std::size_t end = begin + 1;
    for (; end < text.tokens.size() && ContinuesWord(text, end); ++end) {
      word += text.tokens[end].display;
    }
    if (!text.tokens[begin].special && words.Has(word)) {
      std::fill(is_piece.begin() + static_cast<std::ptrdiff_t>(begin),
                is_piece.begin() + static_cast<std::ptrdiff_t>(end),
                true);
    }
    begin = end;
  }
  return is_piece;
}

bool IsHidden(const Encoding& text, std::size_t index, const TokenLook& look) {
  const Token& token = text.tokens[index];
  return (look.hides_special && token.special) || (look.hides_first && index == 0) ||
         (look.hides_punctuation && IsAllPunctuation(token)) ||
         std::ranges::binary_search(look.hidden, static_cast<std::int64_t>(index));
}

// Rows of one head at a time, and what becomes of them.
class SeenHead {
 public:
  SeenHead(const LayerAttention& layer, const TokenGroups& keys)
      : layer_(layer), keys_(keys), sums_(keys.size()) {}

  // Adds the query `query` of `head`, whose row is `weights`, as one of `pieces`.
  void Add(std::int64_t head, std::int64_t query, std::span<const float> weights, double pieces) {
    double shown = 0.0;
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      double sum = 0.0;
      for (const std::int64_t key : keys_[j]) {
        sum += static_cast<double>(weights[static_cast<std::size_t>(key)]);
      }
      sums_[j] += sum / pieces;
      shown += sum;
    }
    const double sink = layer_.SinkWeight(head, query);
    sink_ += sink / pieces;
    hidden_ += std::max(0.0, 1.0 - sink - shown) / pieces;
  }
  // Writes the row, and begins the next.
  void Take(bool renormalises, std::span<float> row, float* hidden, float* sink) {
    const double left = 1.0 - hidden_;
    const double by = renormalises && left > 0.0 ? 1.0 / left : 1.0;
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      row[j] = static_cast<float>(std::exchange(sums_[j], 0.0) * by);
    }
    *hidden = static_cast<float>(std::exchange(hidden_, 0.0));
    *sink = static_cast<float>(std::exchange(sink_, 0.0) * by);
  }

 private:
  const LayerAttention& layer_;
  const TokenGroups& keys_;
  std::vector<double> sums_;
  double hidden_ = 0.0;
  double sink_ = 0.0;
};

}  // namespace

std::string WordsOf(const TokenLook& look) {
  std::vector<std::string> words;
  if (look.merges_words) {
    words.emplace_back("pieces of a word merged (columns summed, rows averaged)");
  }
  std::vector<std::string> hidden;
  if (look.hides_special) {
    hidden.emplace_back("special tokens");
  }
  if (look.hides_first) {
    hidden.emplace_back("the first token");
  }
  if (look.hides_punctuation) {
    hidden.emplace_back("punctuation");
  }
  if (look.hides_stop_words) {
    const StopWords words(look.stop_words);
    hidden.push_back(
        look.stop_words.empty()
            ? fmt::format("stop words (a built-in list of {} in English)", words.size())
            : fmt::format("stop words (a list of {})", words.size()));
  }
  if (!look.hidden.empty()) {
    hidden.push_back(Counted(std::ssize(look.hidden), "token") + " by hand");
  }
  if (!hidden.empty()) {
    words.push_back(fmt::format("hidden: {}", fmt::join(hidden, ", ")));
    words.emplace_back(look.renormalises ? "rows renormalised: what is left adds up to 1"
                                         : "rows lack what they gave to hidden tokens");
  }
  std::string all = fmt::format("{}", fmt::join(words, "; "));
  if (!all.empty()) {
    all.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(all.front())));
  }
  return all;
}

TokenGroups GroupsOf(const Encoding& text, const TokenLook& look) {
  TokenGroups groups;
  const std::vector<bool> is_stop_word = PiecesOfStopWords(text, look);
  bool goes_on = false;  // the last group is of the word that the token before is of
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const bool continues = look.merges_words && ContinuesWord(text, i);
    goes_on = goes_on && continues;
    if (is_stop_word[i] || IsHidden(text, i, look)) {
      continue;
    }
    if (!goes_on) {
      groups.emplace_back();
    }
    groups.back().push_back(static_cast<std::int64_t>(i));
    goes_on = true;
  }
  return groups;
}

namespace {

// The bytes of "⟨E6 9C⟩", added to `bytes`; whether it begins there. `at` moves past it.
bool TakeByteCodes(std::string_view text, std::size_t* at, std::string* bytes) {
  constexpr std::string_view kOpens = "⟨";
  constexpr std::string_view kCloses = "⟩";
  if (!text.substr(*at).starts_with(kOpens)) {
    return false;
  }
  const std::size_t first = *at + kOpens.size();
  const std::size_t end = text.find(kCloses, first);
  if (end == text.npos || (end - first) % 3 != 2) {
    return false;
  }
  std::string found;
  for (std::size_t i = first; i < end; i += 3) {
    unsigned byte = 0;
    const auto [stop, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc{} || byte < 0x80U || stop != text.data() + i + 2 ||
        (i + 2 < end && text[i + 2] != ' ')) {
      return false;
    }
    found += static_cast<char>(byte);
  }
  *bytes += found;
  *at = end + kCloses.size();
  return true;
}

// Pieces of one character are shown as codes; together they are the character.
std::string JoinByteCodes(std::string_view display) {
  std::string joined;
  for (std::size_t at = 0; at < display.size();) {
    const std::size_t from = at;
    std::string bytes;
    while (TakeByteCodes(display, &at, &bytes)) {
    }
    if (at == from) {
      joined += display[at++];
    } else {
      joined += FirstInvalidByte(bytes) ? std::string(display.substr(from, at - from)) : bytes;
    }
  }
  return joined;
}

}  // namespace

Encoding EncodingOfGroups(const Encoding& text, const TokenGroups& groups) {
  Encoding seen = text;
  seen.tokens.clear();
  std::map<std::string, std::int32_t> ids;  // of words of several pieces
  for (const auto& group : groups) {
    const auto piece = [&](std::size_t i) -> const Token& {
      return text.tokens[static_cast<std::size_t>(group[i])];
    };
    Token token = piece(0);
    for (std::size_t i = 1; i < group.size(); ++i) {
      token.text += piece(i).text;
      token.display += piece(i).display;
      token.end = piece(i).end;
      token.unknown = token.unknown || piece(i).unknown;
    }
    if (group.size() > 1) {
      token.display = JoinByteCodes(token.display);
      // Below 0, where no vocabulary has any.
      const auto next = -1 - static_cast<std::int32_t>(ids.size());
      token.id = ids.try_emplace(token.display, next).first->second;
    }
    seen.tokens.push_back(std::move(token));
  }
  return seen;
}

Result<std::shared_ptr<const LayerAttention>> MakeSeenLayer(const LayerAttention& layer,
                                                            const TokenGroups& queries,
                                                            const TokenGroups& keys,
                                                            bool renormalises,
                                                            const std::stop_token& stop) {
  const AttentionShape& shape = layer.shape();
  const auto rows = std::ssize(queries);
  const auto columns = std::ssize(keys);
  const auto heads = static_cast<std::size_t>(shape.heads);
  const auto row_count = static_cast<std::size_t>(rows);
  auto weights = std::make_shared<std::vector<float>>(heads * row_count * keys.size());
  std::vector<float> hidden(heads * row_count);
  std::vector<float> sinks(heads * row_count);
  std::vector<float> read(static_cast<std::size_t>(kSeenRowsAtOnce * shape.keys));
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    SeenHead seen(layer, keys);
    std::int64_t begin = 0;  // of the rows that are read
    std::int64_t end = 0;
    for (std::size_t i = 0; i < row_count; ++i) {
      for (const std::int64_t query : queries[i]) {
        if (query >= end) {
          HEADSCOPE_TRY(CheckStop(stop));
          begin = query;
          end = std::min(shape.queries, begin + kSeenRowsAtOnce);
          layer.RowsOnAllThreads(
              head,
              begin,
              end,
              std::span(read).first(static_cast<std::size_t>((end - begin) * shape.keys)));
        }
        const auto at = static_cast<std::size_t>((query - begin) * shape.keys);
        seen.Add(head,
                 query,
                 std::span(read).subspan(at, static_cast<std::size_t>(shape.keys)),
                 static_cast<double>(queries[i].size()));
      }
      const std::size_t place = static_cast<std::size_t>(head) * row_count + i;
      seen.Take(renormalises,
                std::span(*weights).subspan(place * keys.size(), keys.size()),
                &hidden[place],
                &sinks[place]);
    }
  }
  LayerAttention::Content content;
  content.part = layer.part();
  content.layer = layer.layer();
  content.shape = {.queries = rows, .keys = columns, .heads = shape.heads, .kv_heads = shape.heads};
  // Rows and columns keep their order, so what comes later stays masked; windows are cut by words.
  content.rule.causal = layer.rule().causal && rows == columns;
  content.given = HeldWeights(weights, content.shape);
  if (layer.has_sinks()) {
    content.given->sinks = std::move(sinks);
  }
  content.hidden = std::move(hidden);
  return MakeGivenLayer(std::move(content), kThumbnailSize, stop);
}

namespace {

using GroupsOfLayer = std::function<const TokenGroups&(const LayerAttention&)>;

Result<std::vector<std::shared_ptr<const LayerAttention>>> SeeAll(
    std::span<const std::shared_ptr<const LayerAttention>> layers,
    const GroupsOfLayer& rows_of,
    const GroupsOfLayer& columns_of,
    bool renormalises,
    const std::stop_token& stop) {
  std::uint64_t bytes = 0;
  for (const auto& layer : layers) {
    if (layer == nullptr) {
      continue;
    }
    const std::uint64_t rows = rows_of(*layer).size();
    const std::uint64_t columns = columns_of(*layer).size();
    if (rows == 0 || columns == 0) {
      return Fail(ErrorCode::kInput, "No token would be left: show some of those that are hidden.");
    }
    bytes += static_cast<std::uint64_t>(layer->shape().heads) * rows * columns * sizeof(float);
  }
  if (bytes > kMostSeenBytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("All heads of this text without the hidden tokens take {}, and at most "
                            "{} are kept: show all tokens, or shorten the text.",
                            ByteText(bytes),
                            ByteText(kMostSeenBytes)));
  }
  std::vector<std::shared_ptr<const LayerAttention>> seen;
  seen.reserve(layers.size());
  for (const auto& layer : layers) {
    if (layer == nullptr) {
      seen.push_back(nullptr);
      continue;
    }
    HEADSCOPE_TRY(auto made,
                  MakeSeenLayer(*layer, rows_of(*layer), columns_of(*layer), renormalises, stop));
    seen.push_back(std::move(made));
  }
  return seen;
}

}  // namespace

Result<SeenLayers> SeeLayers(const SeenLayers& layers,
                             const TokenLook& look,
                             const std::stop_token& stop) {
  if (look.IsPlain()) {
    return layers;
  }
  TokenLook own = look;
  if (layers.queries != layers.keys) {
    own.hidden.clear();
  }
  const TokenGroups rows = GroupsOf(*layers.queries, own);
  const TokenGroups columns = GroupsOf(*layers.keys, own);
  SeenLayers seen;
  HEADSCOPE_TRY(seen.layers,
                SeeAll(
                    layers.layers,
                    [&](const LayerAttention&) -> const TokenGroups& { return rows; },
                    [&](const LayerAttention&) -> const TokenGroups& { return columns; },
                    look.renormalises,
                    stop));
  seen.queries = std::make_shared<const Encoding>(EncodingOfGroups(*layers.queries, rows));
  seen.keys = layers.queries == layers.keys
                  ? seen.queries
                  : std::make_shared<const Encoding>(EncodingOfGroups(*layers.keys, columns));
  return seen;
}

Result<SeenPicture> SeePicture(const SeenSubject& subject,
                               const TokenLook& look,
                               const std::stop_token& stop) {
  SeenPicture seen;
  const auto see = [](const std::shared_ptr<const Encoding>& text,
                      const TokenLook& by,
                      TokenGroups* groups) -> std::shared_ptr<const Encoding> {
    if (text == nullptr) {
      return nullptr;
    }
    *groups = GroupsOf(*text, by);
    return std::make_shared<const Encoding>(EncodingOfGroups(*text, *groups));
  };
  TokenLook of_target = look;
  of_target.hidden.clear();  // by hand are those of the text
  seen.source = see(subject.source, look, &seen.source_groups);
  TokenGroups target_groups;
  seen.target = see(subject.target, of_target, &target_groups);
  TokenGroups key_groups;
  seen.keys = see(subject.keys, of_target, &key_groups);
  const auto groups_of_rows = [&](const LayerAttention& layer) -> const TokenGroups& {
    return HasTargetQueries(layer.part()) ? target_groups : seen.source_groups;
  };
  const auto groups_of_columns = [&](const LayerAttention& layer) -> const TokenGroups& {
    return HasTargetKeys(layer.part()) ? target_groups
           : seen.keys != nullptr      ? key_groups
                                       : seen.source_groups;
  };
  HEADSCOPE_TRY(seen.layers,
                SeeAll(subject.layers, groups_of_rows, groups_of_columns, look.renormalises, stop));
  return seen;
}

}  // namespace headscope
