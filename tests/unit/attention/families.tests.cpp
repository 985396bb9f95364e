// What holds for the attention of every family, whatever its weights.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/model/read_weights.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/random_input.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::CaptureAll;
using test::FloatErrors;
using test::LargestDifference;
using test::LayerError;
using test::Layers;
using test::MapOf;
using test::RandomIds;
using test::TinyModel;

// Runs `check` for every family on every backend.
template <typename Check>
void ForAll(Check check) {
  for (const Family* family : AllFamilies()) {
    for (const auto& backend : test::AllBackends()) {
      INFO(family->id << " on " << backend->Description());
      check(TinyModel(family->example), backend.get());
    }
  }
}

// Makes heads alike but for their projections.
void ClearBias(TinyModel* model) {
  if (model->description.relative_bias) {
    std::ranges::fill(model->tensors.at(model->description.relative_bias->table.name).values, 0.0F);
  }
  if (const auto& positions = model->description.position_vectors) {
    std::ranges::fill(model->tensors.at(positions->table.name).values, 0.0F);
    if (positions->norm) {
      std::ranges::fill(model->tensors.at(positions->norm->bias->name).values, 0.0F);
    }
  }
  for (std::int64_t layer = 0; layer < model->description.layers; ++layer) {
    if (NormsHeadsTogether(model->description, layer)) {
      const LayerDescription& one = model->description.layer[static_cast<std::size_t>(layer)];
      std::ranges::fill(model->tensors.at(one.query_norm->weight.name).values, 1.0F);
      std::ranges::fill(model->tensors.at(one.key_norm->weight.name).values, 1.0F);
    }
  }
  for (const LayerDescription& layer : model->description.layer) {
    if (layer.context_norm) {
      std::ranges::fill(model->tensors.at(layer.context_norm->weight.name).values, 1.0F);
    }
    if (layer.sinks) {  // which then take nothing
      std::ranges::fill(model->tensors.at(layer.sinks->name).values, -1e30F);
    }
  }
}

// Whether each place has a slope of its own, which does not go with a head's weights.
bool HasSlopes(const ModelDescription& model) {
  const auto& bias = model.layer.front().rule.bias;
  return bias != nullptr && !bias->slopes.empty();
}

// One matrix of a layer, seen as [in, out] whatever its layout and however many tensors hold it.
class MatrixView {
 public:
  MatrixView(TinyModel* model, const LinearNeed& need) : model_(model), need_(need) {}
  float& At(std::int64_t in, std::int64_t out) {
    const Place place = PlaceOf(out);
    const bool in_out = need_.layout == WeightLayout::kInOut;
    const std::int64_t width = place.matrix->weight.shape.back();
    const std::int64_t cell =
        FirstOf(place.matrix->weight) + (in_out ? in * width + place.row : place.row * width + in);
    return model_->tensors.at(place.matrix->weight.name).values[static_cast<std::size_t>(cell)];
  }
  float* Bias(std::int64_t out) {
    const Place place = PlaceOf(out);
    const auto& bias = place.matrix->bias;
    return bias ? &model_->tensors.at(bias->name)
                       .values[static_cast<std::size_t>(FirstOf(*bias) + place.row)]
                : nullptr;
  }

 private:
  struct Place {
    const LinearNeed::Matrix* matrix = nullptr;
    std::int64_t row = 0;  // or column, as the tensor lies
  };
  // The first number of the part that a need asks for.
  static std::int64_t FirstOf(const TensorNeed& need) {
    return (need.rows ? need.rows->first : 0) * (need.shape.size() > 1 ? need.shape.back() : 1);
  }
  [[nodiscard]] Place PlaceOf(std::int64_t out) const {
    out = Stored(out);
    for (const LinearNeed::Matrix& matrix : need_.matrices) {
      const auto& rows = matrix.weight.rows;
      const std::int64_t width = need_.layout == WeightLayout::kInOut ? matrix.weight.shape.back()
                                 : rows                               ? rows->count
                                                                      : matrix.weight.shape[0];
      if (out < width) {
        return {&matrix, out};
      }
      out -= width;
    }
    throw std::out_of_range("a column past the matrix");
  }
  // Where a column of the product lies among those of the tensors.
  [[nodiscard]] std::int64_t Stored(std::int64_t out) const {
    if (need_.fused_heads == 0) {
      return out;
    }
    const std::int64_t width = need_.matrices[0].weight.shape[0] / (3 * need_.fused_heads);
    const std::int64_t head = out / width % need_.fused_heads;
    const std::int64_t kind = out / width / need_.fused_heads;
    return (3 * head + kind) * width + out % width;
  }

