// What a figure says about its text.
#include <fmt/format.h>

#include "core/worker/figure_words.h"

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

void DescribeTarget(const InputText& input,
                    const Encoding& target,
                    const std::string& generated,
                    FigureContext* context) {
  context->target_tokens = AxisTokens(target);
  context->target_is_generated = !input.target && input.target_ids.empty();
  context->target = context->target_is_generated ? generated : input.target.value_or("");
}

}  // namespace headscope
