// Finds tensors that a description has no place for: maps made without them would belong to another
// model.
//
// Errors   kFormat (a layer beyond the last one), kUnsupported; each names the file and the tensor.
// Cost     names; also reads biases, which may be all zeros.
// Source   transformers' _keys_to_ignore_on_load_unexpected, and the buffers that older versions
//          saved.
#pragma once

#include "core/base/error.h"
#include "core/model/block_description.h"
#include "core/model/plain_names.h"

namespace headscope {

// Call it before the description's tensors get the file's names. It considers only the part that is
// run: heads and poolers, another stack, cross-attention without an encoder, rotary buffers and
// masks are accepted.
[[nodiscard]] Status RefuseUnknown(const PlainNames& names, ModelDescription* description);

}  // namespace headscope
