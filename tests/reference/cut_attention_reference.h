// Attention with edges cut, as in the formula, in double: rows are made from queries and keys with the
// cut ones left out, one product at a time.
//
// Shapes   as AttentionInput.
// Threads  the backend's.
#pragma once

#include <stop_token>

#include "core/causes/heads_off.h"
#include "core/model/layer_changes.h"

namespace headscope::test {

class CutAttentionReference : public LayerChanges {
 public:
  explicit CutAttentionReference(HeadsOff off) : off_(std::move(off)) {}
  Status Attend(LayerId layer,
                const AttentionInput& input,
                Backend* backend,
                AttentionObserver* observer,
                Activations* context,
                const std::stop_token& stop) override;

 private:
  HeadsOff off_;
};

}  // namespace headscope::test
