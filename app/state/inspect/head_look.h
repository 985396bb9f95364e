// How the selected head is shown in full, and which of its layer's heads with it.
//
// Threads  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "core/attention/joined_heads.h"
#include "core/attention/kept_weights.h"
#include "core/attention/token_look.h"
#include "core/causes/heads_off.h"
#include "core/figure/film_strip.h"
#include "core/heads/effect/weighed_head.h"
#include "core/heads/measure/tree_answers.h"
#include "core/text/tokenizer.h"

namespace headscope {

// In the order in which they stand above the head.
enum class HeadView { kMap, kLines, kArcs, kText, kPair, kSteps };

// Tokens that were chosen by hand, of one text.
struct ChosenWords {
  std::shared_ptr<const Encoding> of;
  std::vector<std::int64_t> tokens;  // in the order of the clicks
  friend bool operator==(const ChosenWords&, const ChosenWords&) = default;
};

enum class LineHeads { kOne, kSeveral };

// What the map is of: the head, its weights times the lengths of values or of their outputs, the mean
// of its layer's heads, or rollout up to its layer.
enum class MapOf { kHead, kValues, kOutputs, kMean, kRollout };

struct HeadLook {
  HeadView view = HeadView::kMap;
  MapOf map_of = MapOf::kHead;
  KeepRule keep = {};  // what lines and arcs show of a row
  LineHeads heads = LineHeads::kOne;
  std::set<std::int64_t> hidden = {};  // of the layer, where several are shown
  bool by_key = false;       // arcs and text: who looks at the pointed word, not what it looks at
  bool whole_line = false;   // arcs: the whole text in the panel's width
  bool beside_tree = false;  // arcs: the tree of the text above, the head below
  PairDirection tree_direction = PairDirection::kDependentToHead;
  bool all_steps = false;      // steps: all of them, not some
  ChosenWords words = {};      // text: their sum, in place of the selected one
  bool is_sorted = false;      // query and key: by the products
  bool lines_in_grid = false;  // thumbnails of all heads are lines, too
  bool shows_losses = false;   // of each token, below the sentence
  friend bool operator==(const HeadLook&, const HeadLook&) = default;
};

// Maps with tokens merged or hidden, of the picture of that request.
struct SeenQuestion {
  RequestId picture = 0;
  TokenLook look;
  HeadsOff off = {};  // taken away
  friend bool operator==(const SeenQuestion&, const SeenQuestion&) = default;
};
using Seen = Asked<SeenQuestion, std::shared_ptr<const SeenPicture>>;

struct JoinQuestion {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HeadsJoin join = HeadsJoin::kMean;
  friend bool operator==(const JoinQuestion&, const JoinQuestion&) = default;
};
// Heads joined into one map.
using Joined = Asked<JoinQuestion, std::shared_ptr<const LayerAttention>>;

struct WeighQuestion {
  MapView map;
  WeighedBy by = WeighedBy::kValues;
  friend bool operator==(const WeighQuestion&, const WeighQuestion&) = default;
};
using Weighed = Asked<WeighQuestion, std::shared_ptr<const WeighedHead>>;

struct KeptQuestion {
  std::vector<MapView> maps;  // of one layer
  KeepRule rule;
  friend bool operator==(const KeptQuestion&, const KeptQuestion&) = default;
};

// The tree of a text.
struct TreeQuestion {
  std::shared_ptr<const Encoding> tokens;
  std::string text;
  std::shared_ptr<const Treebank> open;  // or null
  std::vector<std::filesystem::path> files;
  friend bool operator==(const TreeQuestion&, const TreeQuestion&) = default;
};
using TreeOfText = Asked<TreeQuestion, std::shared_ptr<const FoundTree>>;

// What a head says of it.
struct TreeAnswersQuestion {
  MapView map;
  std::shared_ptr<const TextTree> tree;
  PairDirection direction = PairDirection::kDependentToHead;
  friend bool operator==(const TreeAnswersQuestion&, const TreeAnswersQuestion&) = default;
};
using AnswersOfTree = Asked<TreeAnswersQuestion, std::shared_ptr<const TreeAnswers>>;

// A head over the steps of its model's training, on the text of the picture of that request.
struct FilmQuestion {
  RequestId picture = 0;
  HeadIndex head;
  bool all_steps = false;
  std::string metric;
  friend bool operator==(const FilmQuestion&, const FilmQuestion&) = default;
};
struct FilmState : Asking {
  std::optional<FilmQuestion> now;     // what is in view
  std::optional<FilmQuestion> wanted;  // asked for, once
  FilmStrip strip;                     // of that question; frames are filled in as they come
  std::size_t done = 0;                // frames
  bool is_stopped = false;             // by a person
};

// The largest weights of the heads in view.
using Kept = Asked<KeptQuestion, std::shared_ptr<const KeptWeights>>;

}  // namespace headscope
