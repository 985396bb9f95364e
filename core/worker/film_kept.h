// What the steps of a training gave on one text, for all heads: another head on the same text needs
// no model opened again.
//
// Units    bytes of a captured layer: queries, keys, sums of rows and thumbnails.
// Threads  the worker's.
// Cost     up to kMostFilmBytes; a text whose layers would take more keeps nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/score_report.h"
#include "core/model/block_description.h"
#include "core/worker/model_input.h"

namespace headscope {

inline constexpr std::int64_t kMostFilmBytes = std::int64_t{64} << 20;

// A step after its run.
struct FilmStepRun {
  std::filesystem::path folder;
  std::filesystem::file_time_type written = {};  // of the folder, before it was opened
  std::string fingerprint = {};
  std::vector<std::shared_ptr<const LayerAttention>> layers =
      {};                                          // all, or the one that was asked for
  std::shared_ptr<const ScoreReport> scores = {};  // null: it reads no text
};

class FilmKept {
 public:
  // Forgets the steps of another text.
  void Begin(const InputText& input, std::size_t steps);
  // Null: the step has not run, or its folder was written since.
  [[nodiscard]] std::shared_ptr<const FilmStepRun> Find(const std::filesystem::path& folder) const;
  // Whether all layers of such a model find room, at every step.
  [[nodiscard]] bool HasRoom(const ModelDescription& model,
                             std::int64_t tokens,
                             std::int64_t target_tokens) const;
  void Keep(std::shared_ptr<const FilmStepRun> step);
  // A whole scan of a step by its fingerprint; null: none with these settings.
  [[nodiscard]] std::shared_ptr<const HeadScanReport> FindScan(
      const std::string& fingerprint, const HeadScanSettings& settings) const;
  void KeepScan(const std::string& fingerprint,
                const HeadScanSettings& settings,
                std::shared_ptr<const HeadScanReport> report);
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

 private:
  InputText input_;
  std::size_t asked_ = 0;  // steps
  std::vector<std::shared_ptr<const FilmStepRun>> steps_;
  HeadScanSettings settings_;  // of the scans
  std::map<std::string, std::shared_ptr<const HeadScanReport>> scans_;
};

}  // namespace headscope
