// The text itself, shaded by what a head's words look at, or by who looks at them.
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/digits.h"
#include "core/figure/figure_kind.h"
#include "core/figure/text_figure.h"
#include "core/text/indexed_name.h"

namespace headscope {
namespace {

constexpr std::string_view kTextConvention = "Heads and layers count from 0.";

// As they stand in the text, with their numbers: a text may hold them several times.
std::vector<std::string> NamesOfWords(const std::vector<std::int64_t>& words,
                                      const std::vector<std::string>& tokens) {
  std::vector<std::string> names;
  for (const std::int64_t word : words) {
    names.push_back(IndexedName(tokens[static_cast<std::size_t>(word)], word));
  }
  return names;
}

Result<std::unique_ptr<Figure>> MakeText(const FigureSubject& subject) {
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(subject));
  const TextChoice& choice = subject.text;
  const FigureContext& context = subject.context;
  const MapView& map = head.map;
  const ModelPart part = map.layer->part();
  HEADSCOPE_TRY(const DrawnHeads drawn, SubjectHeads(subject));
  ShadeQuestion question{.maps = drawn.maps, .words = choice.words, .by_key = choice.by_key};
  const std::vector<std::string> queries = NamesOrNumbers(head.query_tokens, map.queries());
  const std::vector<std::string> keys = NamesOrNumbers(head.key_tokens, map.keys());
  const std::vector<std::string>& asked = choice.by_key ? keys : queries;
  for (const std::int64_t word : question.words) {
    if (word < 0 || word >= std::ssize(asked)) {
      return Fail(
          ErrorCode::kInput,
          fmt::format(
              "token {} is asked for, but the text has {}, counted from 0", word, asked.size()));
    }
  }
  const bool is_one_text =
      HasTargetQueries(part) == HasTargetKeys(part) && context.key_tokens.empty();
  TextContent content{
      .map = NamedMapOf(map, subject.layers, context),
      .about = ShadeWords(NamesOfWords(question.words, asked), std::ssize(asked), question.by_key),
      .shades = ShadesOf(question),
      .tokens = question.by_key ? queries : keys,
      .asked = is_one_text ? question.words : std::vector<std::int64_t>{}};
  content.map.scale = ScaleOfShades(content.map.scale, content.shades);
  if (!question.by_key) {
    content.about += fmt::format("; sums to {}", WithDigits(content.shades.sum, 3));
    content.about += content.shades.sink > 0.0
                         ? fmt::format(", the sink takes {}", WithDigits(content.shades.sink, 3))
                         : "";
  }
  content.about += ".";
  std::string title = drawn.title;
  if (question.maps.size() > 1) {
    title += ", their mean";
  }
  return std::make_unique<TextFigure>(PageOf(context, part, std::move(title), kTextConvention),
                                      std::move(content));
}

}  // namespace

extern const FigureKind kTextFigure;
const FigureKind kTextFigure{.of = FigureOf::kHead, .view = "text", .make = MakeText};

}  // namespace headscope
