// Reads the JSON of a scan (core/heads/scan/score_report.h) back: what figures and tables are made of.
// The scores by period are left out.
//
// Errors   kIo, kFormat (not such a file: says what is wrong); naming the file.
// Threads  plain values.
// Cost     one pass; a file of 144 heads has some megabytes.
// Source   docs/reference.md, "score".
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/heads/scan/ablated_heads.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/score_report.h"

namespace headscope {

inline constexpr std::uint64_t kLargestScoreFile = std::uint64_t{512} << 20U;

struct ScoreFile {
  ScoreReport report;
  std::vector<HeadAblation> ablations;
};
[[nodiscard]] Result<ScoreFile> ReadScores(const std::filesystem::path& path);

// What files of one model say together: of each kind of probe, repeats and texts, the last one counts.
[[nodiscard]] HeadScanReport ScanOfFiles(std::span<const ScoreFile> files);

}  // namespace headscope
