// A BART of one layer whose heads are set by hand: D0H0 looks at the previous token, X0H0 at the
// source token at the same place, X0H1 at source tokens equal to the one that the row has read; the
// others look evenly.
//
// Tokens and positions are columns of their own in the residual stream, which nothing changes:
// attention and MLP add nothing, and a norm turns such a sum into a multiple of itself.
//
// Shapes   64 positions, 64 ids: 0 begins a text, 1 pads, 2 starts and ends; 2 heads of 64.
#pragma once

#include <algorithm>
#include <string>

#include "tests/support/tiny_model.h"

namespace headscope::test {

inline TinyModel CopyingBart() {
  constexpr std::size_t kWidth = 128;
  constexpr std::size_t kHalf = 64;
  constexpr float kSharp = 3.0F;
  TinyModel model(R"({"model_type": "bart", "encoder_layers": 1, "decoder_layers": 1,
      "encoder_attention_heads": 2, "decoder_attention_heads": 2, "d_model": 128,
      "encoder_ffn_dim": 4, "decoder_ffn_dim": 4, "max_position_embeddings": 62,
      "vocab_size": 64, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2,
      "decoder_start_token_id": 2})");
  for (auto& [name, tensor] : model.tensors) {
    const bool is_norm = name.find("norm") != std::string::npos && name.ends_with("weight");
    std::ranges::fill(tensor.values, is_norm ? 1.0F : 0.0F);
  }
  const auto at = [&](const std::string& name, std::size_t row, std::size_t column) -> float& {
    return model.tensors.at(name).values[row * kWidth + column];
  };
  for (const std::string stack : {"encoder.", "decoder."}) {
    for (std::size_t i = 0; i < kHalf; ++i) {
      at(stack + "embed_tokens.weight", i, i) = 1.0F;
      at(stack + "embed_positions.weight", i, kHalf + i) = 1.0F;
    }
  }
  // Head 0 by place: a key at row j of the table answers the query of row j + 1.
  const std::string layer = "decoder.layers.0.";
  for (const std::string kind : {"self_attn.", "encoder_attn."}) {
    for (std::size_t i = 0; i + 1 < kHalf; ++i) {
      at(layer + kind + "q_proj.weight", i + 1, kHalf + i + 1) = kSharp;
      at(layer + kind + "k_proj.weight", i + 1, kHalf + i) = kSharp;
    }
  }
  // Head 1 by token.
  for (std::size_t i = 0; i < kHalf; ++i) {
    at(layer + "encoder_attn.q_proj.weight", kHalf + i, i) = kSharp;
    at(layer + "encoder_attn.k_proj.weight", kHalf + i, i) = kSharp;
  }
  return model;
}

}  // namespace headscope::test
