// Keeps a decoder's keys and values from one run to the next, where each run reads one more token.
//
// Threads  the backend's thread.
// Cost     copies every key and value once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/forward.h"
#include "core/model/past.h"

namespace headscope {

class KeptKeys : public LayerObserver, public AttentionObserver {
 public:
  explicit KeptKeys(std::int64_t layers)
      : own_(static_cast<std::size_t>(layers)), cross_(static_cast<std::size_t>(layers)) {}

  // Returns the keys and values of the last run's tokens, valid until the next run.
  [[nodiscard]] Past Kept() const {
    Past past{.tokens = tokens_, .own = {}, .cross = {}};
    for (std::size_t layer = 0; layer < own_.size() && tokens_ > 0; ++layer) {
      past.own.push_back({{}, own_[layer].keys, own_[layer].values, tokens_});
      past.cross.push_back({{}, cross_[layer].keys, cross_[layer].values, tokens_});
    }
    return past;
  }

  void Forget() {
    tokens_ = 0;
    own_.assign(own_.size(), {});
    cross_.assign(cross_.size(), {});
  }

  AttentionObserver* BeginLayer(LayerId layer) override {
    std::vector<Rows>& part = layer.part == ModelPart::kCross ? cross_ : own_;
    current_ = &part[static_cast<std::size_t>(layer.layer)];
    return this;
  }

  void OnProjections(const AttentionProjections& projections) override {
    tokens_ = projections.rule.offset + projections.shape.queries;
    Append(projections.keys, &current_->keys);
    Append(projections.values, &current_->values);
  }
  void OnBlock(const AttentionBlock& /*block*/) override {}

 private:
  struct Rows {
    std::vector<float> keys;
    std::vector<float> values;
  };

  // The kept rows are the beginning of `all`.
  static void Append(std::span<const float> all, std::vector<float>* kept) {
    const std::span<const float> added = all.subspan(kept->size());
    kept->insert(kept->end(), added.begin(), added.end());
  }

  std::vector<Rows> own_;
  std::vector<Rows> cross_;
  Rows* current_ = nullptr;
  std::int64_t tokens_ = 0;
};

}  // namespace headscope
