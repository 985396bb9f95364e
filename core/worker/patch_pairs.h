// Patching over the pairs of a file, for the window (core/worker/patch_request.h).
//
// Errors   those of PatchJob; the file's name and line begin the message.
// Threads  the worker's.
#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "core/worker/patch_request.h"

namespace headscope {

// The row that says the word where none is asked for: the last one, or the masked one of a masked model.
[[nodiscard]] Result<std::int64_t> RowOfWord(const Model& model, const PatchPair& pair);

// Every pair is read before the first is run, and goes on with what is kept of an earlier run. Publishes
// what is there of them, the last time all.
[[nodiscard]] Status PatchPairsOfFile(const PatchJob& request, Job* job);

}  // namespace headscope
