// What the decoder of an encoder-decoder reads while its encoder reads a text of a probe: the same
// text, as it is trained (teacher forced): the decoder's start token, then the text's tokens without
// the one that ends it.
//
// Row q of a target has read the token at place q - 1 of the source; row 0, the start token, has
// read none of it.
//
// Of a control (ProbeSequence::is_control) the target is another text than the source, so that the
// rows of cross-attention, too, are measured where another token stands: those tokens that its
// sequence has not stand half their number further on. Rows of the decoder itself see tokens that
// their sequence has not, as they would of the control's own.
//
// Errors   kUnsupported: the decoder's ids are of another vocabulary.
// Threads  any.
// Source   docs/reference.md, "Parts of an encoder-decoder".
#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "core/heads/probe/probe.h"

namespace headscope {

// The place in the source of the token that a row of the target has read.
[[nodiscard]] constexpr std::int64_t PlaceInSource(std::int64_t row) {
  return row - 1;
}

// For each sequence of the corpus its target, at the same place. Those that the decoder cannot read
// to their end are cut.
[[nodiscard]] Result<ProbeCorpus> MakeTargets(const Model& model, const ProbeCorpus& corpus);

}  // namespace headscope
