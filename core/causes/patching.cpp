#include "core/causes/patching.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/causes/logit_shares.h"
#include "core/causes/patched_runs.h"
#include "core/causes/run_record.h"
#include "core/causes/word_layer.h"

namespace headscope {
namespace {

constexpr std::array<std::string_view, 8> kPatchNames = {
    "output", "pattern", "queries", "keys", "values", "stream", "mlp", "attention"};
constexpr std::array<std::string_view, 2> kDirectionNames = {"denoise", "noise"};
constexpr std::int64_t kRowsSideBySide = 1024;

template <typename Kind, std::size_t Count>
std::optional<Kind> Named(const std::array<std::string_view, Count>& names, std::string_view name) {
  const auto* const found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<Kind>(found - names.begin()));
}

// What is taken over for a thing.
std::vector<RecordedRows> RowsOf(PatchWhat what) {
  switch (what) {
    case PatchWhat::kPattern:
      return {RecordedRows::kQueries, RecordedRows::kKeys};
    case PatchWhat::kQueries:
      return {RecordedRows::kQueries};
    case PatchWhat::kKeys:
      return {RecordedRows::kKeys};
    case PatchWhat::kValues:
      return {RecordedRows::kValues};
    case PatchWhat::kStream:
      return {RecordedRows::kStream};
    case PatchWhat::kMlp:
      return {RecordedRows::kMlp};
    case PatchWhat::kAttention:
      return {RecordedRows::kAttention};
    case PatchWhat::kOutput:
      break;
  }
  return {RecordedRows::kContext};
}

RecordedRows RowsOf(HeadInput input) {
  return input == HeadInput::kQueries ? RecordedRows::kQueries
         : input == HeadInput::kKeys  ? RecordedRows::kKeys
                                      : RecordedRows::kValues;
}

// Where the first of these layers begins, in the order in which stacks run.
LayerId EarliestOf(const std::vector<LayerId>& layers) {
  LayerId earliest{StackThatRuns(layers.front().part), layers.front().layer};
  for (const LayerId layer : layers) {
    const LayerId one{StackThatRuns(layer.part), layer.layer};
    if (std::pair(one.part, one.layer) < std::pair(earliest.part, earliest.layer)) {
      earliest = one;
    }
  }
  return earliest;
}

template <typename Value>
std::vector<Value> Repeated(std::span<const Value> one, std::int64_t times) {
  std::vector<Value> many;
  many.reserve(one.size() * static_cast<std::size_t>(times));
  for (std::int64_t i = 0; i < times; ++i) {
    many.insert(many.end(), one.begin(), one.end());
  }
  return many;
}

ForwardInput Repeated(const ForwardInput& input, std::int64_t times) {
  ForwardInput many;
  many.ids = Repeated<std::int32_t>(input.ids, times);
  many.segment_ids = Repeated<std::int32_t>(input.segment_ids, times);
  many.target_ids = Repeated<std::int32_t>(input.target_ids, times);
  many.texts = times;
  return many;
}

}  // namespace

std::string_view PatchName(PatchWhat what) {
  return kPatchNames[static_cast<std::size_t>(what)];
}

std::optional<PatchWhat> ParsePatchWhat(std::string_view name) {
  return Named<PatchWhat>(kPatchNames, name);
}

std::string_view PatchName(PatchDirection direction) {
  return kDirectionNames[static_cast<std::size_t>(direction)];
}

std::optional<PatchDirection> ParsePatchDirection(std::string_view name) {
  return Named<PatchDirection>(kDirectionNames, name);
}

struct Patching::State {
  State(Forward* of, PatchPair asked, PatchDirection to)
      : forward(*of),
        pair(std::move(asked)),
        direction(to),
        base(of->backend()),
        source(of->backend()) {}

  Forward& forward;
  PatchPair pair;
  PatchDirection direction;
  std::unique_ptr<WordLayer> words;
  RunRecord base;    // of the text that is run
  RunRecord source;  // of the text from which things are taken
  double base_metric = 0.0;
  double source_metric = 0.0;

