// Experts whose matrices a file holds as MXFP4, codes ("..._blocks") and scales ("..._scales") apart:
// GPT-OSS as OpenAI publishes it.
//
// Shapes   U8 [experts, out, groups, 16] and U8 [experts, out, groups], of matrices [out, 32 groups]:
//          the other way round than the same matrices without packing.
// Errors   kFormat (no scales), kShape, kUnsupported (not bytes).
// Source   transformers' integrations/mxfp4.py.
#pragma once

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"
#include "core/model/plain_names.h"

namespace headscope {

// Makes one tensor [experts out, 32 groups] of each such pair, under the name that both begin with.
[[nodiscard]] Status JoinBlocks(WeightStore* weights);

// Lets experts described with matrices [in, out] read such tensors, if the file has them.
void UsePackedExperts(const PlainNames& names, ModelDescription* description);

}  // namespace headscope
