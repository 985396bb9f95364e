// The worker's state between requests: the backend, a model with its forward (or attention from a
// file instead), and the last text that was run.
//
// Errors   as results; a failure leaves open what was open before.
// Threads  made, used and destroyed on the worker's thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/attention_file.h"
#include "core/attention/attention_history.h"
#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/causes/heads_off.h"
#include "core/compute/backend.h"
#include "core/compute/precision.h"
#include "core/heads/scan/ablated_heads.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/probe_scan.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/worker/events.h"

namespace headscope {

class FilmKept;          // core/worker/film_kept.h
class ProbeMeans;        // core/causes/probe_means.h
class TextWithout;       // core/causes/text_without.h
class WordLayer;         // core/causes/word_layer.h
class WeightComparison;  // core/compare/weight_changes.h
struct KeptRow;          // core/worker/kept_row.h

using BackendFactory = std::function<Result<std::unique_ptr<Backend>>(Precision)>;

// A model in addition to the open one: side B of a comparison, or its own step 0.
struct OtherModel {
  std::filesystem::path path;  // as requested
  std::unique_ptr<Forward> forward;
};

// Models that are scanned one after another in addition to the open one, up to where the scan gave
// way.
struct SeriesScan {
  HeadScanSettings settings;
  std::vector<ModelScanned> done;
  std::filesystem::path folder;  // of the current one; empty: none
  std::unique_ptr<Forward> forward = {};
  std::unique_ptr<HeadScan> scan = {};
  double seconds = 0.0;      // spent on scanning
  std::int64_t scanned = 0;  // in that time
};

// A scan of texts that the user chose.
struct OwnScan {
  std::uint64_t asked = 0;  // the request's number
  std::unique_ptr<ProbeScan> scan;
};

class Opened {
 public:
  explicit Opened(BackendFactory make_backend);
  ~Opened();
  Opened(Opened&& other) noexcept;
  Opened& operator=(Opened&& other) = delete;

  // At most one of the two is open; neither at first.
  [[nodiscard]] const std::shared_ptr<const Model>& model() const { return model_; }
  [[nodiscard]] const std::shared_ptr<const AttentionFile>& attention() const { return attention_; }
  // kGone if `opening` stands for something that is no longer open; kInput if nothing is open.
  [[nodiscard]] Status Check(const Opening& opening) const;
  // Also kUnsupported if it is a file of attention, which `holds` "weights only, no model to score".
  [[nodiscard]] Status CheckModel(const Opening& opening, std::string_view holds) const;

  // Replaces what is open; its text is forgotten.
  void Take(std::shared_ptr<const Model> model);
  void Take(std::shared_ptr<const AttentionFile> attention);

  // Uses the backend of this precision and the open model's forward on it; layers of another
  // precision are not reused.
  [[nodiscard]] Status Use(Precision precision);
  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] Forward* forward() { return forward_.get(); }  // null: no model
  // The scan with that forward, in progress or complete; null: none yet.
  [[nodiscard]] std::unique_ptr<HeadScan>& scan() { return scan_; }
  // Returns the scan with these settings (ignoring twins), begun if necessary.
  [[nodiscard]] Result<HeadScan*> ScanWith(const HeadScanSettings& settings,
                                           const std::filesystem::path& probes,
                                           const std::filesystem::path& kept,
                                           const std::stop_token& stop);
  // The scan of chosen texts with that forward.
  [[nodiscard]] OwnScan& own_scan() { return own_scan_; }
  // The last measurements with that model; none: nothing yet.
  [[nodiscard]] std::optional<AblatedHeads>& ablated() { return ablated_; }
  // A second model on the same backend; null: none. Opening another model drops it.
  [[nodiscard]] std::unique_ptr<OtherModel>& other() { return other_; }
  // What was compared of their weights before it gave way or was stopped, dropped in the same way.
  [[nodiscard]] std::unique_ptr<WeightComparison>& weights() { return weights_; }
  // The model's step 0, dropped in the same way.
  [[nodiscard]] std::unique_ptr<OtherModel>& step_zero() { return step_zero_; }
  // Opens a model for one of these two, or reuses the previous one.
  [[nodiscard]] Result<Forward*> OpenBeside(const std::filesystem::path& path,
                                            std::unique_ptr<OtherModel>* kept,
                                            const std::stop_token& stop);
  // The models being scanned; opening another model keeps them.
  [[nodiscard]] std::unique_ptr<SeriesScan>& series() { return series_; }
  // What steps of the model's training gave on a text, dropped in the same way.
  [[nodiscard]] std::unique_ptr<FilmKept>& film() { return film_; }
  // The layer that says words, of forward(), prepared once.
  [[nodiscard]] Result<const WordLayer*> Words();
  // The last row of the current text that was looked at, with that layer; null: none.
  [[nodiscard]] std::unique_ptr<KeptRow>& row() { return row_; }
  // The current text with that forward, of which heads can be taken away. kInput: there is no text;
  // kUnsupported: bfloat16.
  [[nodiscard]] Result<TextWithout*> Without();
  // The same for these heads: if a mean over other texts stands in their place, the sentences of the
  // probes are run first, once for a model. kInput: the model reads none of them.
  [[nodiscard]] Result<TextWithout*> Without(const HeadsOff& off,
                                             const std::filesystem::path& probes,
                                             const std::stop_token& stop,
                                             const std::function<void(double done)>& on_part = {});
  // The current text; splits use it.
  [[nodiscard]] const std::optional<ForwardInput>& input() const { return input_; }
  void Use(ForwardInput input);
  [[nodiscard]] Backend* backend() { return backend_.get(); }
  [[nodiscard]] std::string BackendDescription() const;

  AttentionHistory history;                           // of forward()
  std::shared_ptr<const LayerAttention> split_layer;  // of input(), captured with its states

 private:
  void ForgetText();
  void ForgetScores();

  BackendFactory make_backend_;
  std::unique_ptr<Backend> backend_;
  Precision precision_ = Precision::kF32;  // of backend_
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const AttentionFile> attention_;
  std::optional<ForwardInput> input_;
  std::unique_ptr<Forward> forward_;         // after the backend: goes first
  std::shared_ptr<TextWithout> without_;     // before the forward
  std::shared_ptr<ProbeMeans> probe_means_;  // of forward_; done, or stopped on the way
  std::unique_ptr<HeadScan> scan_;           // before the forward
  std::shared_ptr<const WordLayer> words_;   // the same
  std::unique_ptr<KeptRow> row_;             // before the layer
  OwnScan own_scan_;
  std::optional<AblatedHeads> ablated_;
  std::unique_ptr<OtherModel> other_;
  std::unique_ptr<WeightComparison> weights_;
  std::unique_ptr<OtherModel> step_zero_;
  std::unique_ptr<SeriesScan> series_;
  std::unique_ptr<FilmKept> film_;
};

}  // namespace headscope
