// The requests for the tree of a text and for a head beside it, and their answers
// (core/worker/requests.h).
//
// Threads  as there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/map_view.h"
#include "core/heads/measure/text_tree.h"
#include "core/heads/measure/tree_answers.h"
#include "core/worker/request_rule.h"

namespace headscope {

// A file of annotated sentences that was read.
struct Treebank {
  std::filesystem::path path;
  AnnotatedText text;
};

// Looks for the annotated sentence of a text: in a treebank that is open, then in files.
struct FindTreeJob {
  std::shared_ptr<const Encoding> tokens;
  std::string text;
  std::shared_ptr<const Treebank> open = {};      // or null
  std::vector<std::filesystem::path> files = {};  // or folders, whose .conllu files are read

  static constexpr RequestRule kRule{.turn = 2, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

struct FoundTree {
  std::shared_ptr<const TextTree> tree = {};  // null: there is none
  std::string why_not = {};
};
struct TreeFound {
  std::shared_ptr<const FoundTree> found;
};

// Asks a head about each edge of a tree.
struct AnswerTreeJob {
  MapView map;
  std::shared_ptr<const TextTree> tree;
  PairDirection direction = PairDirection::kDependentToHead;

  static constexpr RequestRule kRule{
      .turn = 2, .is_about = Topic::kText, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};
struct TreeAnswered {
  std::shared_ptr<const TreeAnswers> answers;
};

}  // namespace headscope
