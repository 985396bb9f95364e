// Two windows on one session: what each changed since it last saw the file goes into it, by head.
//
// Errors   UpdateSession: those of LoadSession and SaveSession; kIo while another program holds the
//          file; kInput where the file has become another model's. The file is then left as it is.
// Threads  any, and any number of programs at once; a kill leaves the file before or after, whole.
// Cost     reads and writes the file; waits for another writer, at most two seconds.
#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "core/heads/session_file.h"

namespace headscope {

// A head that `mine` changed since `base` is as in `mine`, every other as in `theirs`. The same
// holds for the text with its pair and target, for the selection and for the model, each as one.
// Keys that this version does not know are kept from both.
[[nodiscard]] SessionFile MergeSessions(const SessionFile& base,
                                        const SessionFile& mine,
                                        const SessionFile& theirs);

// Brings `mine` into the file; `base` is the session as this program last read or wrote it (an
// empty one: never). Returns what the file holds now.
[[nodiscard]] Result<SessionFile> UpdateSession(const std::filesystem::path& path,
                                                const SessionFile& base,
                                                const SessionFile& mine);

}  // namespace headscope
