#include "core/figure/weighed_map.h"

#include <cstddef>
#include <utility>

#include "core/figure/token_map.h"

namespace headscope {

Result<std::unique_ptr<Figure>> MakeWeighedMap(const FigureSubject& subject, WeighedBy by) {
  const WeighedHead* const weighed = subject.weighed.get();
  if (weighed == nullptr || weighed->by != by || weighed->of != subject.head) {
    return Fail(
        ErrorCode::kInput,
        "This head's weights are not weighed yet; wait for its map, or choose another view.");
  }
  FigureSubject one = subject;
  one.layers = {weighed->layer};
  one.head = {weighed->of.layer, 0, weighed->of.part};
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(one));
  TokenMapContent content{.map = MapOf(head.map, one.layers, one.context),
                          .query_tokens = head.query_tokens,
                          .key_tokens = head.key_tokens};
  content.map.title = WeighedName(*weighed);
  one.context.notes.push_back(
      WeighedScale(*weighed, head.key_tokens[static_cast<std::size_t>(weighed->longest_key)]) +
      ".");
  FigurePage page = PageOf(one.context, weighed->of.part, content.map.title);
  return std::make_unique<TokenMap>(std::move(page), std::move(content));
}

}  // namespace headscope
