// A scan or a share of it: what was asked, and the sums of each batch that is done. Shares of one
// scan merge to what one run gives, exactly: sums are added in the order of the batches.
//
// Errors   kInput (shares of different scans, a batch that is missing), kFormat (not such a file,
//          or damaged), kIo; naming the file.
// Source   our own format: JSON, "headscope_scan_part": 1; of an encoder-decoder with "more_heads", and
//          "more" in each batch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/decide/decision.h"
#include "core/heads/measure/row_sums.h"
#include "core/heads/scan/scan.h"

namespace headscope {

// Shares of one scan agree in all of this.
struct ScanAbout {
  std::string model;
  std::string fingerprint;
  std::string probe;
  std::string draw;  // empty: no repeats
  std::uint64_t seed = 0;
  std::string corpus;          // a digest of its ids
  std::int64_t sequences = 0;  // without controls
  HeadsOfScan heads;
  std::vector<std::string> groups;
  std::vector<std::string> notes;
  std::int64_t batches = 0;  // of the whole scan
  std::int64_t twins = 0;    // scanned beside the model
  std::string no_copies;     // why effects on logits are not measured; empty: they are
  // Only for an encoder-decoder, whose encoder `heads` describes: the decoder's heads, then
  // cross-attention's.
  std::vector<HeadsOfScan> more_heads = {};
  std::string no_targets = {};  // why these are not scanned; empty: they are
  friend bool operator==(const ScanAbout&, const ScanAbout&) = default;
};

struct ScanPart {
  ScanAbout about;
  // Sums by batch; twin t (core/model/twin.h), from 1, has the batches from t * about.batches on.
  std::map<std::int64_t, BatchSums> done;

  [[nodiscard]] bool is_whole() const {
    return std::ssize(done) == about.batches * (1 + about.twins);
  }
};

[[nodiscard]] ScanAbout DescribeScan(const Model& model, const ProbeCorpus& corpus);
// What the decoder reads during a scan (core/heads/probe/target.h). None: the model has no decoder, or
// `about` says why it reads nothing.
[[nodiscard]] std::optional<ProbeCorpus> TargetsOfScan(const Model& model,
                                                       const ProbeCorpus& corpus,
                                                       ScanAbout* about);
// What is said of one more part alone.
[[nodiscard]] ScanAbout AboutPart(const ScanAbout& about, std::size_t part);

// The text of a part: its head, then one line a batch. A text whose last line is cut short is read
// as far as it is whole.
[[nodiscard]] std::string PartHeadText(const ScanAbout& about);
[[nodiscard]] std::string BatchText(std::int64_t batch, const BatchSums& sums);
[[nodiscard]] std::string PartText(const ScanPart& part);  // all of it
[[nodiscard]] Result<ScanPart> ParsePart(std::string_view text, const std::string& name);
[[nodiscard]] Result<ScanPart> ReadPart(const std::filesystem::path& path);
// Where it can be; empty: nowhere. What is not kept is computed again the next time: no reason to
// fail.
void KeepPart(const ScanPart& part, const std::filesystem::path& path);

// Adds a share to others of its scan.
[[nodiscard]] Status MergePart(ScanPart from, const std::string& name, ScanPart* to);

// All sums of a whole scan; of the model, or of one of its twins.
[[nodiscard]] Result<BatchSums> TotalOf(const ScanPart& part, std::int64_t twin = 0);
// For each metric the highest score of any head of a twin, and the same of each more part.
struct TwinScores {
  std::vector<double> highest;  // [metric]; empty: there are no twins
  std::vector<std::vector<double>> more = {};
};
// Raises them to what the heads of a twin have.
void RaiseToTwin(const ScanAbout& about, const BatchSums& twin, TwinScores* scores);
[[nodiscard]] Result<TwinScores> TwinScoresOf(const ScanPart& part);

}  // namespace headscope
