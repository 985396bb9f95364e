// The walk through layers of every family, held against the same in double from X and the stored
// weights, with bounds that follow from what float32 may do to each step.
#include <algorithm>
#include <cmath>

#include "core/headcount/walk_parts.h"
#include "core/model/family_kit.h"
#include "core/model/scaled_context.h"
#include "tests/reference/walk_reference.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/tiny_model.h"

namespace headscope::test {
namespace {

using Numbers = std::vector<double>;

double LengthOf(const double* begin, std::int64_t count) {
  double square = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    square += begin[i] * begin[i];
  }
  return std::sqrt(square);
}

// How far the rows of each head may be from exact as vectors: of a product of `inputs` terms, and
// of norm and turning after it, which scale both alike.
Numbers VectorBounds(const Model& model,
                     const WalkNeeds::Columns& from,
                     std::span<const float> read,
                     std::int64_t heads,
                     std::int64_t width,
                     const Numbers& made,
                     const Numbers& used) {
  const ProjectionColumns columns = ReadColumns(model, *from.need, from.first, heads * width);
  const auto rows = std::ssize(read) / columns.in;
  Numbers bounds;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t head = 0; head < heads; ++head) {
      double square = 0.0;
      for (std::int64_t c = head * width; c < (head + 1) * width; ++c) {
        double size = std::abs(static_cast<double>(columns.bias[static_cast<std::size_t>(c)]));
        for (std::int64_t i = 0; i < columns.in; ++i) {
          size +=
              std::abs(static_cast<double>(read[static_cast<std::size_t>(row * columns.in + i)]) *
                       static_cast<double>(columns.Column(c)[static_cast<std::size_t>(i)]));
        }
        const double bound = SumBound(size, columns.in + 1);
        square += bound * bound;
      }
      const auto at = (row * heads + head) * width;
      const double before = LengthOf(made.data() + at, width);
      const double after = LengthOf(used.data() + at, width);
      const double scale = before > 0.0 ? std::max(1.0, after / before) : 1.0;
      // Norms: of a changed vector and by a changed size. Then a few roundings of each number.
      bounds.push_back(3.0 * scale * std::sqrt(square) + 8.0 * kUnit * after);
    }
  }
  return bounds;
}

struct Bounds {
  Numbers queries;  // [n, H]: of a head's row as a vector
  Numbers keys;     // [m, Hkv]
  Numbers values;   // [m, Hkv]
};

Bounds BoundsOf(const Model& model, const LayerAttention& layer, const WalkReference& exact) {
  const StackDescription& stack = StackOf(model.description(), layer.part());
  const WalkNeeds needs =
      WalkNeeds::Of(stack.layer[static_cast<std::size_t>(layer.layer())], stack, layer.part());
  const AttentionShape& shape = layer.shape();
  const auto& read = layer.content().projection_input;
  const std::vector<float> placed = QueryInput(model, layer);
  return {
      VectorBounds(model,
                   needs.query,
                   placed,
                   shape.heads,
                   shape.head_dim,
                   exact.queries_made,
                   exact.queries),
      VectorBounds(
          model, needs.key, placed, shape.kv_heads, shape.head_dim, exact.keys_made, exact.keys),
      VectorBounds(
          model, needs.value, read, shape.kv_heads, shape.value_dim, exact.values, exact.values)};
}

double Apart(float found, double expected) {
  return std::abs(static_cast<double>(found) - expected);
}

