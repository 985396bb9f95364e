// What a person took away, and the layers that came of it. Part of app/state/app_state.h.
//
// Threads  UI thread. Payloads from the worker are shared and immutable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "core/attention/layer_attention.h"
#include "core/text/tokenizer.h"
#include "core/worker/text_said.h"

namespace headscope {

// The texts whose tokens edges are between: another text has other ones.
struct EdgesOf {
  std::shared_ptr<const Encoding> text;
  std::shared_ptr<const Encoding> target;
  friend bool operator==(const EdgesOf&, const EdgesOf&) = default;
};

struct HeadsOffState : Asking {
  HeadsOff chosen;
  EdgesOf edges_of;
  bool shows_whole = false;  // for a look at the difference
  HeadsOff of;            // asked for last, of the picture of that request; the answer is of them
  RequestId picture = 0;  // 0: nothing was asked
  // In place of the picture's, in its order; null: its own, or not there yet.
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  TextSaid said;  // of an answer that is all there
};

// What the whole model says after each row of the picture of that request.
using WholeText = Asked<RequestId, TextSaid>;

}  // namespace headscope
