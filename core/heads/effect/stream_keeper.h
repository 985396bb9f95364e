// Keeps one token's residual stream split by writer while a forward runs, up to the input of one
// layer's attention.
//
// Shapes   rows [d] of the token.
// Threads  the forward's.
#pragma once

#include <cstdint>
#include <span>

#include "core/heads/effect/residual_stream.h"
#include "core/model/forward.h"

namespace headscope {

class StreamKeeper {
 public:
  // `stack`: kWhole, kEncoder or kDecoder. `before`: the norm between the stream and the reader, or
  // null. The model outlives this.
  StreamKeeper(const Model& model, ModelPart stack, std::int64_t token, const NormNeed* before)
      : model_(model), stack_(stack), token_(token), before_(before) {}

  [[nodiscard]] std::int64_t token() const { return token_; }
  // True if what that part writes is to be kept here.
  [[nodiscard]] bool Wants(ModelPart part) const {
    return !is_closed_ && (part == ModelPart::kCross ? ModelPart::kDecoder : part) == stack_;
  }
  [[nodiscard]] bool Wants(const NormNeed& norm) const;

  void OnEmbedding(EmbeddingPart part, std::span<const double> row);
  // Adds the outputs of a layer's heads, side by side [H dv], through its whole output projection.
  void OnContext(LayerId layer, std::span<const double> context, const ProjectionColumns& output);
  // Adds one row to what the current attention writes, as OnContext does; BeginAttention comes before.
  void BeginAttention() { Settle(); }
  void AddToAttention(const Writer& writer, std::span<const double> row) {
    attention_.Add(writer, row);
  }
  void OnMlp(LayerId layer, std::span<const double> row);
  void OnNorm(const NormNeed& norm, std::span<const double> input);

  // Whatever is written from now on is not read.
  void Close();
  [[nodiscard]] const WrittenRows& reading() const { return stream_; }

 private:
  [[nodiscard]] const StackDescription& stack() const {
    return StackOf(model_.description(), stack_);
  }
  void Settle();

  const Model& model_;
  ModelPart stack_;
  std::int64_t token_;
  const NormNeed* before_;
  bool is_closed_ = false;
  WrittenRows stream_;
  WrittenRows attention_;  // of the current layer, not in the stream yet
  WrittenRows mlp_;
};

}  // namespace headscope