  TinyModel* model_;
  const LinearNeed& need_;
};

// Swaps columns a and b of the stacked projection.
void SwapColumns(TinyModel* model, const LinearNeed& need, std::int64_t a, std::int64_t b) {
  MatrixView matrix(model, need);
  for (std::int64_t in = 0; in < need.in; ++in) {
    std::swap(matrix.At(in, a), matrix.At(in, b));
  }
  if (matrix.Bias(a) != nullptr) {
    std::swap(*matrix.Bias(a), *matrix.Bias(b));
  }
}

void SwapRows(TinyModel* model, const LinearNeed& need, std::int64_t a, std::int64_t b) {
  MatrixView matrix(model, need);
  for (std::int64_t out = 0; out < model->description.model_dim; ++out) {
    std::swap(matrix.At(a, out), matrix.At(b, out));
  }
}

bool ReadsSomeTwice(const LinearNeed& need) {
  std::set<std::pair<std::string, std::int64_t>> seen;
  return std::ranges::any_of(need.matrices, [&seen](const LinearNeed::Matrix& matrix) {
    const auto& rows = matrix.weight.rows;
    return !seen.insert({matrix.weight.name, rows ? rows->first : 0}).second;
  });
}

bool HasGroups(const LinearNeed& need) {
  return std::ranges::any_of(
      need.matrices, [](const LinearNeed::Matrix& matrix) { return matrix.weight.groups > 1; });
}

}  // namespace

TEST_CASE("rows sum to one and masked weights are exactly zero", "[attention][families]") {
  ForAll([](const TinyModel& tiny, Backend* backend) {
    const auto model = tiny.Open();
    for (const std::int64_t count : {1, 2, 7, 16}) {
      const Layers layers = CaptureAll(model, backend, RandomIds(tiny.description, count, 5));
      REQUIRE(static_cast<std::int64_t>(layers.size()) == tiny.description.layers);
      for (const auto& layer : layers) {
        for (std::int64_t head = 0; head < tiny.description.heads; ++head) {
          const std::vector<float> map = MapOf(*layer, head);
          const std::vector<float>& made = layer->thumbnail(head).mean;
          for (std::int64_t query = 0; query < count; ++query) {
            double sum = layer->SinkWeight(head, query);
            double sum_made = sum;
            for (std::int64_t key = 0; key < count; ++key) {
              const auto cell = static_cast<std::size_t>(query * count + key);
              if (layer->Visible(query, key)) {
                sum += static_cast<double>(map[cell]);
                sum_made += static_cast<double>(made[cell]);
              } else {
                CHECK(map[cell] == 0.0F);
                CHECK(made[cell] == kMasked);
              }
            }
            CHECK(std::abs(sum - 1.0) <= test::RowSumBound(count));
            CHECK(std::abs(sum_made - 1.0) <= test::RowSumBound(count));
          }
        }
      }
    }
  });
}

TEST_CASE("a text's beginning does not change with what follows", "[attention][families]") {
  ForAll([](const TinyModel& tiny, Backend* backend) {
    if (!tiny.description.causal) {
      return;
    }
    const auto model = tiny.Open();
    const ForwardInput whole = RandomIds(tiny.description, 13, 6);
    ForwardInput part = whole;
    part.ids.resize(6);
    const std::vector<LayerError> bounds = FloatErrors(model, whole);
    const Layers long_layers = CaptureAll(model, backend, whole);
    const Layers short_layers = CaptureAll(model, backend, part);
    for (std::size_t layer = 0; layer < long_layers.size(); ++layer) {
      for (std::int64_t head = 0; head < tiny.description.heads; ++head) {
        std::vector<float> row(13);
        std::vector<float> short_row(6);
        for (std::int64_t query = 0; query < 6; ++query) {
          long_layers[layer]->Row(head, query, row);
          short_layers[layer]->Row(head, query, short_row);
          CHECK(LargestDifference(std::span(row).first(6), short_row) <= 2.0 * bounds[layer].maps);
        }
      }
    }
  });
}

