#include "core/heads/effect/cell_sources.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/compute/position_scores.h"
#include "core/heads/effect/stream_keeper.h"
#include "core/model/latent_attention.h"
#include "core/model/rotary.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

// How a head makes its queries or its keys.
struct Reading {
  const LinearNeed* projection = nullptr;
  std::int64_t first_column = 0;
  const std::optional<NormNeed>* norm = nullptr;
  std::optional<std::size_t> rotary = {};
  std::int64_t head = 0;         // of those with norms of their own
  bool is_turned_first = false;  // rotated before the norm, not after
  std::optional<QueryGrowth> growth = {};
};

struct Readings {
  Reading query;
  Reading key;
  const NormNeed* before = nullptr;  // both go through it, or only the query if the key is a memory
};

Readings ReadingsOf(const StackDescription& stack, const Cell& cell) {
  static const std::optional<NormNeed> kNone;
  const LayerDescription& layer = stack.layer[static_cast<std::size_t>(cell.layer.layer)];
  const std::int64_t width = stack.WidthsOf(layer).key;
  const std::int64_t of_query = cell.head * width;
  const std::int64_t of_key = cell.head / (stack.heads / stack.kv_heads) * width;
  const auto address = [](const std::optional<NormNeed>& norm) { return norm ? &*norm : nullptr; };
  if (cell.layer.part == ModelPart::kCross) {
    return {.query = {&layer.cross->query, of_query, &kNone},
            .key = {&layer.cross->key_value, of_key, &kNone},
            .before = address(layer.cross->norm.before)};
  }
  Readings readings{
      .query = {&layer.query_key_value, of_query, &layer.query_norm, layer.rotary},
      .key = {&layer.query_key_value, stack.heads * width + of_key, &layer.key_norm, layer.rotary},
      .before = address(layer.attention_norm.before)};
  readings.query.head = cell.head;
  readings.key.head = cell.head / (stack.heads / stack.kv_heads);
  readings.query.is_turned_first = layer.is_rotated_first;
  readings.query.growth = layer.query_growth;
  readings.key.is_turned_first = layer.is_rotated_first;
  if (layer.separate) {
    readings.query.projection = &layer.separate->query;
    readings.key.projection = &layer.separate->key;
    readings.key.first_column = of_key;
  }
  return readings;
}

// Keeps the streams of the two tokens, and what the layer itself makes of them.
class Observer : public LayerObserver, public AttentionObserver {
 public:
  Observer(const Forward& forward,
           const Cell& cell,
           std::vector<StreamKeeper*> keepers,
           std::stop_token stop)
      : model_(forward.model()),
        backend_(forward.backend()),
        cell_(cell),
        keepers_(std::move(keepers)),
        stop_(std::move(stop)) {}

  AttentionObserver* BeginLayer(LayerId layer) override {
    if (layer != cell_.layer) {
      return nullptr;
    }
    for (StreamKeeper* keeper : keepers_) {
      keeper->Close();
    }
    return this;
  }
  Status EndLayer(LayerId /*layer*/) override { return CheckStop(stop_); }

  bool WantsWrites() override { return true; }
  void OnEmbedding(ModelPart stack, EmbeddingPart part, const Activations& rows) override {
    Tell(stack, rows, [&](StreamKeeper* keeper, std::span<const double> row) {
      keeper->OnEmbedding(part, row);
    });
  }
  void OnContext(LayerId layer, const Activations& context) override {
    std::optional<ProjectionColumns> output;
    Tell(layer.part, context, [&](StreamKeeper* keeper, std::span<const double> row) {
      if (!output) {
        const LinearNeed& need = OutputNeedOf(model_.description(), layer);
        output = ReadColumns(model_, need, 0, ColumnCount(need));
      }
      if (!stop_.stop_requested()) {
        keeper->OnContext(layer, row, *output);
      }
    });
  }
  void OnMlp(LayerId layer, const Activations& output) override {
    Tell(layer.part, output, [&](StreamKeeper* keeper, std::span<const double> row) {
      keeper->OnMlp(layer, row);
    });
  }
  void OnNorm(const NormNeed& norm, const Activations& input) override {
    Read(input);
    for (StreamKeeper* keeper : keepers_) {
      if (keeper->Wants(norm)) {
        keeper->OnNorm(norm, Row(input, keeper->token()));
      }
    }
  }

