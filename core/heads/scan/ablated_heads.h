// What a model loses without single heads over one probe, measured a head at a time: it can be
// stopped between two and told of as it goes, and the heads that one is held against are there when
// they are asked for themselves. What is measured is kept by the model's fingerprint and the texts.
//
// Units    nats a token, as core/heads/effect/ablation.h.
// Errors   those of AblateHeads. What cannot be kept or read is measured again: no reason to fail.
// Threads  one; measuring: the backend's.
// Cost     a head: the clean runs of AblateHeads and three over the corpus.
// Source   our own file: JSON, "headscope_ablations": 1, then a line a head.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/ablation.h"
#include "core/heads/scan/part.h"

namespace headscope {

class AblatedHeads {
 public:
  // With what is kept of this model and these texts in `folder`; empty: nothing is, nor will be.
  AblatedHeads(const ScanAbout& about, const std::filesystem::path& folder);

  [[nodiscard]] bool IsOf(const ScanAbout& about) const {
    return about.fingerprint == fingerprint_ && about.corpus == corpus_;
  }
  // Null: it is not measured.
  [[nodiscard]] const AblatedHead* Find(HeadIndex head) const;
  void Keep(const AblatedHead& head);

 private:
  [[nodiscard]] bool Read();
  [[nodiscard]] std::string FirstLine() const;

  std::string fingerprint_;
  std::string corpus_;
  HeadsOfScan heads_;
  std::filesystem::path path_;
  std::vector<AblatedHead> measured_;
};

// One head beside its controls, as far as they are measured.
struct AblationReport {
  AblatedHead own;
  std::vector<AblatedHead> controls;  // those that are done
  std::int64_t done = 0;              // heads, its own one included
  std::int64_t total = 0;
  double seconds_left = 0.0;  // 0: not known
  std::string probe;          // "probes.conllu", or "repeats"
  bool is_kept = false;       // all of it was measured earlier

  [[nodiscard]] bool is_whole() const { return done == total; }
};

}  // namespace headscope
