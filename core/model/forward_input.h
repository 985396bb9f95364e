// What a model reads, checked before anything is computed.
//
// Errors   kInput; the message says what was expected and what was found.
// Threads  any.
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
  // What an attention module makes its keys of [m, kdim], and its values of [m, vdim]; empty: the
  // embeddings, and what the keys are made of.
  std::vector<float> key_embeddings = {};
  std::vector<float> value_embeddings = {};
  // What an encoder-decoder's decoder reads [m], its start token first; empty: not given.
  std::vector<std::int32_t> target_ids = {};
  // Texts of one length that are run side by side: ids (or embeddings) and segment_ids hold them
  // one after another, and target_ids their targets, of one length too. More than one have no
  // embeddings of their own for keys.
  std::int64_t texts = 1;
};

// Tokens of the text, or of each one of several; not of the target.
[[nodiscard]] std::int64_t TokenCount(const ModelDescription& model, const ForwardInput& input);

// Keys that every query looks at: tokens of the text, unless they have embeddings of their own.
[[nodiscard]] std::int64_t KeyCount(const ModelDescription& model, const ForwardInput& input);

// Refuses what the model cannot read: no token, too many, ids past the vocabulary, embeddings of
// the wrong width, segments that it does not tell apart, a target without a decoder.
[[nodiscard]] Status CheckInput(const ModelDescription& model, const ForwardInput& input);

}  // namespace headscope
