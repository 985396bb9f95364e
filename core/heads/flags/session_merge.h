// Two windows on one session: what each changed since it last saw the file goes into it, by head.
//
// A head that both have flagged differently since is a person's to decide: the file keeps what the
// other window wrote.
//
// Errors   UpdateSession: those of LoadSession and SaveSession; kIo while another program holds the
//          file; kInput where the file has become another model's. The file is then left as it is.
// Threads  any, and any number of programs at once; a kill leaves the file before or after, whole.
// Cost     reads and writes the file; waits for another writer, at most two seconds.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/heads/flags/session_file.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

// A head that `mine` changed since `base` is as in `mine`, every other as in `theirs`. The same
// holds for the text with its pair and target, for the selection and for the model, each as one.
// Keys that this version does not know are kept from both.
[[nodiscard]] SessionFile MergeSessions(const SessionFile& base,
                                        const SessionFile& mine,
                                        const SessionFile& theirs);

// The heads that both have flagged differently since `base`.
[[nodiscard]] std::vector<HeadIndex> HeadsInConflict(const SessionFile& base,
                                                     const SessionFile& mine,
                                                     const SessionFile& theirs);

// `to` with what `from` says of these heads.
[[nodiscard]] SessionFile WithFlagsOf(SessionFile to,
                                      const SessionFile& from,
                                      std::span<const HeadIndex> heads);

struct UpdatedSession {
  SessionFile session;               // what the file holds now
  std::vector<HeadIndex> conflicts;  // of these heads it holds what the other window says
};

// Brings `mine` into the file; `base` is the session as this program last read or wrote it (an
// empty one: never).
[[nodiscard]] Result<UpdatedSession> UpdateSession(const std::filesystem::path& path,
                                                   const SessionFile& base,
                                                   const SessionFile& mine);

}  // namespace headscope
