// Finds the file's names for a description's tensors, as transformers does.
//
// Errors   kFormat: two different tensors could be meant, or no name matches any class of the
//          family. kUnsupported: a tensor that no model with this description has. Each names the
//          file and the tensors.
// Cost     names only; tensors that a file has twice are compared.
// Source   transformers' from_pretrained: prefixes, tied weights.
#pragma once

#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"

namespace headscope {

// Gives each tensor its name in the file: with one of the `prefixes` and the prefixes of wrappers
// (core/model/plain_names.h), norms spelt as in old files (gamma, beta), tied tensors under the
// name that exists. Drops what the file does not have: a decoder next to an encoder, an output
// layer, stored sinusoids. Rejects what it has beyond the description
// (core/model/unknown_tensors.h).
[[nodiscard]] Status UseNamesOf(const WeightStore& weights,
                                std::span<const std::string_view> prefixes,
                                ModelDescription* description);

}  // namespace headscope
