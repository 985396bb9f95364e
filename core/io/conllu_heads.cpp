#include <algorithm>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/io/conllu_parts.h"

namespace headscope::conllu {

using annotated::FailAt;
using annotated::OrProblem;
using annotated::ParseNumber;
using annotated::Problem;

namespace {

tl::unexpected<Problem> HeadProblem(const Row& row, std::string words) {
  return FailAt(row.line, row.fields[kHead], std::move(words));
}

OrProblem<void> ReadHead(const Row& row, std::int64_t count, AnnotatedWord& word) {
  const std::string_view head = row.fields[kHead];
  const std::string_view relation = row.fields[kRelation];
  if (head == "_") {
    return HeadProblem(row, "a word without a governor (HEAD) among words that have one");
  }
  const std::optional<std::int64_t> number = ParseNumber(head);
  if (!number) {
    return HeadProblem(
        row, fmt::format("expected the number of a governor (HEAD), found {}", Quoted(head)));
  }
  if (*number > count) {
    return HeadProblem(
        row,
        fmt::format("the governor (HEAD) is word {}, but the last word is {}", *number, count));
  }
  if (relation == "_") {
    return FailAt(row.line, relation, "a governor (HEAD) without a relation");
  }
  word.head = *number - 1;
  word.relation = relation;
  return {};
}

// Walks up from each word to one that is known to lead to the root; meeting the same walk again
// means a circle.
OrProblem<void> CheckCircles(const std::vector<Row>& rows,
                             const std::vector<AnnotatedWord>& words) {
  std::vector<std::int64_t> walks(words.size(), -1);
  for (std::int64_t walk = 0; walk < std::ssize(words); ++walk) {
    for (std::int64_t at = walk; at >= 0; at = words[static_cast<std::size_t>(at)].head) {
      const auto index = static_cast<std::size_t>(at);
      if (walks[index] == walk) {
        return HeadProblem(
            rows[index],
            fmt::format("the governors (HEAD) of word {} lead back to itself, never to the root",
                        at + 1));
      }
      if (walks[index] >= 0) {
        break;
      }
      walks[index] = walk;
    }
  }
  return {};
}

}  // namespace

OrProblem<void> LinkHeads(const std::vector<Row>& rows, std::vector<AnnotatedWord>& words) {
  if (std::ranges::all_of(rows, [](const Row& row) { return row.fields[kHead] == "_"; })) {
    return {};
  }
  const Row* root = nullptr;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    HEADSCOPE_TRY(ReadHead(rows[i], std::ssize(words), words[i]));
    if (words[i].head >= 0) {
      continue;
    }
    if (root != nullptr) {
      return HeadProblem(rows[i],
                         fmt::format("a second root; word {} is one already", root->fields[kId]));
    }
    root = &rows[i];
  }
  // Without a root, every walk ends in a circle.
  return CheckCircles(rows, words);
}

}  // namespace headscope::conllu