  void OnProjections(const AttentionProjections& projections) override {
    rule_ = projections.rule;
    keys_ = projections.shape.keys;
    const std::int64_t key_head =
        cell_.head / (projections.shape.heads / projections.shape.kv_heads);
    const auto part =
        [&](std::span<const float> all, std::int64_t row, std::int64_t heads, std::int64_t head) {
          return all.subspan(
              static_cast<std::size_t>((row * heads + head) * projections.shape.head_dim),
              static_cast<std::size_t>(projections.shape.head_dim));
        };
    const auto query = part(projections.queries, cell_.query, projections.shape.heads, cell_.head);
    const auto key = part(projections.keys, cell_.key, projections.shape.kv_heads, key_head);
    dot_ =
        projections.rule.scale * std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
  }
  void OnBlock(const AttentionBlock& /*block*/) override {}

  [[nodiscard]] const AttentionRule& rule() const { return rule_; }
  [[nodiscard]] bool sees_key() const {
    return cell_.key >= rule_.FirstVisible(cell_.query) &&
           cell_.key < rule_.LastVisible(cell_.query, keys_);
  }
  [[nodiscard]] double dot() const { return dot_; }

 private:
  void Read(const Activations& rows) {
    room_.resize(static_cast<std::size_t>(rows.rows() * rows.cols()));
    backend_.ReadDouble(rows, room_);
  }
  [[nodiscard]] std::span<const double> Row(const Activations& rows, std::int64_t row) const {
    return std::span(room_).subspan(static_cast<std::size_t>(row * rows.cols()),
                                    static_cast<std::size_t>(rows.cols()));
  }
  template <typename Function>
  void Tell(ModelPart part, const Activations& rows, Function tell) {
    const auto wants = [&](StreamKeeper* keeper) { return keeper->Wants(part); };
    if (std::ranges::none_of(keepers_, wants)) {
      return;
    }
    Read(rows);
    for (StreamKeeper* keeper : keepers_) {
      if (wants(keeper)) {
        tell(keeper, Row(rows, keeper->token()));
      }
    }
  }

  const Model& model_;
  Backend& backend_;
  Cell cell_;
  std::vector<StreamKeeper*> keepers_;
  std::stop_token stop_;
  std::vector<double> room_;
  AttentionRule rule_;
  std::int64_t keys_ = 0;
  double dot_ = 0.0;
};

// Rotates each part by its position, as the backends do.
void Turn(const RotaryTable& table, std::int64_t position, std::vector<double>* row) {
  const std::size_t pairs = table.inverse_frequency.size();
  for (std::size_t i = 0; i < pairs; ++i) {
    const double angle = static_cast<double>(position) * table.inverse_frequency[i];
    const double cosine = std::cos(angle) * table.attention_factor;
    const double sine = std::sin(angle) * table.attention_factor;
    double& low = (*row)[table.First(i)];
    double& high = (*row)[table.First(i) + table.Distance()];
    const double before = low;
    low = before * cosine - high * sine;
    high = high * cosine + before * sine;
  }
}

struct TokenPlace {
  std::int64_t position = 0;
  std::int64_t tokens = 0;  // in the text
};

// Projects the stream's writers to queries or keys of a head of the layer.
Result<WrittenRows> Project(const Model& model,
                            LayerId layer,
                            const Reading& reading,
                            const WrittenRows& stream,
                            const TokenPlace& token,
                            const std::stop_token& stop) {
  const StackDescription& stack = StackOf(model.description(), layer.part);
  HEADSCOPE_TRY(
      auto made,
      stream.Through(
          ReadColumns(
              model, *reading.projection, reading.first_column, stack.WidthsAt(layer.layer).key),
          {.kind = WriterKind::kProjectionBias, .layer = layer},
          stop));
  WrittenRows& rows = made;
  const auto turn = [&](bool is_due) {
    if (is_due && reading.rotary) {
      const RotaryTable table = TableFor(stack.rotary[*reading.rotary], token.tokens);
      rows.ForEach([&](std::vector<double>* row) { Turn(table, token.position, row); });
    }
  };
  turn(reading.is_turned_first);
  if (*reading.norm) {
    rows.Norm(NormOfHead(ReadNorm(model, **reading.norm), reading.head),
              rows.Sum(),
              {.kind = WriterKind::kNormBias, .layer = layer});
  }
  turn(!reading.is_turned_first);
  if (reading.growth) {
    const double factor = reading.growth->At(token.position);
    rows.ForEach([&](std::vector<double>* row) {
      for (double& value : *row) {
        value *= factor;
      }
    });
  }
  return made;
}

