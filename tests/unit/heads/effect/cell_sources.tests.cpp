#include "core/heads/effect/cell_sources.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/base/random.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/folders.h"
#include "tests/support/random_positions.h"
#include "tests/support/rounding_backend.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

// The projections of one layer, and its maps.
class Projections : public LayerObserver, public AttentionObserver {
 public:
  explicit Projections(LayerId layer) : layer_(layer) {}
  AttentionObserver* BeginLayer(LayerId layer) override { return layer == layer_ ? this : nullptr; }
  void OnProjections(const AttentionProjections& given) override {
    shape = given.shape;
    rule = given.rule;
    queries.assign(given.queries.begin(), given.queries.end());
    keys.assign(given.keys.begin(), given.keys.end());
    maps.resize(static_cast<std::size_t>(shape.heads * shape.queries * shape.keys));
  }
  void OnBlock(const AttentionBlock& block) override {
    const float* from = block.weights.data();
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      const std::int64_t rows = block.query_end - block.query_begin;
      std::copy_n(from,
                  rows * block.keys,
                  maps.begin() + (head * shape.queries + block.query_begin) * block.keys);
      from += rows * block.keys;
    }
  }

  // The score by its formula, and what the roundings of its queries and keys may do to it.
  struct Score {
    double value = 0.0;
    double bound = 0.0;
  };
  [[nodiscard]] Score ScoreOf(const Cell& cell) const {
    const std::int64_t key_head = cell.head / (shape.heads / shape.kv_heads);
    double dot = 0.0;
    double size = 0.0;
    for (std::int64_t i = 0; i < shape.head_dim; ++i) {
      const double term = static_cast<double>(queries[static_cast<std::size_t>(
                              (cell.query * shape.heads + cell.head) * shape.head_dim + i)]) *
                          static_cast<double>(keys[static_cast<std::size_t>(
                              (cell.key * shape.kv_heads + key_head) * shape.head_dim + i)]);
      dot += rule.scale * term;
      size += std::abs(rule.scale * term);
    }
    const double capped = rule.softcap > 0.0 ? rule.softcap * std::tanh(dot / rule.softcap) : dot;
    if (rule.positions != nullptr) {
      const double score =
          test::ScoreWithPositions(shape, rule, queries, keys, cell.head, cell.query, cell.key);
      return {score, 2.01 * test::kUnit * 5.0 * size + 1e-6};
    }
    return {capped + static_cast<double>(rule.Bias(cell.head, cell.query, cell.key)),
            2.01 * test::kUnit * size + 1e-12};
  }
  [[nodiscard]] float Weight(const Cell& cell) const {
    return maps[static_cast<std::size_t>((cell.head * shape.queries + cell.query) * shape.keys +
                                         cell.key)];
  }

  AttentionShape shape;
  AttentionRule rule;
  std::vector<float> queries;
  std::vector<float> keys;
  std::vector<float> maps;

 private:
  LayerId layer_;
};

ForwardInput InputOf(const ModelDescription& model) {
  ForwardInput input{.ids = {3, 1, 4, 1, 5, 9, 2, 6}, .embeddings = {}};
  if (model.token_types > 1) {
    input.segment_ids = {0, 0, 0, 1, 1, 1, 1, 1};
  }
  if (model.decoder) {
    input.target_ids = {2, 7, 1, 8, 2};
  }
  return input;
}

CellSources Find(Forward* forward, const ForwardInput& input, const Cell& cell) {
  Result<CellSources> found = FindCellSources(forward, input, cell, {});
  INFO((found ? "" : found.error().message));
  REQUIRE(found.has_value());
  return std::move(*found);
}

double SumOf(const std::vector<double>& terms) {
  double sum = 0.0;
  for (const double term : terms) {
    sum += term;
  }
  return sum;
}

// What adds to a score cannot be told apart where MLPs follow the layer's, convolutions join tokens, a
// norm spans all heads, the embeddings are projected after theirs, keys are made of latents, or queries
// are kept within a limit.
bool IsRefused(const ModelDescription& model) {
  return ScalesStream(model) || HasFurtherMlps(model) || HasPlainBlocks(model) ||
         model.is_projected_last || NormsHeadsTogether(model, 0) || HasLatents(model) ||
         model.layer.front().projection_limit > 0.0;
}

