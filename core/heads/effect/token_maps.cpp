#include "core/heads/effect/token_maps.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/heads/effect/token_streams.h"
#include "core/heads/measure/measure.h"
#include "core/io/text_file.h"
#include "core/model/output_layer.h"

namespace headscope {
namespace {

// Returns the only token of a word; none: it has several, or the model does not know it.
std::optional<std::int32_t> OnlyToken(const Tokenizer& tokenizer, const std::string& word) {
  const auto encoding = tokenizer.Encode(word, {.pair = {}, .stop = {}});
  std::optional<std::int32_t> only;
  if (!encoding) {
    return only;
  }
  for (const Token& token : encoding->tokens) {
    if (token.special) {
      continue;
    }
    if (only || token.unknown) {
      return std::nullopt;
    }
    only = token.id;
  }
  return only;
}

}  // namespace

Result<std::vector<WordPairs>> ParseTokenMaps(std::string_view text, const std::string& name) {
  std::vector<WordPairs> maps;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (line.front() == '[' && line.back() == ']') {
      maps.push_back({.name = std::string(line.substr(1, line.size() - 2)), .words = {}});
      continue;
    }
    const std::size_t space = line.find(' ');
    const bool is_pair = space != line.npos && space > 0 && space + 1 < line.size() &&
                         line.find(' ', space + 1) == line.npos;
    if (!is_pair || maps.empty()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: line {}: expected {}, found {}",
                              name,
                              number,
                              maps.empty() ? "the name of a table, [plural]"
                                           : "two words with a space between them",
                              Quoted(std::string(line))));
    }
    maps.back().words.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return maps;
}

Result<std::vector<WordPairs>> ReadTokenMaps(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto text, ReadTextFile(path));
  return ParseTokenMaps(text, path.string());
}

std::vector<MappedToken> SingleTokenPairs(const Tokenizer& tokenizer, const WordPairs& map) {
  std::vector<MappedToken> pairs;
  std::set<std::int32_t> sources;
  for (const auto& [source, target] : map.words) {
    for (const char* const before : {" ", ""}) {
      const auto from = OnlyToken(tokenizer, before + source);
      const auto to = OnlyToken(tokenizer, before + target);
      if (from && to && *from != *to) {
        if (sources.insert(*from).second) {
          pairs.push_back({*from, *to});
        }
        break;
      }
    }
  }
  return pairs;
}

Status AddTokenMaps(Forward* forward,
                    std::span<const WordPairs> maps,
                    const std::stop_token& stop,
                    MeanTotals* means) {
  const Model& model = forward->model();
  if (model.tokenizer() == nullptr || !OutputLayerOf(model)) {
    return {};
  }
  const double chance = std::min(
      1.0, static_cast<double>(kTopTargets) / static_cast<double>(model.description().vocabulary));
  for (const WordPairs& map : maps) {
    std::vector<MappedToken> pairs = SingleTokenPairs(*model.tokenizer(), map);
    std::erase_if(pairs, [&](const MappedToken& pair) {  // a tokenizer may belong to another model
      return std::max(pair.source, pair.target) >= model.description().vocabulary;
    });
    if (std::ssize(pairs) < kFewestMappedTokens) {
      continue;
    }
    HEADSCOPE_TRY(const auto hits, FindMapHits(forward, pairs, stop));
    HeadMeans& to = (*means)[TokenMapId(map.name)];
    to.resize(hits.target.size());
    for (std::size_t head = 0; head < to.size(); ++head) {
      for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        to[head].AddText(
            hits.target[head][pair] ? 1.0 : 0.0, chance, hits.control[head][pair] ? 1.0 : 0.0, 1.0);
      }
    }
  }
  return {};
}

}  // namespace headscope