// Every matrix of one head, and what follows from it; returns how far its blend may be off.
double CheckHead(const LayerWalk& walk,
                 const LayerAttention& layer,
                 const WalkReference& exact,
                 const Bounds& bounds,
                 std::int64_t head) {
  const AttentionShape& shape = layer.shape();
  const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
  const std::int64_t d = walk.model_dim;
  const std::int64_t dk = shape.head_dim;
  const std::int64_t dv = shape.value_dim;
  REQUIRE(walk.rows == shape.queries);
  REQUIRE(walk.query.used.rows == shape.queries);
  REQUIRE(walk.key.used.rows == shape.keys);
  double worst_product = 0.0;
  double worst_score = 0.0;
  double worst_weight = 0.0;
  double worst_blend = 0.0;
  double most_blend = 0.0;
  const auto at = [](const Numbers& all, std::int64_t index) {
    return all[static_cast<std::size_t>(index)];
  };
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    const double query_bound = at(bounds.queries, query * shape.heads + head);
    for (std::int64_t c = 0; c < dk; ++c) {
      const std::int64_t cell = (query * shape.heads + head) * dk + c;
      worst_product = std::max(
          {worst_product,
           Apart(walk.query.used.At(query, c), at(exact.queries, cell)) / query_bound,
           Apart(walk.query.made.At(query, c), at(exact.queries_made, cell)) / query_bound});
    }
    const double query_length =
        LengthOf(exact.queries.data() + (query * shape.heads + head) * dk, dk);
    double score_bound = 0.0;
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      const double key_bound = at(bounds.keys, key * shape.kv_heads + kv_head);
      const double key_length =
          LengthOf(exact.keys.data() + (key * shape.kv_heads + kv_head) * dk, dk);
      const double bound =
          layer.rule().scale *
              (query_bound * key_length + query_length * key_bound + query_bound * key_bound) +
          2.0 * ScoreBound(layer);
      const double score = at(exact.scores, (head * shape.queries + query) * shape.keys + key);
      if (!layer.Visible(query, key)) {
        CHECK(walk.scores.At(query, key) == -std::numeric_limits<float>::infinity());
        CHECK(walk.weights.At(query, key) == 0.0F);
        continue;
      }
      score_bound = std::max(score_bound, bound);
      worst_score =
          std::max(worst_score,
                   Apart(walk.scores.At(query, key), score) / (bound + kUnit * std::abs(score)));
    }
    const double weight_bound = WeightBound(2.0 * score_bound, shape.keys);
    double blend_bound = 0.0;
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      const double weight = at(exact.weights, (head * shape.queries + query) * shape.keys + key);
      worst_weight =
          std::max(worst_weight, Apart(walk.weights.At(query, key), weight) / weight_bound);
      const double value_length =
          LengthOf(exact.values.data() + (key * shape.kv_heads + kv_head) * dv, dv);
      const double value_bound = at(bounds.values, key * shape.kv_heads + kv_head);
      blend_bound += weight_bound * (value_length + value_bound) +
                     weight * (value_bound + SumBound(value_length, shape.keys));
    }
    for (std::int64_t c = 0; c < dv; ++c) {
      worst_blend = std::max(worst_blend,
                             Apart(walk.blended.At(query, c),
                                   at(exact.concatenated, (query * shape.heads + head) * dv + c)) /
                                 blend_bound);
    }
    most_blend = std::max(most_blend, blend_bound);
    // What is added: the blend through this head's rows of W_O.
    double weights_square = 0.0;
    for (const float weight : walk.output_own.values) {
      weights_square += static_cast<double>(weight) * static_cast<double>(weight);
    }
    const double blended =
        LengthOf(exact.concatenated.data() + (query * shape.heads + head) * dv, dv);
    const double added_bound =
        std::sqrt(weights_square) *
        (blend_bound * std::sqrt(static_cast<double>(dv)) + SumBound(blended, dv));
    const double* added = exact.added.data() + (head * shape.queries + query) * d;
    for (std::int64_t column = 0; column < d; ++column) {
      CHECK(Apart(walk.added.At(query, column), added[column]) <= added_bound);
    }
    CHECK(Apart(walk.lengths[walk.PlaceOf(head, query)], LengthOf(added, d)) <=
          added_bound * std::sqrt(static_cast<double>(d)));
  }
  CHECK(worst_product <= 1.0);
  CHECK(worst_score <= 1.0);
  CHECK(worst_weight <= 1.0);
  CHECK(worst_blend <= 1.0);
  return most_blend;
}

double DifferenceOf(const LayerWalk& walk, std::string_view name) {
  const auto found = std::ranges::find(walk.lines, name, &WalkLine::name);
  REQUIRE(found != walk.lines.end());
  REQUIRE(found->difference.has_value());
  return *found->difference;
}

ForwardInput InputFor(const ModelDescription& model) {
  ForwardInput input;
  input.ids = {3, 1, 4, 1, 5, 9, 2, 6, 5};
  if (model.decoder) {
    input.target_ids = {2, 7, 1, 8, 2};
  }
  return input;
}

// Where a norm spans all heads, or stands within what makes keys, or a gate after attention, the walk
// of one must be refused.
bool IsRefused(Forward* forward, const ForwardInput& input, const LayerAttention& layer) {
  const StackDescription& stack = StackOf(forward->model().description(), layer.part());
  if (layer.part() == ModelPart::kCross ||
      (!NormsHeadsTogether(stack, layer.layer()) && !HasLatents(stack) && !ScalesContext(stack))) {
    return false;
  }
  const auto walk = WalkLayer(forward, input, layer, {.head = 0}, {});
  REQUIRE_FALSE(walk.has_value());
  CHECK(walk.error().code == ErrorCode::kUnsupported);
  return true;
}

}  // namespace

TEST_CASE("In every family each matrix of the walk is what the formulas give in double",
          "[headcount][walk][families]") {
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const ForwardInput input = InputFor(model->description());
    const auto backend = std::move(AllBackends().back());
    Forward forward(model, backend.get());
    for (const ModelPart part : PartsOf(model->description())) {
      if (part == ModelPart::kCross) {
        continue;
      }
      INFO(family->id << " " << PartName(part));
      for (const auto& layer : CaptureAll(model, backend.get(), input, true, part)) {
        if (IsRefused(&forward, input, *layer)) {
          continue;
        }
        const WalkReference exact = WalkInDouble(*model, *layer);
        const Bounds bounds = BoundsOf(*model, *layer, exact);
        double blend = 0.0;
        LayerWalk last;
        for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
          auto walk = WalkLayer(&forward, input, *layer, {.head = head}, {});
          REQUIRE(walk.has_value());
          blend = std::max(blend, CheckHead(*walk, *layer, exact, bounds, head));
          last = std::move(*walk);
        }
        // Two ways, each off by as much.
        double project = 0.0;
        for (const Numbers* all : {&bounds.queries, &bounds.keys, &bounds.values}) {
          project = std::max(project, *std::ranges::max_element(*all));
        }
        CHECK(DifferenceOf(last, "project") <= 2.0 * project);
        CHECK(DifferenceOf(last, "blend") <= 2.0 * blend);
      }
    }
  }
}

