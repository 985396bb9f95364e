// Roles that scores speak for, head by head, without those that a person rejected.
//
// Threads  immutable once made.
// Cost     a look at every suggestion.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "core/heads/flags/flags.h"
#include "core/heads/scan/head_scan.h"

namespace headscope {

// Whether it is one of them, or of the report's other parts; and how many these are.
[[nodiscard]] bool IsScanned(const HeadScanReport& report, HeadIndex head);
[[nodiscard]] std::size_t CountScanned(const HeadScanReport& report);

// What the scores suggest (core/heads/scan/roles.h) of each head; those of heads that the report has not are empty.
class HeadSuggestions {
 public:
  HeadSuggestions() = default;
  // Null: none of any head. Those that `flags` reject are left out.
  explicit HeadSuggestions(const HeadScanReport* report, const FlagSheet& flags = {});
  // The flags that came from other models, after those of the scan.
  void AddOtherModels(const FlagSheet& flags);
  [[nodiscard]] const std::vector<const Suggestion*>& Of(HeadIndex head) const&;
  void Of(HeadIndex head) && = delete;  // what it gives ends with this

 private:
  void Sort();

  std::map<HeadIndex, std::vector<const Suggestion*>> by_head_;
  std::vector<const Suggestion*> none_;
  std::shared_ptr<const std::vector<Suggestion>> others_;  // of other models
};

}  // namespace headscope