  [[nodiscard]] const ModelDescription& model() const { return forward.model().description(); }
  [[nodiscard]] const ForwardInput& base_input() const {
    return direction == PatchDirection::kDenoise ? pair.corrupted : pair.clean;
  }
  [[nodiscard]] const ForwardInput& source_input() const {
    return direction == PatchDirection::kDenoise ? pair.clean : pair.corrupted;
  }
  [[nodiscard]] ModelPart end() const {
    return model().decoder ? ModelPart::kDecoder : ModelPart::kWhole;
  }
  // The metric of each of the texts whose last states these are.
  [[nodiscard]] Result<std::vector<double>> MetricsOf(std::span<const float> states,
                                                      std::int64_t texts) const {
    const std::int64_t cols = StackOf(model(), end()).model_dim;
    const std::int64_t rows = std::ssize(states) / cols / texts;
    FloatMatrix asked(texts, cols);
    const Eigen::Map<const FloatMatrix> all(states.data(), rows * texts, cols);
    for (std::int64_t text = 0; text < texts; ++text) {
      asked.row(text) = all.row(text * rows + pair.row);
    }
    const std::array<std::int32_t, 2> ids = {pair.right, pair.wrong};
    const std::vector<double> logits = words->LogitsOf(asked, ids);
    std::vector<double> metrics;
    for (std::size_t i = 0; i < logits.size(); i += 2) {
      metrics.push_back(logits[i] - logits[i + 1]);
      if (!std::isfinite(metrics.back())) {
        return Fail(ErrorCode::kNumeric,
                    fmt::format("the logits of the right and the wrong token at row {} are not "
                                "finite numbers; the model's weights are damaged or too large for "
                                "float32",
                                pair.row));
      }
    }
    return metrics;
  }
  [[nodiscard]] Result<double> Record(const ForwardInput& input,
                                      RunRecord* record,
                                      const std::stop_token& stop) {
    HEADSCOPE_TRY(forward.RunChanged(input, {}, record, nullptr, stop));
    HEADSCOPE_TRY(const auto metrics, MetricsOf(record->End(end()), 1));
    return metrics.front();
  }
  // Runs the base text so many times side by side, from that layer on.
  [[nodiscard]] Status RunFrom(LayerId first,
                               std::int64_t runs,
                               PatchedRuns* changes,
                               const std::stop_token& stop) {
    const std::int64_t layer = BeginsAnywhere(StackOf(model(), first.part)) ? first.layer : 0;
    const std::vector<float> hidden =
        Repeated<float>(base.Rows(RecordedRows::kStream, {first.part, layer}), runs);
    std::vector<float> memory;
    if (first.part == ModelPart::kDecoder) {
      memory = Repeated<float>(base.End(ModelPart::kEncoder), runs);
    }
    return forward.RunChanged(
        Repeated(base_input(), runs),
        {.stack = first.part, .layer = layer, .hidden = hidden, .memory = memory},
        changes,
        nullptr,
        stop);
  }
  [[nodiscard]] std::int64_t RunsSideBySide() const {
    return std::max<std::int64_t>(1, kRowsSideBySide / std::ssize(base_input().ids));
  }
};

Patching::Patching(std::unique_ptr<State> state) : state_(std::move(state)) {}
Patching::~Patching() = default;

Result<std::unique_ptr<Patching>> Patching::Make(Forward* forward,
                                                 const PatchPair& pair,
                                                 PatchDirection direction,
                                                 const std::stop_token& stop) {
  const ModelDescription& model = forward->model().description();
  HEADSCOPE_TRY(CheckPair(model, pair));
  auto state = std::make_unique<State>(forward, pair, direction);
  HEADSCOPE_TRY(state->words, WordLayer::Make(forward));
  for (const std::int32_t id : {pair.right, pair.wrong}) {
    if (id < 0 || id >= state->words->vocabulary()) {
      return Fail(
          ErrorCode::kInput,
          fmt::format(
              "token {}: the model has the ids 0 to {}", id, state->words->vocabulary() - 1));
    }
  }
  HEADSCOPE_TRY(state->base_metric, state->Record(state->base_input(), &state->base, stop));
  HEADSCOPE_TRY(state->source_metric, state->Record(state->source_input(), &state->source, stop));
  return std::unique_ptr<Patching>(new Patching(std::move(state)));
}

double Patching::clean_metric() const {
  return state_->direction == PatchDirection::kDenoise ? state_->source_metric
                                                       : state_->base_metric;
}

double Patching::corrupted_metric() const {
  return state_->direction == PatchDirection::kDenoise ? state_->base_metric
                                                       : state_->source_metric;
}

double Patching::ScoreOf(double metric) const {
  return (metric - state_->base_metric) / (state_->source_metric - state_->base_metric);
}