// Makes the table of terms, with rows and columns sorted by their sums.
CellSources MakeTable(const WrittenRows& queries, const WrittenRows& keys, double scale) {
  CellSources table;
  const auto sort = [&](const WrittenRows& rows, const std::vector<double>& other) {
    std::vector<CellSources::Source> sources;
    for (const WrittenRows::Part& part : rows.parts()) {
      sources.push_back(
          {part.writer,
           scale * std::inner_product(part.row.begin(), part.row.end(), other.begin(), 0.0)});
    }
    std::ranges::stable_sort(sources, std::ranges::greater(), &CellSources::Source::sum);
    return sources;
  };
  table.queries = sort(queries, keys.Sum());
  table.keys = sort(keys, queries.Sum());
  for (const CellSources::Source& query : table.queries) {
    const std::vector<double>& left = queries.Of(query.writer);
    for (const CellSources::Source& key : table.keys) {
      const std::vector<double>& right = keys.Of(key.writer);
      table.terms.push_back(scale *
                            std::inner_product(left.begin(), left.end(), right.begin(), 0.0));
    }
    table.total += query.sum;
  }
  RankTerms(&table);
  return table;
}

std::vector<double> RowOf(const TensorView& table, std::int64_t row) {
  std::vector<float> values(static_cast<std::size_t>(table.shape[1]));
  ConvertToFloat(table, row * table.shape[1], values);
  return {values.begin(), values.end()};
}

Status CheckIndex(std::string_view what, std::int64_t index, std::int64_t count) {
  if (index < 0 || index >= count) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} {} was asked for, expected 0 to {}", what, index, count - 1));
  }
  return {};
}

}  // namespace

void RankTerms(CellSources* table) {
  std::vector<std::size_t> order(table->terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t at) { return std::abs(table->terms[at]); };
  const auto end =
      order.begin() + static_cast<std::ptrdiff_t>(std::min(kRankedTerms, order.size()));
  std::ranges::partial_sort(order, end, [&](std::size_t a, std::size_t b) {
    return size(a) != size(b) ? size(a) > size(b) : a < b;
  });
  table->largest.assign(order.begin(), end);
}

