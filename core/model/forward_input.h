// The input of a model, checked before anything is computed.
//
// Errors   kInput; the message says what was expected and what was found.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/model/block_description.h"

namespace headscope {

struct ForwardInput {
  std::vector<std::int32_t> ids;               // [n]; empty: embeddings
  std::vector<float> embeddings;               // [n, d], before positions are added; empty: ids
  std::vector<std::int32_t> segment_ids = {};  // [n], or empty: all 0
  // An attention module's input for keys [m, kdim], and for values [m, vdim]; empty: the
  // embeddings, and the input for keys.
  std::vector<float> key_embeddings = {};
  std::vector<float> value_embeddings = {};
  // The input of an encoder-decoder's decoder [m], its start token first; empty: not given.
  std::vector<std::int32_t> target_ids = {};
  // Number of texts of one length that run side by side: ids (or embeddings) and segment_ids hold
  // them one after another, and target_ids their targets, all of one length, too. Several texts
  // cannot have key_embeddings.
  std::int64_t texts = 1;
};

// Tokens per text, without the target.
[[nodiscard]] std::int64_t TokenCount(const ModelDescription& model, const ForwardInput& input);

// Keys that every query sees: the text's tokens, unless there are key_embeddings.
[[nodiscard]] std::int64_t KeyCount(const ModelDescription& model, const ForwardInput& input);

// Rejects what the model cannot read: no token, too many, ids beyond the vocabulary, embeddings of
// the wrong width, segments that it does not distinguish, a target without a decoder.
[[nodiscard]] Status CheckInput(const ModelDescription& model, const ForwardInput& input);

}  // namespace headscope