Result<std::vector<double>> Patching::Run(const std::vector<std::vector<Thing>>& runs,
                                          const std::stop_token& stop,
                                          const OnPatched& on_part) {
  State& state = *state_;
  std::vector<double> metrics;
  const auto start_of = [](const std::vector<Thing>& things) {
    std::vector<LayerId> layers;
    std::ranges::transform(things, std::back_inserter(layers), &Thing::layer);
    return EarliestOf(layers);
  };
  for (std::size_t first = 0; first < runs.size();) {
    if (on_part) {
      on_part(metrics);
    }
    if (runs[first].empty()) {
      metrics.push_back(state.base_metric);
      ++first;
      continue;
    }
    const LayerId start = start_of(runs[first]);
    std::size_t end = first;
    std::vector<TakenRows> taken;
    while (end < runs.size() && !runs[end].empty() && start_of(runs[end]) == start &&
           static_cast<std::int64_t>(end - first) < state.RunsSideBySide()) {
      for (const Thing& thing : runs[end]) {
        const bool is_pattern = thing.what == PatchWhat::kPattern;
        for (const RecordedRows kind : RowsOf(thing.what)) {
          taken.push_back(
              {.run = static_cast<std::int64_t>(end - first),
               .kind = kind,
               .layer = thing.layer,
               .head = thing.head,
               .row = is_pattern ? -1 : thing.row,
               .weights = is_pattern ? thing.row : -1,
               .rows = thing.rows.empty() ? state.source.Rows(kind, thing.layer) : thing.rows});
        }
      }
      ++end;
    }
    const auto count = static_cast<std::int64_t>(end - first);
    PatchedRuns changes(state.model(), &state.forward.backend(), count, std::move(taken));
    HEADSCOPE_TRY(state.RunFrom(start, count, &changes, stop));
    HEADSCOPE_TRY(const auto made, state.MetricsOf(changes.end(), count));
    metrics.insert(metrics.end(), made.begin(), made.end());
    first = end;
  }
  return metrics;
}

Result<std::vector<double>> Patching::RunPaths(const std::vector<std::vector<HeadIndex>>& senders,
                                               const PatchPaths& paths,
                                               const std::stop_token& stop,
                                               const OnPatched& on_part) {
  State& state = *state_;
  if (HasPlainBlocks(state.model())) {
    return Fail(ErrorCode::kUnsupported,
                "this model has blocks without attention among its layers, which join tokens too: "
                "there are no paths from head to head alone");
  }
  std::vector<LayerId> receiving;
  for (const HeadReading& to : paths.to) {
    receiving.push_back({to.head.part, to.head.layer});
  }
  // What receivers before every sender read is kept, too.
  const auto start_of = [&](const std::vector<HeadIndex>& from) {
    std::vector<LayerId> touched = receiving;
    std::ranges::transform(from, std::back_inserter(touched), [](HeadIndex head) {
      return LayerId{head.part, head.layer};
    });
    return EarliestOf(touched);
  };
  std::vector<double> metrics;
  for (std::size_t first = 0; first < senders.size();) {
    if (on_part) {
      on_part(metrics);
    }
    const LayerId start = start_of(senders[first]);
    std::vector<TakenRows> sent;
    std::int64_t count = 0;
    for (std::size_t end = first;
         end < senders.size() && start_of(senders[end]) == start && count < state.RunsSideBySide();
         ++end, ++count) {
      for (const HeadIndex head : senders[end]) {
        const LayerId layer{head.part, head.layer};
        sent.push_back({.run = count,
                        .kind = RecordedRows::kContext,
                        .layer = layer,
                        .head = head.head,
                        .rows = state.source.Rows(RecordedRows::kContext, layer)});
      }
    }
    PatchedRuns along(state.model(), &state.forward.backend(), count, std::move(sent));
    along.Freeze(&state.base, paths.freezes_mlps, receiving);
    HEADSCOPE_TRY(state.RunFrom(start, count, &along, stop));
    first += static_cast<std::size_t>(count);
    if (paths.to.empty()) {  // nothing but the logits reads what was sent
      HEADSCOPE_TRY(const auto made, state.MetricsOf(along.end(), count));
      metrics.insert(metrics.end(), made.begin(), made.end());
      continue;
    }
    std::vector<TakenRows> received;
    for (std::int64_t run = 0; run < count; ++run) {
      for (const HeadReading& to : paths.to) {
        const LayerId layer{to.head.part, to.head.layer};
        const RecordedRows kind = RowsOf(to.input);
        received.push_back({.run = run,
                            .kind = kind,
                            .layer = layer,
                            .head = to.head.head,
                            .rows = along.Kept(kind, layer, run)});
      }
    }
    PatchedRuns last(state.model(), &state.forward.backend(), count, std::move(received));
    HEADSCOPE_TRY(state.RunFrom(EarliestOf(receiving), count, &last, stop));
    HEADSCOPE_TRY(const auto made, state.MetricsOf(last.end(), count));
    metrics.insert(metrics.end(), made.begin(), made.end());
  }
  return metrics;
}

