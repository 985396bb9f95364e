#include "core/causes/prediction.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/causes/word_layer.h"
#include "core/compute/rows.h"
#include "core/heads/effect/token_streams.h"

namespace headscope {
namespace {

FloatMatrix RowsOf(const Backend& backend,
                   const Activations& states,
                   std::span<const std::int64_t> rows) {
  const std::vector<float> all = ReadRows(backend, states);
  const Eigen::Map<const FloatMatrix> whole(all.data(), states.rows(), states.cols());
  FloatMatrix some(std::ssize(rows), states.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    some.row(static_cast<Eigen::Index>(i)) = whole.row(rows[i]);
  }
  return some;
}

}  // namespace

// Watches one run: keeps the last states of the rows, the streams of one row, and what shares need.
class PredictionRun : public ShareRun {
 public:
  PredictionRun(const Forward& forward,
                const PredictionQuestion& question,
                RemovedHeads* removed,
                std::vector<std::int64_t> rows)
      : ShareRun(forward, {.row = question.row, .by_key = question.by_key}, removed),
        forward_(forward),
        has_shares_(question.has_shares),
        has_lens_(question.has_lens),
        row_(question.row),
        rows_(std::move(rows)) {}

  bool WantsWrites() override { return has_shares_ || has_lens_; }
  AttentionObserver* BeginLayer(LayerId layer) override {
    return has_shares_ ? ShareRun::BeginLayer(layer) : nullptr;
  }
  void OnContext(LayerId layer, const Activations& context) override {
    if (has_shares_) {
      ShareRun::OnContext(layer, context);
    }
  }
  void OnMlp(LayerId layer, const Activations& output) override {
    if (has_shares_) {
      ShareRun::OnMlp(layer, output);
    }
  }
  void OnNorm(const NormNeed& norm, const Activations& input) override {
    const auto& last = Stack().final_norm;
    if (has_lens_ && last && &*last == &norm) {
      KeepStream(input);
    }
    if (has_shares_) {
      ShareRun::OnNorm(norm, input);
    }
  }
  Status ChangeStream(LayerId layer, Activations* hidden) override {
    if (has_lens_ && layer.layer > 0 && layer.part == Part()) {
      KeepStream(*hidden);
    }
    return has_shares_ ? ShareRun::ChangeStream(layer, hidden) : Status();
  }
  Status OnEnd(ModelPart stack, const Activations& states) override {
    if (stack != Part()) {
      return {};
    }
    last_ = RowsOf(forward_.backend(), states, rows_);
    if (has_lens_ && !Stack().final_norm) {
      KeepStream(states);
    }
    return has_shares_ ? ShareRun::OnEnd(stack, states) : Status();
  }

  [[nodiscard]] const FloatMatrix& last() const { return last_; }
  [[nodiscard]] FloatMatrix streams() const {
    const auto layers = std::ssize(streams_);
    FloatMatrix rows(layers, layers > 0 ? streams_.front().cols() : 0);
    for (std::ptrdiff_t i = 0; i < layers; ++i) {
      rows.row(i) = streams_[static_cast<std::size_t>(i)];
    }
    return rows;
  }

 private:
  [[nodiscard]] ModelPart Part() const {
    return forward_.model().description().decoder ? ModelPart::kDecoder : ModelPart::kWhole;
  }
  [[nodiscard]] const StackDescription& Stack() const {
    return StackOf(forward_.model().description(), Part());
  }
  void KeepStream(const Activations& hidden) {
    streams_.push_back(RowsOf(forward_.backend(), hidden, {&row_, 1}));
  }

  const Forward& forward_;
  bool has_shares_;
  bool has_lens_;
  std::int64_t row_;
  std::vector<std::int64_t> rows_;
  FloatMatrix last_;
  std::vector<FloatMatrix> streams_;  // after each layer [1, d]
};

namespace {

std::span<const float> RowSpan(const FloatMatrix& matrix, Eigen::Index row) {
  return {matrix.data() + row * matrix.cols(), static_cast<std::size_t>(matrix.cols())};
}

Status CheckQuestion(const ModelDescription& model,
                     const PredictionQuestion& question,
                     const std::vector<std::int32_t>& ids) {
  std::vector<std::int64_t> rows = question.rows;
  if (question.has_shares || question.has_lens) {
    rows.push_back(question.row);
  }
  for (const std::int64_t row : rows) {
    HEADSCOPE_TRY(CheckRow(row, std::ssize(ids)));
  }
  const ModelPart part = model.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
  for (const HeadIndex head : question.by_key) {
    if (StackOf(model, head.part).layers <= head.layer ||
        (head.part != part && head.part != ModelPart::kCross)) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} writes nothing into the rows that are asked", HeadName(head)));
    }
  }
  return question.has_shares ? CheckShares(model) : Status();
}

