// Evidence for roles as JSON or CSV.
//
// Source   docs/reference.md, "patch".
#pragma once

#include <string>

#include "core/causes/role_evidence.h"

namespace headscope {

struct EvidenceAbout {
  std::string model;
  std::string input;  // the file of pairs, or the clean text
  std::int64_t pairs = 0;
};

[[nodiscard]] std::string EvidenceJson(const RoleEvidence& evidence, const EvidenceAbout& about);
// One line for each number: head, role, score, control, error, chance, cases.
[[nodiscard]] std::string EvidenceCsv(const RoleEvidence& evidence);

}  // namespace headscope
