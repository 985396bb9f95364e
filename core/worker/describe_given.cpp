// What a figure says about attention from a file.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/worker/figure_words.h"

namespace headscope {
namespace {

// Turns part of a sentence into a whole one.
std::string Sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

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
    note = Sentence(std::move(note));
  }
}

}  // namespace headscope
