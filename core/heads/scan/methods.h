// A scan as files: its tables, and beside them a text that says how they were made, with seeds and
// the command that makes each table again.
//
// Errors   kIo.
// Threads  plain values; writing as core/base/atomic_file.h.
// Source   docs/reference.md, "Scans as files".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/scan/head_scan.h"

namespace headscope {

// "a/NAME.txt", "a/NAME-repeats.csv", "a/NAME-sentences.csv"; of texts that a person chose
// "a/NAME-probe.csv" in place of both.
struct ScanFiles {
  std::filesystem::path text;
  std::filesystem::path repeats;
  std::filesystem::path sentences;
  std::filesystem::path probe = {};
};
[[nodiscard]] ScanFiles ScanFilesAt(const std::filesystem::path& text);

struct ScanPlaces {
  std::filesystem::path model;   // as a command names it
  std::filesystem::path probes;  // the folder of the probe sentences
};

// The paragraph, the metrics with their formulas, the seeds, the commands, and what is suggested.
[[nodiscard]] std::string MethodsText(const HeadScanReport& report,
                                      const ScanFiles& files,
                                      const ScanPlaces& places);

// Returns what was written, the text first.
[[nodiscard]] Result<std::vector<std::filesystem::path>> WriteScanFiles(
    const ScanFiles& files, const HeadScanReport& report, const ScanPlaces& places);

// Whether one of the files is there, and whether all that are there are such files.
enum class ScanFilesThere { kNone, kOurs, kOthers };
[[nodiscard]] ScanFilesThere LookForScanFiles(const ScanFiles& files);

}  // namespace headscope
