#include "core/causes/asked_heads.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/base/quote.h"

namespace headscope {
namespace {

std::vector<std::string_view> Pieces(std::string_view list) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t comma = list.find(',');
    pieces.push_back(list.substr(0, comma));
    if (comma == list.npos) {
      return pieces;
    }
    list.remove_prefix(comma + 1);
  }
}

Result<HeadIndex> ReadHead(std::string_view name, const ModelDescription& model) {
  const auto head = ParseHeadName(name);
  if (head && HasHead(model, *head)) {
    return *head;
  }
  std::vector<std::string> known;
  for (const ModelPart part : PartsOf(model)) {
    const StackDescription& stack = StackOf(model, part);
    known.push_back(fmt::format(
        "{} to {}", HeadName({0, 0, part}), HeadName({stack.layers - 1, stack.heads - 1, part})));
  }
  return Fail(
      ErrorCode::kInput,
      fmt::format(
          "{} is not a head of this model, which has {}", Quoted(name), fmt::join(known, ", ")));
}

}  // namespace

Result<std::vector<HeadIndex>> ReadHeads(std::string_view list, const ModelDescription& model) {
  std::vector<HeadIndex> heads;
  for (const std::string_view piece : Pieces(list)) {
    HEADSCOPE_TRY(const auto head, ReadHead(piece, model));
    if (std::ranges::find(heads, head) == heads.end()) {
      heads.push_back(head);
    }
  }
  return heads;
}

Result<std::vector<HeadReading>> ReadHeadInputs(std::string_view list,
                                                const ModelDescription& model) {
  constexpr std::string_view kLetters = "qkv";
  std::vector<HeadReading> readings;
  for (const std::string_view piece : Pieces(list)) {
    const std::size_t colon = piece.find(':');
    const std::size_t letter = colon == piece.npos || colon + 2 != piece.size()
                                   ? std::string_view::npos
                                   : kLetters.find(piece.back());
    if (letter == std::string_view::npos) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: expected a head and what of it is meant, as L9H9:q, :k or :v",
                              Quoted(piece)));
    }
    HEADSCOPE_TRY(const auto head, ReadHead(piece.substr(0, colon), model));
    readings.push_back({head, static_cast<HeadInput>(letter)});
  }
  return readings;
}

Result<std::vector<CutEdge>> ReadEdges(std::string_view list, const ModelDescription& model) {
  std::vector<CutEdge> edges;
  for (const std::string_view piece : Pieces(list)) {
    const std::size_t first = std::min(piece.find(':'), piece.size());
    const std::size_t last = std::max(piece.rfind(':'), first);
    const auto number = [&](std::size_t from, std::size_t to) {
      const auto read =
          from < to ? ParseAs<std::int64_t>(piece.substr(from, to - from), 10) : std::nullopt;
      return read && *read >= 0 ? read : std::nullopt;
    };
    const std::size_t end = last == piece.npos ? piece.size() : last;
    const auto key = number(end + 1, piece.size());
    const auto row = end > first ? number(first + 1, end) : std::nullopt;
    if (!key || (end > first && !row)) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("{}: expected a head and a key, as L1H0:3, or a head, a row and a key, "
                      "as L1H0:5:3",
                      Quoted(piece)));
    }
    HEADSCOPE_TRY(const auto head, ReadHead(piece.substr(0, first), model));
    edges.push_back({head, *key, row});
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

bool HasHead(const ModelDescription& model, HeadIndex head) {
  const std::vector<ModelPart> parts = PartsOf(model);
  return std::ranges::find(parts, head.part) != parts.end() && head.layer >= 0 &&
         head.layer < StackOf(model, head.part).layers && head.head >= 0 &&
         head.head < StackOf(model, head.part).heads;
}

std::vector<HeadIndex> AllHeadsOf(const ModelDescription& model) {
  std::vector<HeadIndex> heads;
  for (const ModelPart part : PartsOf(model)) {
    const StackDescription& stack = StackOf(model, part);
    for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
      for (std::int64_t head = 0; head < stack.heads; ++head) {
        heads.push_back({layer, head, part});
      }
    }
  }
  return heads;
}

}  // namespace headscope
