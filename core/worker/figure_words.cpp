#include "core/worker/figure_words.h"

#include <string>

#include <fmt/format.h>

#include "core/base/sentence.h"

namespace headscope {
void DescribeGiven(const AttentionFile& file, FigureContext* context) {
  const std::string family = file.family();
  context->model = fmt::format("{}, {}attention from a file, stored as {}",
                               file.name(),
                               family.empty() ? "" : family + ", ",
                               file.precision());
  context->text = file.text();
  context->tokens = AxisTokens(*file.encoding());
  if (file.target() != nullptr) {
    context->target_tokens = AxisTokens(*file.target());
  }
  if (file.keys() != nullptr) {
    context->key_tokens = AxisTokens(*file.keys());
  }
  context->notes = file.notes();
  context->notes.push_back(file.mask_note());
  for (std::string& note : context->notes) {
    note = Sentence(note);
  }
}

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