TEST_CASE("swapping two heads' weights swaps their maps and nothing else",
          "[attention][families]") {
  ForAll([](TinyModel tiny, Backend* backend) {
    if (HasSlopes(tiny.description)) {
      return;
    }
    if (ReadsSomeTwice(tiny.description.layer[0].query_key_value) ||
        HasGroups(tiny.description.layer[0].query_key_value)) {
      return;  // several heads have keys that are stored once, or read inputs of their own
    }
    ClearBias(&tiny);
    // Whole groups of query heads go with their keys and values.
    TinyModel swapped = tiny;
    const ModelDescription& description = tiny.description;
    const LayerDescription& layer = description.layer[0];
    const std::int64_t group = description.heads / description.kv_heads;
    const auto [width, value_width] = description.WidthsAt(0);
    const std::int64_t first_key = description.heads * width;
    const std::int64_t first_value = first_key + description.kv_heads * width;
    const auto swap = [&](const LinearNeed& need, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        SwapColumns(&swapped, need, i, i + count);
      }
    };
    if (const auto& latent = layer.latent) {
      swap(latent->query, 0, width);
      swap(latent->key, 0, ColumnCount(latent->key) / description.heads);
      swap(latent->value, 0, value_width);
    } else {
      swap(layer.query_key_value, 0, group * width);
      swap(layer.query_key_value, first_key, width);
      swap(layer.query_key_value, first_value, width);
    }
    if (layer.output_gate) {
      const LinearNeed& gate = layer.output_gate->product;
      swap(gate, 0, group * ColumnCount(gate) / description.heads);
    }
    for (std::int64_t i = 0; i < group * value_width; ++i) {
      SwapRows(&swapped, layer.output, i, group * value_width + i);
    }
    const ForwardInput input = RandomIds(description, 9, 7);
    const std::vector<LayerError> bounds = FloatErrors(tiny.Open(), input);
    const Layers before = CaptureAll(tiny.Open(), backend, input, true);
    const Layers after = CaptureAll(swapped.Open(), backend, input, true);
    for (std::int64_t head = 0; head < description.heads; ++head) {
      const std::int64_t from = head < group       ? head + group
                                : head < 2 * group ? head - group
                                                   : head;
      CHECK(LargestDifference(MapOf(*after[0], head), MapOf(*before[0], from)) <=
            2.0 * bounds[0].maps);
      CHECK(LargestDifference(MapOf(*after[1], head), MapOf(*before[1], head)) <=
            2.0 * bounds[1].maps);
    }
    CHECK(LargestDifference(MapOf(*before[0], 0), MapOf(*before[0], group)) > 1e-3);
    CHECK(LargestDifference(after[0]->content().attention_output,
                            before[0]->content().attention_output) <= 2.0 * bounds[0].outputs);
  });
}

TEST_CASE("every backend makes the same maps and states", "[attention][families]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const TinyModel tiny(family->example);
    const auto model = tiny.Open();
    const ForwardInput input = RandomIds(tiny.description, 16, 8);
    const auto backends = test::AllBackends();
    const Layers expected = CaptureAll(model, backends[0].get(), input, true);
    const std::vector<LayerError> bounds = FloatErrors(model, input);
    for (const auto& backend : backends) {
      INFO(backend->Description());
      const Layers layers = CaptureAll(model, backend.get(), input, true);
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        CHECK(LargestDifference(layers[layer]->content().attention_output,
                                expected[layer]->content().attention_output) <=
              bounds[layer].outputs);
        for (std::int64_t head = 0; head < tiny.description.heads; ++head) {
          CHECK(LargestDifference(MapOf(*layers[layer], head), MapOf(*expected[layer], head)) <=
                bounds[layer].maps);
        }
      }
    }
  }
}

TEST_CASE("queries of zero spread evenly over the visible keys", "[attention][families]") {
  ForAll([](const TinyModel& tiny, Backend* backend) {
    if (HasSlopes(tiny.description)) {
      return;
    }
    TinyModel zero = tiny;
    ClearBias(&zero);
    const LinearNeed& need = FirstProduct(tiny.description.layer[0]);
    MatrixView matrix(&zero, need);
    if (HasGroups(need)) {  // queries are a matrix of their own
      std::ranges::fill(zero.tensors.at(need.matrices.front().weight.name).values, 0.0F);
      std::ranges::fill(zero.tensors.at(need.matrices.front().bias->name).values, 0.0F);
    }
    const std::int64_t columns =
        HasGroups(need) ? 0 : tiny.description.heads * tiny.description.WidthsAt(0).key;
    for (std::int64_t out = 0; out < columns; ++out) {
      for (std::int64_t in = 0; in < need.in; ++in) {
        matrix.At(in, out) = 0.0F;
      }
      if (float* bias = matrix.Bias(out); bias != nullptr) {
        *bias = 0.0F;
      }
    }
    const auto& norm = tiny.description.layer[0].query_norm;
    if (norm && norm->bias) {
      std::ranges::fill(zero.tensors.at(norm->bias->name).values, 0.0F);
    }
    const Layers layers = CaptureAll(zero.Open(), backend, RandomIds(tiny.description, 8, 9));
    const std::vector<float> map = MapOf(*layers[0], 1);
    const AttentionRule& rule = layers[0]->rule();
    for (std::int64_t query = 0; query < 8; ++query) {
      const std::int64_t visible = rule.LastVisible(query, 8) - rule.FirstVisible(query);
      for (std::int64_t key = 0; key < 8; ++key) {
        CHECK(map[static_cast<std::size_t>(query * 8 + key)] ==
              (layers[0]->Visible(query, key) ? 1.0F / static_cast<float>(visible) : 0.0F));
      }
    }
  });
}

