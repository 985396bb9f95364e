#include "core/figure/joined_map.h"

#include <utility>
#include <vector>

#include "core/figure/token_map.h"

namespace headscope {

Result<std::unique_ptr<Figure>> MakeJoinedMap(const FigureSubject& subject, HeadsJoin join) {
  HEADSCOPE_TRY(const auto last, LayerOf(subject));
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  for (const auto& layer : subject.layers) {
    const bool is_below = layer != nullptr && layer->part() == last->part() &&
                          layer->layer() < last->layer() && join == HeadsJoin::kRollout;
    if (is_below || layer == last) {
      layers.push_back(layer);
    }
  }
  FigureSubject joined = subject;
  HEADSCOPE_TRY(const auto map, JoinHeads(layers, join, {}));
  joined.layers = {map};
  joined.head = {last->layer(), 0, last->part()};
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(joined));
  TokenMapContent content{.map = MapOf(head.map, joined.layers, joined.context),
                          .query_tokens = head.query_tokens,
                          .key_tokens = head.key_tokens};
  content.map.title = JoinedName(*last, join);
  FigurePage page = PageOf(joined.context, last->part(), content.map.title);
  return std::make_unique<TokenMap>(std::move(page), std::move(content));
}

}  // namespace headscope
