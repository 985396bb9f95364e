#include "core/heads/effect/output_norms.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/model/read_weights.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/rounding_backend.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::TinyModel;

const std::vector<std::int32_t> kIds = {1, 2, 3, 1, 5, 9, 2, 6};

NormText TextOfIds() {
  NormText text;
  for (const std::int32_t id : kIds) {
    text.counts.push_back(id != 3);
    text.is_separator.push_back(id == 2);
  }
  return text;
}

NormSums MeasureNorms(const std::shared_ptr<const Model>& model, Backend* backend) {
  Forward forward(model, backend);
  OutputNorms norms(&forward);
  norms.Begin({TextOfIds()}, {});
  REQUIRE(
      forward.Run({.ids = kIds, .embeddings = {}}, model->description().layers - 1, &norms, {}));
  return norms.Take().front();
}

// The same by the definition: every key's vector by itself, in double.
class Plain : public LayerObserver, public AttentionObserver {
 public:
  explicit Plain(const Model& model) : model_(model) {
    const ModelDescription& description = model.description();
    const std::vector<double> none(
        static_cast<std::size_t>(description.layers * description.heads));
    sums = {none, none, none, none, none, 0, 0};
  }
  AttentionObserver* BeginLayer(LayerId layer) override {
    layer_ = layer.layer;
    return this;
  }
  void OnProjections(const AttentionProjections& projections) override {
    shape_ = projections.shape;
    rule_ = projections.rule;
    values_.assign(projections.values.begin(), projections.values.end());
  }
  void OnBlock(const AttentionBlock& block) override {
    const LinearNeed& need = model_.description().layer[static_cast<std::size_t>(layer_)].output;
    const ProjectionColumns output = ReadColumns(model_, need, 0, ColumnCount(need));
    const NormText text = TextOfIds();
    const float* row = block.weights.data();
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      const auto cell = static_cast<std::size_t>(layer_ * shape_.heads + head);
      for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
        std::vector<double> sum(static_cast<std::size_t>(output.columns()));
        double all = 0.0;
        double rest = 0.0;
        double first = 0.0;
        double even_all = 0.0;
        double even_rest = 0.0;
        double even_first = 0.0;
        for (std::int64_t key = 0; key < block.keys; ++key) {
          double square = 0.0;
          for (std::int64_t column = 0; column < output.columns(); ++column) {
            const double term = Term(output, head, key, column);
            sum[static_cast<std::size_t>(column)] += static_cast<double>(row[key]) * term;
            square += term * term;
          }
          const double norm = std::sqrt(square);
          const bool is_resting = text.is_separator[static_cast<std::size_t>(key)];
          const double part = static_cast<double>(row[key]) * norm;
          all += part;
          rest += is_resting ? part : 0.0;
          first += key == 0 ? part : 0.0;
          if (key >= rule_.FirstVisible(query) && key < rule_.LastVisible(query, block.keys)) {
            even_all += norm;
            even_rest += is_resting ? norm : 0.0;
            even_first += key == 0 ? norm : 0.0;
          }
        }
        row += block.keys;
        if (text.counts[static_cast<std::size_t>(query)]) {
          double square = 0.0;
          for (const double value : sum) {
            square += value * value;
          }
          sums.output[cell] += std::sqrt(square);
          sums.separator_share[cell] += rest / all;
          sums.first_share[cell] += query > 0 ? first / all : 0.0;
          sums.separator_chance[cell] += even_rest / even_all;
          sums.first_chance[cell] += query > 0 ? even_first / even_all : 0.0;
        }
      }
    }
  }

  NormSums sums;

 private:
  // What the key's value adds to a column of the residual stream.
  [[nodiscard]] double Term(const ProjectionColumns& output,
                            std::int64_t head,
                            std::int64_t key,
                            std::int64_t column) const {
    const std::int64_t width = shape_.value_dim;
    const std::int64_t own = head / (shape_.heads / shape_.kv_heads);
    double sum = 0.0;
    for (std::int64_t i = 0; i < width; ++i) {
      const auto at = static_cast<std::size_t>((key * shape_.kv_heads + own) * width + i);
      sum += static_cast<double>(values_[at]) *
             static_cast<double>(output.Column(column)[static_cast<std::size_t>(head * width + i)]);
    }
    return sum;
  }

  const Model& model_;
  std::int64_t layer_ = 0;
  AttentionShape shape_;
  AttentionRule rule_;
  std::vector<float> values_;
};