Status CheckPair(const ModelDescription& model, const PatchPair& pair) {
  if (pair.clean.ids.size() != pair.corrupted.ids.size()) {
    return Fail(ErrorCode::kInput,
                fmt::format("the clean text has {} tokens and the corrupted one {}; both need as "
                            "many, since one stands in the other's place",
                            pair.clean.ids.size(),
                            pair.corrupted.ids.size()));
  }
  if (pair.clean.target_ids != pair.corrupted.target_ids) {
    return Fail(ErrorCode::kInput, "both texts need the same target");
  }
  return CheckRow(pair.row, std::ssize(model.decoder ? pair.clean.target_ids : pair.clean.ids));
}

std::vector<std::vector<Patching::Thing>> RunsOf(const ModelDescription& model,
                                                 const PatchPair& pair,
                                                 const PatchQuestion& question) {
  std::vector<std::vector<Patching::Thing>> runs;
  if (IsOfHeads(question.what)) {
    for (const HeadIndex head : HeadsTaken(model, question, LengthsOf(pair))) {
      runs.push_back(
          {{question.what, {head.part, head.layer}, head.head, question.at.value_or(-1)}});
    }
    return runs;
  }
  const ModelPart stack = PartsOf(model).front();
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    for (std::int64_t row = 0; row < std::ssize(pair.clean.ids); ++row) {
      runs.push_back({{question.what, {stack, layer}, -1, row}});
    }
  }
  return runs;
}

Result<PatchedPair> PatchPairOf(Forward* forward,
                                const PatchPair& pair,
                                const PatchQuestion& question,
                                const std::stop_token& stop,
                                const OnPatched& on_part) {
  const ModelDescription& model = forward->model().description();
  HEADSCOPE_TRY(CheckRowTaken(model, question, LengthsOf(pair)));
  HEADSCOPE_TRY(const auto patching, Patching::Make(forward, pair, question.direction, stop));
  PatchedPair made{
      .clean = patching->clean_metric(), .corrupted = patching->corrupted_metric(), .metrics = {}};
  if (question.paths) {
    HEADSCOPE_TRY(made.metrics,
                  patching->RunPaths(SendersOf(*question.paths), *question.paths, stop, on_part));
    return made;
  }
  HEADSCOPE_TRY(made.metrics, patching->Run(RunsOf(model, pair, question), stop, on_part));
  return made;
}

Result<std::vector<PatchScore>> ScoresOfPairs(std::span<const PatchedPair> pairs,
                                              PatchDirection direction) {
  const bool is_denoising = direction == PatchDirection::kDenoise;
  const auto count = static_cast<double>(pairs.size());
  const auto base_of = [&](const PatchedPair& pair) {
    return is_denoising ? pair.corrupted : pair.clean;
  };
  const auto other_of = [&](const PatchedPair& pair) {
    return is_denoising ? pair.clean : pair.corrupted;
  };
  double clean = 0.0;
  double corrupted = 0.0;
  double whole = 0.0;  // added up as the changes below are, so that all of it is exactly 1
  for (const PatchedPair& pair : pairs) {
    clean += pair.clean / count;
    corrupted += pair.corrupted / count;
    whole += (other_of(pair) - base_of(pair)) / count;
  }
  if (std::abs(whole) < kLeastDifference) {
    const bool is_one = pairs.size() == 1;
    return Fail(
        ErrorCode::kInput,
        fmt::format("the {} of the right token is {:.4f} in the clean text{} and {:.4f} in the "
                    "corrupted one{}: there is no difference of {} or more to share out; "
                    "choose other texts or tokens",
                    is_one ? "lead" : fmt::format("mean lead over {} pairs", pairs.size()),
                    clean,
                    is_one ? "" : "s",
                    corrupted,
                    is_one ? "" : "s",
                    kLeastDifference));
  }
  std::vector<PatchScore> scores(pairs.front().metrics.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double change = 0.0;
    std::int64_t restored = 0;
    bool is_known = false;  // where the sign could come back
    for (const PatchedPair& pair : pairs) {
      const double metric = pair.metrics[i];
      change += (metric - base_of(pair)) / count;
      const bool had_sign = (base_of(pair) > 0.0) == (other_of(pair) > 0.0);
      restored += !had_sign && (metric > 0.0) == (other_of(pair) > 0.0) ? 1 : 0;
      is_known = is_known || !had_sign;
    }
    scores[i].score = change / whole;
    if (pairs.size() > 1) {
      scores[i].restored = is_known ? std::optional(restored) : std::nullopt;
      double squares = 0.0;
      for (const PatchedPair& pair : pairs) {
        const double rest =
            pair.metrics[i] - base_of(pair) - scores[i].score * (other_of(pair) - base_of(pair));
        squares += rest * rest;
      }
      scores[i].error = std::sqrt(squares / (count * (count - 1.0))) / std::abs(whole);
    }
  }
  return scores;
}

}  // namespace headscope
