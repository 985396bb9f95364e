// What can be measured of a head's attention, one file each in core/heads/measure/metrics. Scans, files, the
// window and its help find them here, and nowhere else.
//
// A new one is a file there: NAME.cpp defines `std::vector<HeadMetric> NameMetrics()`, one metric or
// several that differ in a number. It is one of two kinds:
//   targets  the share of a row's attention that lies on certain keys, which the text alone decides;
//            chance is what even attention over the visible keys gives, and a control may be other
//            keys of the row
//   row      any number of a row, added over the rows of a head
// Rows of cross-attention are of a target and their keys of a source: a metric of targets says by
// itself which keys these are (cross_targets), or it has no rows there.
//
// Threads  immutable; any thread reads.
// Source   docs/reference.md, "score"; each metric's own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/attention/head_lanes.h"
#include "core/base/model_part.h"
#include "core/compute/attention.h"
#include "core/heads/measure/head_number.h"
#include "core/heads/probe/probe.h"

namespace headscope {

// Rows in order, each with its keys: visible ones, ascending.
class TargetRows {
 public:
  struct Row {
    std::int64_t query = 0;
    std::span<const std::int32_t> keys = {};
    std::span<const std::int32_t> control = {};  // none: the row has no control of its own
    bool qualifies = true;                       // else only its control counts
  };
  using Keys = std::span<const std::int32_t>;

  void Add(std::int64_t query, Keys keys, Keys control = {}, bool qualifies = true);
  void Add(std::int64_t query, std::int32_t key) { Add(query, Keys(&key, 1)); }
  void Reserve(std::int64_t rows);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Valid until a row is added.
  [[nodiscard]] Row operator[](std::size_t row) const {
    const Ends before = row > 0 ? rows_[row - 1] : Ends();
    const Ends& ends = rows_[row];
    return {ends.query,
            Keys(keys_).subspan(before.keys, ends.keys - before.keys),
            Keys(controls_).subspan(before.controls, ends.controls - before.controls),
            ends.qualifies};
  }

 private:
  struct Ends {  // into keys_ and controls_
    std::int32_t query = 0;
    std::uint32_t keys = 0;
    std::uint32_t controls = 0;
    bool qualifies = true;
  };
  std::vector<Ends> rows_;
  std::vector<std::int32_t> keys_;
  std::vector<std::int32_t> controls_;
};

struct HeadMetric : HeadNumber {
  HeadMetric() {
    group = NumberGroup::kMetric;
    scale = NumberScale::kShare;
    is_awaited = true;
  }

  // Repeats are also measured on their control sequences, at the same rows and keys.
  bool has_control_sequences = false;
  // A row counts by where its largest weight lies, in place of its share; equal ones share it.
  bool is_rate = false;
  // Without the control it is evidence for no role: place and token cannot be told apart.
  bool needs_control = false;
  // The role is that of a place: the control, other tokens at the same place, must score as well.
  bool is_place = false;
  // The role is that of looking at copies of a token; what the head does about them is told with it.
  bool is_of_copies = false;
  // It has rows only in texts that hide a sentence (core/heads/probe/retrieval.h).
  bool asks_hidden = false;
  // What a part has in its place where it has no rows of it; empty: the first metric of that part.
  std::string_view alike = {};

  std::function<TargetRows(const ProbeSequence& sequence, const AttentionRule& rule)> targets = {};
  // For cross-attention (core/heads/probe/target.h), where all keys of the source are visible.
  std::function<TargetRows(const ProbeSequence& target, const ProbeSequence& source)>
      cross_targets = {};
  // The sums over rows, of eight heads; `peaks`: of each of the rows. Of cross-attention a row's own
  // token is that of the source, at the place of the one that it has read.
  std::function<void(
      std::span<const LaneRow> rows, std::span<const LanePeaks> peaks, LaneSums& sums)>
      sum = {};
  // What even attention gives over `count` visible keys from `first` on.
  std::function<double(std::int64_t query, std::int64_t first, std::int64_t count)> even = {};

  // Whether heads of a part can have rows of it.
  [[nodiscard]] bool IsOf(ModelPart part) const {
    return sum != nullptr ||
           (part == ModelPart::kCross ? cross_targets != nullptr : targets != nullptr);
  }
};

// In the order of their places.
[[nodiscard]] std::span<const HeadMetric> AllMetrics();
// Null: there is none.
[[nodiscard]] const HeadMetric* FindMetric(std::string_view id);

// What a metric's `targets` are made with: keys that the query sees.
[[nodiscard]] bool Sees(const AttentionRule& rule,
                        const ProbeSequence& sequence,
                        std::int64_t query,
                        std::int64_t key);

// The keys before each token that hold an equal one; none of a special token.
[[nodiscard]] std::vector<std::vector<std::int32_t>> EarlierCopies(const ProbeSequence& sequence);

// Rows with an earlier equal token, and the keys `after` tokens past each copy, before the query;
// the control as ShuffleDistances makes it.
[[nodiscard]] TargetRows RowsOfCopies(const ProbeSequence& sequence,
                                      const AttentionRule& rule,
                                      std::int32_t after);

// The rows, each with the distances of another one as its control, where these are no targets of its
// own: a head that goes a fixed distance back finds as much there.
[[nodiscard]] TargetRows ShuffleDistances(const ProbeSequence& sequence,
                                          const AttentionRule& rule,
                                          const TargetRows& rows);

}  // namespace headscope
