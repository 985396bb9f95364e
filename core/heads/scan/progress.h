// What a scan has done so far, in a file beside the one that it will write, so that a scan that was
// killed can be resumed; and how long the rest will take.
//
// Errors   kIo; kInput: what is there is of another scan.
// Threads  one.
// Cost     a line is appended for each batch.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/heads/scan/part.h"

namespace headscope {

class ScanProgress {
 public:
  // `out`.progress; what an earlier run left there is read into `part` if `resume`, else dropped.
  [[nodiscard]] static Result<ScanProgress> Open(const std::filesystem::path& out,
                                                 bool resume,
                                                 ScanPart* part);

  // Kept even if the program is killed right after.
  [[nodiscard]] Status Keep(std::int64_t batch, const BatchSums& sums) const;
  void Remove() const;

 private:
  explicit ScanProgress(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] Status Append(const std::string& text, bool anew) const;
  std::filesystem::path path_;
};

// "12 of 40 batches, 1 min left"
class ScanClock {
 public:
  // Progress of one share of a scan, of which `part` already has some batches.
  ScanClock(const ScanPart& part, std::int64_t shard, std::int64_t shards);
  [[nodiscard]] std::string Words(const ScanPart& part) const;

 private:
  std::int64_t had_ = 0;
  std::int64_t total_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace headscope
