// `patch --evidence`: numbers for roles that pairs of texts tell.
//
// Errors   CommandError.
#pragma once

#include <vector>

#include "app/cli/commands.h"
#include "core/causes/role_evidence.h"

namespace headscope {

// Refuses options that go with scores of one kind of patching.
[[nodiscard]] CommandStatus CheckEvidenceOptions(const Options& options);
[[nodiscard]] CommandStatus WriteRoleEvidence(const Options& options,
                                              Forward* forward,
                                              const std::vector<PatchPair>& pairs);

}  // namespace headscope