TEST_CASE("In every family the walk shows the model's own map and output, and heads add up to it",
          "[headcount][walk][families]") {
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const ForwardInput input = InputFor(model->description());
    for (const auto& backend : AllBackends()) {
      Forward forward(model, backend.get());
      for (const ModelPart part : PartsOf(model->description())) {
        INFO(family->id << " " << PartName(part) << " on " << backend->Description());
        const std::vector<LayerError> errors = FloatErrors(model, input, part);
        for (const auto& layer : CaptureAll(model, backend.get(), input, true, part)) {
          if (IsRefused(&forward, input, *layer)) {
            continue;
          }
          const AttentionShape& shape = layer->shape();
          const LayerError& error = errors[static_cast<std::size_t>(layer->layer())];
          const std::vector<float>& output = layer->content().attention_output;
          std::vector<float> sum(output.size());
          for (std::int64_t head = 0; head < shape.heads; ++head) {
            const auto walk = WalkLayer(&forward, input, *layer, {.head = head}, {});
            REQUIRE(walk.has_value());
            CHECK(walk->weights.values == MapOf(*layer, head));
            CHECK(walk->output.values == output);
            CHECK(walk->input.values == layer->content().projection_input);
            CHECK(walk->stacked_parameters == walk->by_head_parameters);
            for (const WalkLine& line : walk->lines) {
              const double bound = line.name == "attend" ? error.maps : error.outputs;
              if (line.name == "attend" || line.name == "mix") {
                REQUIRE(line.difference.has_value());
                CHECK(*line.difference <= 4.0 * bound);
              }
            }
            for (std::size_t i = 0; i < sum.size(); ++i) {
              sum[i] += walk->added.values[i];
            }
          }
          const StackDescription& stack = StackOf(model->description(), part);
          const auto& description = stack.layer[static_cast<std::size_t>(layer->layer())];
          const std::vector<float> bias =
              ReadBiases(*model, *WalkNeeds::Of(description, stack, part).output);
          for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += bias[i % bias.size()];
          }
          CHECK(headscope::test::LargestDifference(sum, output) <= 4.0 * error.outputs);
        }
      }
    }
  }
}

TEST_CASE("What a family has besides, the walk has too", "[headcount][walk][families]") {
  bool has_grouped = false;
  bool has_turned = false;
  bool has_normed = false;
  bool has_bias = false;
  bool has_cap = false;
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const ForwardInput input = InputFor(model->description());
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    for (const ModelPart part : PartsOf(model->description())) {
      INFO(family->id << " " << PartName(part));
      const auto layers = CaptureAll(model, backend.get(), input, true, part);
      const LayerAttention& layer = *layers.back();
      if (IsRefused(&forward, input, layer)) {
        continue;
      }
      const StackDescription& stack = StackOf(model->description(), part);
      const LayerDescription& description = stack.layer[static_cast<std::size_t>(layer.layer())];
      const std::int64_t head = layer.shape().heads - 1;
      const auto walk = WalkLayer(&forward, input, layer, {.head = head}, {});
      REQUIRE(walk.has_value());
      const bool is_cross = part == ModelPart::kCross;
      CHECK(walk->key.own_head == layer.shape().kv_heads - 1);
      CHECK((walk->query.turned > 0) == (!is_cross && description.rotary.has_value()));
      CHECK(walk->query.normed.empty() == (is_cross || !description.query_norm));
      CHECK(walk->key.normed.empty() == (is_cross || !description.key_norm));
      // Of another text's keys only what was made of them is at hand.
      CHECK(walk->has_own_keys == is_cross);
      CHECK(walk->key.made.empty() == is_cross);
      CHECK(walk->notes.empty() == !(is_cross || stack.layer_positions));
      CHECK(walk->key.own.rows == walk->key.inputs());
      CHECK(std::ssize(walk->query.use) == walk->model_dim);
      for (std::int64_t query = 0; query < walk->rows; ++query) {
        for (std::int64_t key = 0; key < layer.shape().keys; ++key) {
          const float score = static_cast<float>(layer.Score(head, query, key));
          CHECK(walk->scores.At(query, key) == score);
        }
      }
      has_grouped = has_grouped || walk->key.heads < walk->query.heads;
      has_turned = has_turned || walk->query.turned > 0;
      has_normed = has_normed || !walk->query.normed.empty();
      has_bias = has_bias || walk->rule.bias != nullptr;
      has_cap = has_cap || walk->rule.softcap > 0.0;
    }
  }
  CHECK(has_grouped);
  CHECK(has_turned);
  CHECK(has_normed);
  CHECK(has_bias);
  CHECK(has_cap);
}

}  // namespace headscope::test
