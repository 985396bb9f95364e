// A description's tensors by the names that a file has for them, as transformers finds them.
//
// Errors   kFormat: two tensors that are not the same could both be meant; no name is as any class
//          of the family saves it. kUnsupported: a tensor that no model of the description has.
//          Each names the file and the tensors.
// Threads  any.
// Cost     names only; tensors that a file holds twice are compared.
// Source   transformers' from_pretrained: prefixes, tied weights.
#pragma once

#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"

namespace headscope {

// Gives each tensor the name that the file has for it: with that of `prefixes` and what wrappers
// put before it (core/model/plain_names.h), norms spelt as old files do (gamma, beta), tied ones
// under the name that is there. What the file does not hold is left out: a decoder beside an
// encoder, an output layer, stored sinusoids. What it holds beyond the description is refused
// (core/model/unknown_tensors.h).
[[nodiscard]] Status UseNamesOf(const WeightStore& weights,
                                std::span<const std::string_view> prefixes,
                                ModelDescription* description);

}  // namespace headscope