// Every layout that has a setting of its own beside the families' examples.
std::vector<std::string> Layouts() {
  std::vector<std::string> configs;
  for (const Family* family : AllFamilies()) {
    if (!IsRefused(TinyModel(family->example).description)) {
      configs.emplace_back(family->example);
    }
  }
  configs.emplace_back(R"({"model_type": "gpt_neox", "num_hidden_layers": 3,
      "num_attention_heads": 3, "hidden_size": 24, "intermediate_size": 10, "rotary_pct": 0.5,
      "use_parallel_residual": false, "max_position_embeddings": 16, "vocab_size": 11})");
  configs.emplace_back(R"({"model_type": "opt", "num_hidden_layers": 3, "num_attention_heads": 3,
      "hidden_size": 12, "ffn_dim": 10, "max_position_embeddings": 16, "vocab_size": 11})");
  configs.emplace_back(R"({"n_layers": 3, "n_heads": 3, "d_model": 12, "d_head": 4, "n_ctx": 16,
      "d_vocab": 11, "attn_only": true, "normalization_type": null})");
  return configs;
}

}  // namespace

TEST_CASE("a layout whose parts cannot be told apart is refused", "[heads][sources]") {
  int refused = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const ModelDescription& description = model->description();
    if (IsRefused(description)) {
      INFO(family->id);
      const auto backend = MakeReferenceBackend();
      Forward forward(model, backend.get());
      const auto found = FindCellSources(
          &forward, InputOf(description), {{PartsOf(description)[0], 0}, 0, 1, 1}, {});
      REQUIRE_FALSE(found.has_value());
      CHECK(found.error().code == ErrorCode::kUnsupported);
      ++refused;
    }
  }
  CHECK(refused >= 2);
}

TEST_CASE("what the writers give adds up to the score, in every layout", "[heads][sources]") {
  for (const std::string& config : Layouts()) {
    const TinyModel tiny(config);
    const auto model = tiny.Open();
    const ModelDescription& description = model->description();
    const ForwardInput input = InputOf(description);
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    for (const ModelPart part : PartsOf(description)) {
      for (std::int64_t layer = 0; layer < StackOf(description, part).layers; ++layer) {
        Projections truth({part, layer});
        REQUIRE(forward.Run(input, LayerId{part, layer}, &truth, {}));
        for (const auto& [query, key] : {std::pair(4, 1), std::pair(3, 3), std::pair(1, 0)}) {
          const Cell cell{{part, layer}, truth.shape.heads - 1, query, key};
          if (key < truth.rule.FirstVisible(query)) {
            continue;  // in another chunk
          }
          INFO(description.family << " " << PartName(part) << " layer " << layer << ", query "
                                  << query << ", key " << key);
          const CellSources found = Find(&forward, input, cell);
          const Projections::Score score = truth.ScoreOf(cell);
          CHECK(std::abs(found.score() - score.value) <= score.bound);
          CHECK(std::abs(found.model_dot - found.total) <= score.bound);
          const double sum = SumOf(found.terms);
          CHECK(std::abs(sum - found.total) <= 1e-12 * (1.0 + std::abs(found.total)));
          REQUIRE(found.terms.size() == found.queries.size() * found.keys.size());
          CHECK(std::ranges::is_sorted(
              found.keys, std::ranges::greater(), &CellSources::Source::sum));
        }
      }
    }
  }
}

TEST_CASE("float32 gives the same table within what it can do", "[heads][sources]") {
  for (const std::string& config : Layouts()) {
    const auto model = TinyModel(config).Open();
    const ForwardInput input = InputOf(model->description());
    const ModelPart part = PartsOf(model->description()).back();
    const std::int64_t last = StackOf(model->description(), part).layers - 1;
    const Cell cell{{part, std::min<std::int64_t>(2, last)}, 1, 3, 2};
    const auto table = [&](Backend* backend) {
      Forward forward(model, backend);
      const CellSources found = Find(&forward, input, cell);
      // By name: an order by size may swap what is nearly equal.
      std::vector<std::pair<std::string, double>> named;
      for (std::size_t q = 0; q < found.queries.size(); ++q) {
        for (std::size_t k = 0; k < found.keys.size(); ++k) {
          named.emplace_back(
              WriterName(found.queries[q].writer) + "/" + WriterName(found.keys[k].writer),
              found.term(q, k));
        }
      }
      std::ranges::sort(named);
      return named;
    };
    const auto reference = MakeReferenceBackend();
    const auto exact = table(reference.get());
    const auto apart = [&](Backend* backend) {
      const auto other = table(backend);
      REQUIRE(other.size() == exact.size());
      double largest = 0.0;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        REQUIRE(other[i].first == exact[i].first);
        largest = std::max(largest, std::abs(other[i].second - exact[i].second));
      }
      return largest;
    };
    double bound = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      test::RoundingBackend rounding({.seed = seed});
      bound = std::max(bound, 3.0 * apart(&rounding));
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(model->description().family << " on " << backend->Description());
      CHECK(apart(backend.get()) <= bound);
    }
  }
}