double LargestNormGap(const NormSums& left, const NormSums& right) {
  double largest = 0.0;
  for (std::size_t head = 0; head < left.output.size(); ++head) {
    largest = std::max({largest,
                        std::abs(left.output[head] - right.output[head]),
                        std::abs(left.separator_share[head] - right.separator_share[head]),
                        std::abs(left.first_share[head] - right.first_share[head]),
                        std::abs(left.separator_chance[head] - right.separator_chance[head]),
                        std::abs(left.first_chance[head] - right.first_chance[head])});
  }
  return largest;
}

}  // namespace

TEST_CASE("norms of what heads add are those of the definition", "[heads][norms]") {
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    if (model->description().decoder) {
      continue;
    }
    INFO(family->id);
    const auto reference = MakeReferenceBackend();
    Forward forward(model, reference.get());
    Plain plain(*model);
    REQUIRE(
        forward.Run({.ids = kIds, .embeddings = {}}, model->description().layers - 1, &plain, {}));
    double bound = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      test::RoundingBackend rounding({.seed = seed});
      bound = std::max(bound, 3.0 * LargestNormGap(plain.sums, MeasureNorms(model, &rounding)));
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      const NormSums sums = MeasureNorms(model, backend.get());
      CHECK(LargestNormGap(plain.sums, sums) <= bound);
      CHECK(sums.rows == 7);
      CHECK(sums.first_rows == 6);
    }
  }
}

TEST_CASE("a head that adds nothing is inactive, the others' mean is over all", "[heads][norms]") {
  const std::vector<double> relative = RelativeNorms(std::vector<double>{0.0, 3.0, 3.0, 0.0}, 2);
  CHECK(relative == std::vector<double>{0.0, 2.0, 2.0, 0.0});
  CHECK(RelativeNorms(std::vector<double>{0.0, 0.0}, 2) == std::vector<double>{0.0, 0.0});

  TinyModel tiny(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                     "n_positions": 16, "vocab_size": 11})");
  std::vector<float>& output = tiny.tensors.at("h.1.attn.c_proj.weight").values;
  std::fill(output.begin() + 4 * 12, output.begin() + 8 * 12, 0.0F);
  const auto backend = MakeReferenceBackend();
  const NormSums sums = MeasureNorms(tiny.Open(), backend.get());
  const std::vector<double> of_heads = RelativeNorms(sums.output, 3);
  CHECK(of_heads[4] == 0.0);
  CHECK(of_heads[3] + of_heads[5] == test::Near(3.0));
}

TEST_CASE("texts side by side have the norms of each by itself", "[heads][norms]") {
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    if (model->description().decoder) {
      continue;
    }
    INFO(family->id);
    const auto backend = MakeReferenceBackend();
    const std::int64_t last = model->description().layers - 1;
    Forward forward(model, backend.get());
    OutputNorms norms(&forward);
    NormText silent = TextOfIds();
    silent.counts.assign(kIds.size(), false);
    norms.Begin({silent, TextOfIds()}, {});
    ForwardInput input{.ids = kIds, .embeddings = {}};
    std::ranges::reverse(input.ids);
    input.ids.insert(input.ids.end(), kIds.begin(), kIds.end());
    input.texts = 2;
    REQUIRE(forward.Run(input, last, &norms, {}));
    const std::vector<NormSums> both = norms.Take();
    REQUIRE(both.size() == 2);
    CHECK(both[0].rows == 0);
    CHECK(std::ranges::all_of(both[0].output, [](double sum) { return sum == 0.0; }));
    // The reference backend reckons each row by itself.
    CHECK(LargestNormGap(both[1], MeasureNorms(model, backend.get())) < 1e-12);
  }
}

TEST_CASE("a stop ends the norms", "[heads][norms]") {
  const auto backend = MakeReferenceBackend();
  const TinyModel tiny(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                           "n_positions": 16, "vocab_size": 11})");
  Forward forward(tiny.Open(), backend.get());
  std::stop_source stop;
  stop.request_stop();
  OutputNorms norms(&forward);
  norms.Begin({TextOfIds()}, stop.get_token());
  const Status ran = forward.Run({.ids = kIds, .embeddings = {}}, 0, &norms, {});
  REQUIRE_FALSE(ran.has_value());
  CHECK(ran.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
