// A description's tensors by the names that a file has for them, as transformers finds them.
//
// Errors   kFormat: two tensors that are not the same could both be meant; no name is as any class
//          of the family saves it. Each names the file and the tensors.
// Threads  any.
// Cost     names only; tensors that a file holds twice are compared.
// Source   transformers' from_pretrained: prefixes, tied weights.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"

namespace headscope {

// Puts before each name that of `prefixes` which the file has, spells norms as old files do (gamma,
// beta), and takes a stand-in where the file holds that one only, or both alike. What the file does
// not hold is left out: a decoder beside an encoder, an output layer, stored sinusoids. `file`
// stands in messages.
[[nodiscard]] Status UseNamesOf(const TensorMap& tensors,
                                std::span<const std::string_view> prefixes,
                                const std::string& file,
                                ModelDescription* description);

}  // namespace headscope
