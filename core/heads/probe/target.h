// The input of an encoder-decoder's decoder while its encoder reads a text of a probe: the same
// text, as in training (teacher forcing): the decoder's start token, then the text's tokens without
// the end token.
//
// Row q of a target has read the token at place q - 1 of the source; row 0, the start token, has
// read none of it.
//
// For a control (ProbeSequence::is_control) the target is a different text from the source, so that
// cross-attention rows, too, are measured at another token: the tokens that its sequence lacks are
// shifted by half their number. Rows of the decoder itself see tokens that their sequence lacks, as
// they would in the control's own text.
//
// Errors   kUnsupported: the decoder has a different vocabulary.
// Source   docs/reference.md, "Parts of an encoder-decoder".
#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "core/heads/probe/probe.h"

namespace headscope {

// Returns the place in the source of the token that a row of the target has read.
[[nodiscard]] constexpr std::int64_t PlaceInSource(std::int64_t row) {
  return row - 1;
}

// Returns a target for each sequence of the corpus, at the same index. Targets that are too long
// for the decoder are cut.
[[nodiscard]] Result<ProbeCorpus> MakeTargets(const Model& model, const ProbeCorpus& corpus);

}  // namespace headscope
