// How the selected head is shown in full, and which of its layer's heads with it.
//
// Threads  plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "core/attention/joined_heads.h"
#include "core/attention/kept_weights.h"
#include "core/attention/token_look.h"
#include "core/causes/heads_off.h"
#include "core/heads/effect/weighed_head.h"
#include "core/text/tokenizer.h"

namespace headscope {

// In the order in which they stand above the head.
enum class HeadView { kMap, kLines, kArcs, kText, kPair };

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
  bool by_key = false;         // arcs and text: who looks at the pointed word, not what it looks at
  bool whole_line = false;     // arcs: the whole text in the panel's width
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

// The largest weights of the heads in view.
using Kept = Asked<KeptQuestion, std::shared_ptr<const KeptWeights>>;

}  // namespace headscope