Result<CellSources> FindCellSources(Forward* forward,
                                    const ForwardInput& input,
                                    const Cell& cell,
                                    const std::stop_token& stop) {
  const Model& model = forward->model();
  const ModelDescription& description = model.description();
  HEADSCOPE_TRY(CheckLayer(description, cell.layer));
  HEADSCOPE_TRY(CheckInput(description, input));
  const ModelPart part = cell.layer.part;
  const StackDescription& stack = StackOf(description, part);
  const std::int64_t target = std::ssize(input.target_ids);
  const std::int64_t queries = HasTargetQueries(part) ? target : TokenCount(description, input);
  const std::int64_t keys = HasTargetKeys(part) ? target : KeyCount(description, input);
  HEADSCOPE_TRY(CheckIndex("head", cell.head, stack.heads));
  HEADSCOPE_TRY(CheckIndex("query", cell.query, queries));
  HEADSCOPE_TRY(CheckIndex("key", cell.key, keys));
  if (part != ModelPart::kCross && NormsHeadsTogether(stack, cell.layer.layer)) {
    return Fail(ErrorCode::kUnsupported,
                "this model norms the queries of all heads together, and its keys: what a score of "
                "one head is made of cannot be told apart");
  }
  if (part != ModelPart::kCross) {
    HEADSCOPE_TRY(RefuseLatents(stack, "telling apart what a score is made of"));
    HEADSCOPE_TRY(RefuseLimits(stack, "telling apart what a score is made of"));
  }
  if (HasNeighbours(stack) && cell.layer.layer > 0) {
    return Fail(
        ErrorCode::kUnsupported,
        "this model adds what neighbouring tokens make of each other after its first layer: "
        "what each writes into a later score cannot be told apart");
  }
  if (HasPlainBlocks(stack)) {
    return Fail(ErrorCode::kUnsupported,
                "this model has blocks without attention among its layers, which join tokens too: "
                "what each writes into a score cannot be told apart");
  }
  if (SharesKeys(stack) || ScalesStream(stack)) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "this model's layers {}: what each writes into a score cannot be told apart",
            ScalesStream(stack) ? "multiply the whole stream" : "attend to keys of earlier ones"));
  }
  if (HasFurtherMlps(stack)) {
    return Fail(
        ErrorCode::kUnsupported,
        "this model's layers have MLPs behind their own: what each writes into a later score "
        "cannot be told apart");
  }
  if (stack.is_projected_last) {
    return Fail(ErrorCode::kUnsupported,
                "this model projects the sum of its embeddings after their norm: what each adds to "
                "a score cannot be told apart");
  }

  const Readings readings = ReadingsOf(stack, cell);
  const bool is_cross = part == ModelPart::kCross;
  StreamKeeper of_query(model, is_cross ? ModelPart::kDecoder : part, cell.query, readings.before);
  StreamKeeper of_key(
      model, is_cross ? ModelPart::kEncoder : part, cell.key, is_cross ? nullptr : readings.before);
  WrittenRows given;  // keys that an attention module makes from another input
  std::vector<StreamKeeper*> keepers = {&of_query};
  if (input.key_embeddings.empty()) {
    keepers.push_back(&of_key);
  } else {
    const auto width = static_cast<std::size_t>(readings.key.projection->in);
    const auto row =
        std::span(input.key_embeddings).subspan(static_cast<std::size_t>(cell.key) * width, width);
    given.Add({.kind = WriterKind::kToken}, std::vector<double>(row.begin(), row.end()));
  }
  Observer observer(*forward, cell, std::move(keepers), stop);
  HEADSCOPE_TRY(forward->Run(input, cell.layer, &observer, stop));
  if (!observer.sees_key()) {
    return Fail(ErrorCode::kInput,
                fmt::format("token {} does not look at token {}: the mask hides it, and a hidden "
                            "cell has no score; choose one that is seen",
                            cell.query,
                            cell.key));
  }

  // Some models add positions here, and not to the stream.
  const auto placed = [&](WrittenRows stream, std::int64_t position) {
    if (stack.layer_positions && !is_cross) {
      stream.Add({.kind = WriterKind::kPosition},
                 RowOf(*model.weights().Find(stack.layer_positions->name), position));
    }
    return stream;
  };
  const WrittenRows query_stream = placed(of_query.reading(), cell.query);
  HEADSCOPE_TRY(
      const auto query_rows,
      Project(model, cell.layer, readings.query, query_stream, {cell.query, queries}, stop));
  const WrittenRows key_stream = placed(given.empty() ? of_key.reading() : given, cell.key);
  HEADSCOPE_TRY(const auto key_rows,
                Project(model, cell.layer, readings.key, key_stream, {cell.key, keys}, stop));
  const AttentionRule& rule = observer.rule();
  CellSources sources = MakeTable(query_rows, key_rows, rule.scale);
  sources.model_dot = observer.dot();
  if (rule.softcap > 0.0) {
    const double capped = rule.softcap * std::tanh(sources.total / rule.softcap);
    sources.cap_change = capped - sources.total;
  }
  sources.head_bias = static_cast<double>(rule.Bias(cell.head, cell.query, cell.key));
  const PositionScore positions =
      PositionScoreOf(rule, cell.head, cell.query, cell.key, query_rows.Sum(), key_rows.Sum());
  sources.query_content = positions.query_content;
  sources.key_content = positions.key_content;
  return sources;
}

}  // namespace headscope
