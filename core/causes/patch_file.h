// Patching over pairs as files: the pairs, what is done of them so far, and the result.
//
// Errors   kIo, kFormat; kInput: parts that are not of one run. Messages name the file.
// Source   docs/reference.md, "patch".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/causes/patching.h"

namespace headscope {

// A line of a file of pairs.
struct PairLine {
  std::string clean;
  std::string corrupted;
  std::string right;
  std::string wrong;
  std::size_t line = 0;  // from 1
};
// A first line that names the columns is left out.
[[nodiscard]] Result<std::vector<PairLine>> ReadPairs(const std::filesystem::path& path);

// What was asked; equal of all parts of one run.
struct PatchAbout {
  std::string model;
  std::string fingerprint;
  std::string what;       // "output", or "path"
  std::string direction;  // "denoise"
  std::string pairs;      // the texts and tokens, as given
  std::string clean;      // of a single pair
  std::string corrupted;
  std::string right;
  std::string wrong;
  std::optional<std::int64_t> row;  // of a single pair
  std::optional<std::int64_t> at;
  std::vector<std::string> things;  // "L0H3", of paths with "together" at the end; empty: positions
  std::int64_t layers = 0;          // of the map over positions
  std::vector<std::string> positions = {};  // their names, of a single pair; in no file
  std::vector<std::string> to = {};         // "L9H9:q"
  bool freezes_mlps = false;                // of paths
  std::int64_t num_pairs = 1;
  friend bool operator==(const PatchAbout&, const PatchAbout&) = default;
};

// Describes a question about these pairs, of which only texts and tokens are read, as given; `row` is
// left out. `lengths`: of a pair.
[[nodiscard]] PatchAbout DescribePatching(const Model& model,
                                          const PatchQuestion& question,
                                          const std::vector<PairLine>& pairs,
                                          PatchLengths lengths);

struct PatchPart {
  PatchAbout about;
  std::map<std::int64_t, PatchedPair> done;  // by pair
};

// The first line is of all, then one for each pair.
[[nodiscard]] std::string PatchPartText(const PatchPart& part);
[[nodiscard]] std::string PatchPairText(std::int64_t pair, const PatchedPair& patched);
// True if the file begins as a part does.
[[nodiscard]] bool IsPatchPart(const std::filesystem::path& path);
// A last line that was cut short is left out.
[[nodiscard]] Result<PatchPart> ReadPatchPart(const std::filesystem::path& path);
[[nodiscard]] Status MergePatchPart(PatchPart part, const std::string& name, PatchPart* whole);

// The metric in the clean and in the corrupted texts, the mean over pairs, of which some are done.
struct MeanLeads {
  double clean = 0.0;
  double corrupted = 0.0;
};
[[nodiscard]] MeanLeads LeadsOf(const PatchPart& part);
// The scores of all pairs, which must be done.
[[nodiscard]] Result<std::vector<PatchScore>> ScoresOf(const PatchPart& part);
[[nodiscard]] Result<std::string> PatchJson(const PatchPart& part);
[[nodiscard]] Result<std::string> PatchCsv(const PatchPart& part);

}  // namespace headscope
