// What a figure says of its text.
#include <fmt/format.h>

#include "core/session/figure_builders.h"

namespace headscope {

void DescribeInput(const InputText& input, const Encoding& encoding, FigureContext* context) {
  context->tokens = AxisTokens(encoding);
  if (input.ids.empty() && input.embeddings.empty()) {
    context->text = input.pair ? fmt::format("{} | {}", input.text, *input.pair) : input.text;
  }
  if (encoding.cut_from > 0) {
    context->notes.push_back(fmt::format("These are the first {} of the text's {} tokens.",
                                         encoding.tokens.size(),
                                         encoding.cut_from));
  }
}

}  // namespace headscope
