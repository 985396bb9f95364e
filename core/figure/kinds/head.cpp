// A single head with its tokens.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/figure/figure_kind.h"
#include "core/figure/token_map.h"
#include "core/figure/web_page.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeHead(const FigureSubject& subject) {
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(subject));
  const FigureContext& context = subject.context;
  TokenMapContent content{.map = NamedMapOf(head.map, subject.layers, context),
                          .query_tokens = head.query_tokens,
                          .key_tokens = head.key_tokens};
  FigurePage page = PageOf(context, head.map.layer->part(), content.map.title);
  return std::make_unique<TokenMap>(std::move(page), std::move(content));
}

// Queries down, keys across. The thumbnail of a short text holds every weight.
Result<Table> HeadTableOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto layer, LayerOf(subject));
  if (subject.head.head < 0 || subject.head.head >= layer->shape().heads) {
    return Fail(ErrorCode::kInput, fmt::format("{} is not there", HeadName(subject.head)));
  }
  const Thumbnail& map = layer->thumbnail(subject.head.head);
  if (map.pooled) {
    return Fail(ErrorCode::kInput,
                fmt::format("values of texts of up to {} tokens can be copied; headscope attend "
                            "writes those of longer ones",
                            kThumbnailSize));
  }
  const FigureContext& context = subject.context;
  const auto& queries = HasTargetQueries(layer->part()) ? context.target_tokens : context.tokens;
  const auto& keys = HasTargetKeys(layer->part()) ? context.target_tokens
                     : context.key_tokens.empty() ? context.tokens
                                                  : context.key_tokens;
  const auto name = [](const std::vector<std::string>& tokens, std::int64_t at) {
    return at < std::ssize(tokens) ? tokens[static_cast<std::size_t>(at)] : fmt::format("{}", at);
  };
  Table table{.title = HeadName(subject.head),
              .caption = {},
              .columns = {{HeadName(subject.head), "query"}},
              .rows = {}};
  for (std::int64_t key = 0; key < map.cols; ++key) {
    table.columns.push_back({name(keys, key), fmt::format("{}", key), true});
  }
  for (std::int64_t query = 0; query < map.rows; ++query) {
    std::vector<TableCell> row = {{name(queries, query)}};
    for (std::int64_t key = 0; key < map.cols; ++key) {
      const auto weight =
          static_cast<double>(map.mean[static_cast<std::size_t>(query * map.cols + key)]);
      row.push_back(weight >= 0.0 ? TableCell{fmt::format("{:.3f}", weight), weight} : TableCell{});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr std::array<NumbersFormat, 1> kHeadPage = {PageFormat<WriteHeadPage>()};

}  // namespace

extern const FigureKind kHeadFigure;
const FigureKind kHeadFigure{.of = FigureOf::kHead,
                             .view = kPlainView,
                             .make = MakeHead,
                             .numbers = kHeadPage,
                             .table = HeadTableOf};

}  // namespace headscope