TEST_CASE("every part of an encoder-decoder has rows that sum to one", "[attention][families]") {
  ForAll([](const TinyModel& tiny, Backend* backend) {
    if (!tiny.description.decoder) {
      return;
    }
    const auto model = tiny.Open();
    ForwardInput input = RandomIds(tiny.description, 9, 5);
    input.target_ids = RandomIds(*tiny.description.decoder, 6, 15).ids;
    for (const ModelPart part : PartsOf(tiny.description)) {
      INFO(PartName(part));
      const Layers layers = CaptureAll(model, backend, input, false, part);
      CHECK(static_cast<std::int64_t>(layers.size()) == StackOf(tiny.description, part).layers);
      for (const auto& layer : layers) {
        const AttentionShape& shape = layer->shape();
        const LayerDescription& description =
            StackOf(tiny.description, part).layer[static_cast<std::size_t>(layer->layer())];
        const std::int64_t window = part == ModelPart::kCross ? 0 : description.rule.window;
        CHECK(layer->part() == part);
        CHECK(shape.queries == (part == ModelPart::kEncoder ? 9 : 6));
        CHECK(shape.keys == (part == ModelPart::kDecoder ? 6 : 9));
        for (std::int64_t head = 0; head < shape.heads; ++head) {
          const std::vector<float> map = MapOf(*layer, head);
          const std::vector<float>& made = layer->thumbnail(head).mean;
          for (std::int64_t query = 0; query < shape.queries; ++query) {
            double sum = 0.0;
            for (std::int64_t key = 0; key < shape.keys; ++key) {
              const auto cell = static_cast<std::size_t>(query * shape.keys + key);
              const bool is_near = window == 0 || std::abs(query - key) < window;
              const bool is_visible = is_near && (part != ModelPart::kDecoder || key <= query);
              CHECK(layer->Visible(query, key) == is_visible);
              CHECK((map[cell] == 0.0F) == !is_visible);
              CHECK((made[cell] == kMasked) == !is_visible);
              CHECK((!is_visible || static_cast<double>(std::abs(made[cell] - map[cell])) <=
                                        test::WeightBound(test::ScoreBound(*layer), shape.keys)));
              sum += static_cast<double>(map[cell]);
            }
            CHECK(std::abs(sum - 1.0) <= test::RowSumBound(shape.keys));
          }
        }
      }
    }
  });
}

TEST_CASE("a target's beginning does not change with what follows", "[attention][families]") {
  ForAll([](const TinyModel& tiny, Backend* backend) {
    if (!tiny.description.decoder) {
      return;
    }
    const auto model = tiny.Open();
    ForwardInput whole = RandomIds(tiny.description, 7, 6);
    whole.target_ids = RandomIds(*tiny.description.decoder, 11, 16).ids;
    ForwardInput part = whole;
    part.target_ids.resize(4);
    const std::vector<LayerError> bounds = FloatErrors(model, whole, ModelPart::kCross);
    const Layers long_layers = CaptureAll(model, backend, whole, false, ModelPart::kCross);
    const Layers short_layers = CaptureAll(model, backend, part, false, ModelPart::kCross);
    for (std::size_t layer = 0; layer < long_layers.size(); ++layer) {
      const std::vector<float> long_map = MapOf(*long_layers[layer], 1);
      const std::vector<float> short_map = MapOf(*short_layers[layer], 1);
      CHECK(LargestDifference(std::span(long_map).first(short_map.size()), short_map) <=
            2.0 * bounds[layer].maps);
    }
  });
}

}  // namespace headscope