// The token that came, if it is known: the next one, or the one behind a mask.
std::optional<std::int32_t> ActualOf(bool is_masked,
                                     const std::vector<std::int32_t>& ids,
                                     const PredictionQuestion& question,
                                     std::int64_t row) {
  if (is_masked) {
    const auto found = question.masked.find(row);
    return found == question.masked.end() ? std::nullopt : std::optional(found->second);
  }
  const auto next = static_cast<std::size_t>(row) + 1;
  return next < ids.size() ? std::optional(ids[next]) : std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const WordLayer>> MakeWordLayer(Forward* forward) {
  HEADSCOPE_TRY(auto words, WordLayer::Make(forward));
  return std::shared_ptr<const WordLayer>(std::move(words));
}

Result<Prediction> Predict(Forward* forward,
                           const ForwardInput& input,
                           const PredictionQuestion& question,
                           RemovedHeads* removed,
                           const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto words, MakeWordLayer(forward));
  return Predict(forward, *words, input, question, removed, stop);
}

PredictedText::PredictedText(const WordLayer& words, std::unique_ptr<PredictionRun> run)
    : words_(&words), run_(std::move(run)) {}

PredictedText::~PredictedText() = default;
PredictedText::PredictedText(PredictedText&& other) noexcept = default;

Result<PredictedText> PredictedText::Run(Forward* forward,
                                         const WordLayer& words,
                                         const ForwardInput& input,
                                         const PredictionQuestion& question,
                                         RemovedHeads* removed,
                                         const std::stop_token& stop) {
  const ModelDescription& model = forward->model().description();
  const std::vector<std::int32_t>& ids = model.decoder ? input.target_ids : input.ids;
  HEADSCOPE_TRY(CheckQuestion(model, question, ids));
  std::vector<std::int64_t> looked_at = question.rows;
  if (question.has_shares && std::ranges::find(looked_at, question.row) == looked_at.end()) {
    looked_at.push_back(question.row);
  }
  PredictedText text(words,
                     std::make_unique<PredictionRun>(*forward, question, removed, looked_at));
  PredictionRun& run = *text.run_;
  HEADSCOPE_TRY(forward->RunChanged(input, {}, &run, &run, stop));
  Prediction& made = text.said_;
  made.is_masked = words.is_masked();
  made.scale = words.scale();
  made.softcap = words.softcap();
  constexpr std::int64_t kRowsAtOnce = 64;
  double sum = 0.0;
  std::int64_t losses = 0;
  for (std::int64_t first = 0; first < run.last().rows(); first += kRowsAtOnce) {
    const FloatMatrix some =
        run.last().middleRows(first, std::min(kRowsAtOnce, run.last().rows() - first));
    HEADSCOPE_TRY(const auto logits, words.Logits(some, stop));
    for (Eigen::Index i = 0; i < logits.rows(); ++i) {
      const auto place = static_cast<std::size_t>(first + i);
      const std::int64_t row = looked_at[place];
      if (question.has_shares && row == question.row) {
        text.likeliest_ = LikeliestWords(RowSpan(logits, i), 1).front().id;
      }
      if (place >= question.rows.size()) {
        continue;
      }
      PredictedRow& one = made.rows.emplace_back();
      one.row = row;
      one.token = ids[static_cast<std::size_t>(row)];
      one.top = LikeliestWords(RowSpan(logits, i), question.top);
      if (const auto actual = ActualOf(made.is_masked, ids, question, row)) {
        one.next = JudgeWord(RowSpan(logits, i), *actual);
        sum += one.next->loss;
        ++losses;
      }
    }
  }
  if (losses > 0) {
    made.loss = sum / static_cast<double>(losses);
  }
  if (question.has_lens) {
    const auto& last = StackOf(model, model.decoder ? ModelPart::kDecoder : ModelPart::kWhole);
    HEADSCOPE_TRY(const auto normed, NormedRows(forward, last.final_norm, run.streams()));
    HEADSCOPE_TRY(const auto logits, words.Logits(normed, stop));
    for (Eigen::Index layer = 0; layer < logits.rows(); ++layer) {
      made.lens.push_back({layer, LikeliestWords(RowSpan(logits, layer), question.top)});
    }
  }
  return text;
}

const ShareRun& PredictedText::run() const {
  return *run_;
}

Result<LogitShares> PredictedText::Split(std::optional<std::int32_t> id,
                                         std::optional<std::int32_t> against) const {
  const std::int32_t own = id.value_or(likeliest_);
  for (const std::int32_t one : {own, against.value_or(own)}) {
    if (one < 0 || one >= words_->vocabulary()) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("token {}: the model has the ids 0 to {}", one, words_->vocabulary() - 1));
    }
  }
  return run_->Split(*words_, own, against);
}

Result<Prediction> Predict(Forward* forward,
                           const WordLayer& words,
                           const ForwardInput& input,
                           const PredictionQuestion& question,
                           RemovedHeads* removed,
                           const std::stop_token& stop) {
  HEADSCOPE_TRY(auto text, PredictedText::Run(forward, words, input, question, removed, stop));
  std::optional<LogitShares> shares;
  if (question.has_shares) {
    HEADSCOPE_TRY(shares, text.Split(question.id, question.against));
  }
  Prediction made = std::move(text).said();
  made.shares = std::move(shares);
  return made;
}

}  // namespace headscope
