// Evidence for roles over a file of pairs, as far as the open model reads them.
//
// Threads  immutable once published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/causes/role_evidence.h"
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct FoundEvidence {
  RoleEvidence evidence;
  std::string input;       // the file's name
  std::int64_t pairs = 0;  // that the model reads
  std::int64_t of = 0;     // all of the file
};

// kInput: the model reads fewer than kFewestPairs of the file, and too few words of the tables.
struct EvidenceJob {
  std::filesystem::path pairs;
  std::filesystem::path token_maps = {};
  Opening opening = {};  // as in AttendRequest

  static constexpr std::int64_t kFewestPairs = 5;
  static constexpr RequestRule kRule{.turn = 7, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

struct EvidenceFound {
  std::shared_ptr<const FoundEvidence> found;
};

}  // namespace headscope