TEST_CASE("every part of the model that writes is named once", "[heads][sources]") {
  const auto model = TinyModel(R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                                   "n_positions": 16, "vocab_size": 11})")
                         .Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const CellSources found =
      Find(&forward, InputOf(model->description()), {{ModelPart::kWhole, 2}, 0, 5, 2});
  std::set<std::string> names;
  for (const CellSources::Source& source : found.keys) {
    CHECK(names.insert(WriterName(source.writer)).second);
  }
  CHECK(names == std::set<std::string>{"token",
                                       "position",
                                       "L0H0",
                                       "L0H1",
                                       "L0H2",
                                       "L1H0",
                                       "L1H1",
                                       "L1H2",
                                       "MLP L0",
                                       "MLP L1",
                                       "attention bias L0",
                                       "attention bias L1",
                                       "MLP bias L0",
                                       "MLP bias L1",
                                       "norm bias L2",
                                       "projection bias"});
}

TEST_CASE("a cell that there is not, or that the mask hides, is refused", "[heads][sources]") {
  const auto model = TinyModel(R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                                   "n_positions": 16, "vocab_size": 11})")
                         .Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto refused = [&](const Cell& cell) {
    const auto found = FindCellSources(&forward, InputOf(model->description()), cell, {});
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().code == ErrorCode::kInput);
    return found.error().message;
  };
  CHECK_THAT(refused({{ModelPart::kWhole, 3}, 0, 1, 1}), Says("layer 3"));
  CHECK_THAT(refused({{ModelPart::kWhole, 1}, 3, 1, 1}), Says("head 3") && Says("0 to 2"));
  CHECK_THAT(refused({{ModelPart::kWhole, 1}, 0, 8, 1}), Says("query 8") && Says("0 to 7"));
  CHECK_THAT(refused({{ModelPart::kWhole, 1}, 0, 1, -1}), Says("key -1"));
  CHECK_THAT(refused({{ModelPart::kWhole, 1}, 0, 1, 2}), Says("the mask hides it"));

  std::stop_source stop;
  stop.request_stop();
  const auto stopped = FindCellSources(
      &forward, InputOf(model->description()), {{ModelPart::kWhole, 1}, 0, 1, 1}, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

TEST_CASE("an induction head's cell is lit by the previous-token head", "[heads][sources]") {
  const auto model = Model::Open(test::SourceFolder() / "assets" / "models" / "copy-h8");
  REQUIRE(model.has_value());
  Result<std::unique_ptr<Backend>> backend = MakeOnednnBackend();
  REQUIRE(backend.has_value());
  Forward forward(*model, backend->get());
  // The begin mark and a block of distinct ids, twice.
  constexpr std::int64_t kPeriod = 20;
  ForwardInput input{.ids = {0}, .embeddings = {}};
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 1; id < 65; ++id) {
    ids.push_back(id);
  }
  RandomStream random(5);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    std::swap(ids[i], ids[i + random.Below(ids.size() - i)]);
  }
  for (int copy = 0; copy < 2; ++copy) {
    input.ids.insert(input.ids.end(), ids.begin(), ids.begin() + kPeriod);
  }
  Projections maps({ModelPart::kWhole, 1});
  REQUIRE(forward.Run(input, 1, &maps, {}));
  const auto at = [](std::int64_t head, std::int64_t query) {
    return Cell{{ModelPart::kWhole, 1}, head, query, query - kPeriod + 1};
  };
  std::int64_t strongest = 0;
  double most = 0.0;
  for (std::int64_t head = 0; head < maps.shape.heads; ++head) {
    double mass = 0.0;
    for (std::int64_t query = kPeriod + 1; query < maps.shape.queries; ++query) {
      mass += static_cast<double>(maps.Weight(at(head, query)));
    }
    if (mass > most) {
      strongest = head;
      most = mass;
    }
  }
  CHECK(most / kPeriod >= 0.9);
  for (std::int64_t query = kPeriod + 1; query < maps.shape.queries; ++query) {
    const CellSources found = Find(&forward, input, at(strongest, query));
    INFO("head " << strongest << ", query " << query);
    CHECK(WriterName(found.keys.front().writer) == "L0H0");
    CHECK(std::abs(found.total - found.model_dot) <= 1e-5 * (1.0 + std::abs(found.total)));
  }
}

}  // namespace headscope
