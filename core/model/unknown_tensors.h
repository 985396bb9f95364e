// Tensors of a file that a description has no place for: a map made without one would be another
// model's.
//
// Errors   kFormat (a layer past the last one), kUnsupported; each names the file and the tensor.
// Threads  any.
// Cost     names; of biases that are nothing but zeros the bytes.
// Source   transformers' _keys_to_ignore_on_load_unexpected, and the buffers that older versions
//          saved.
#pragma once

#include "core/base/error.h"
#include "core/model/block_description.h"
#include "core/model/plain_names.h"

namespace headscope {

// Before the description's tensors get the file's names. Of the part that is run only: heads and
// poolers, another stack, cross-attention without an encoder, rotary buffers and masks pass.
[[nodiscard]] Status RefuseUnknown(const PlainNames& names, ModelDescription* description);

}  // namespace headscope
