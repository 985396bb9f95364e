#include "core/heads/effect/token_maps.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/half.h"
#include "core/heads/effect/frozen_norm.h"
#include "core/heads/effect/output_path.h"
#include "core/heads/effect/token_streams.h"
#include "core/heads/measure/measure.h"
#include "core/heads/scan/weight_means.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Near;
using test::Says;
using test::TinyModel;

// What enters the projections of each layer.
class InputReader : public LayerObserver {
 public:
  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsStates(LayerId /*layer*/) override { return true; }
  void OnStates(LayerId layer,
                std::span<const float> projection_input,
                std::span<const float> /*attention_output*/) override {
    inputs[layer.layer].assign(projection_input.begin(), projection_input.end());
  }

  std::map<std::int64_t, std::vector<float>> inputs;
};

void Zero(const TensorNeed& need, TinyModel* tiny) {
  std::ranges::fill(tiny->tensors.at(need.name).values, 0.0F);
}

// The share of ids with a larger logit, as the definition is written, in double.
std::int64_t IdsAbove(const Model& model,
                      const OutputPath& path,
                      HeadIndex head,
                      Eigen::RowVectorXd stream,
                      std::int32_t target) {
  const ModelDescription& shape = model.description();
  const LayerDescription& layer = shape.layer[static_cast<std::size_t>(head.layer)];
  const std::int64_t width = shape.value_dim;
  if (layer.attention_norm.before) {
    const NormWeights norm = ReadNorm(model, *layer.attention_norm.before);
    const std::span<double> row(stream.data(), static_cast<std::size_t>(stream.size()));
    ApplyFrozen(norm, NormScale(norm, row), row);
    for (std::size_t i = 0; i < norm.bias.size(); ++i) {
      row[i] += static_cast<double>(norm.bias[i]);
    }
  }
  const std::int64_t first = (shape.heads + shape.kv_heads) * shape.head_dim +
                             head.head / (shape.heads / shape.kv_heads) * width;
  const ProjectionColumns value = ReadColumns(model, layer.query_key_value, first, width);
  const ProjectionColumns output = ReadColumns(model, layer.output, 0, shape.model_dim);
  const Eigen::VectorXd added =
      MatrixOf(output).middleCols(head.head * width, width).cast<double>() *
      (MatrixOf(value).cast<double>() * stream.transpose() +
       Eigen::VectorXf::Map(value.bias.data(), width).cast<double>());
  const std::vector<double> read =
      path.Through(head.layer, std::vector<double>(added.begin(), added.end()));
  const TensorView& table = *model.weights().Find(path.layer().weight.name);
  std::vector<float> row(read.size());
  std::vector<double> logits;
  for (std::int64_t id = 0; id < table.shape[0]; ++id) {
    ConvertToFloat(table, id * table.shape[1], row);
    logits.push_back(std::inner_product(row.begin(), row.end(), read.begin(), 0.0));
  }
  const double own = logits[static_cast<std::size_t>(target)];
  return std::ranges::count_if(logits, [&](double logit) { return logit > own; });
}

}  // namespace

TEST_CASE("tables of words are read, and what is none is told by its line", "[heads][maps]") {
  const auto maps =
      ParseTokenMaps("# for people\n\n[plural]\ncat cats\ndog dogs\n[past]\ngo went", "m.txt");
  REQUIRE(maps);
  REQUIRE(maps->size() == 2);
  CHECK((*maps)[0].name == "plural");
  CHECK((*maps)[0].words[1] == std::pair<std::string, std::string>("dog", "dogs"));
  CHECK((*maps)[1].words.size() == 1);
  for (const char* const wrong : {"[plural]\ncat\n", "[plural]\ncat cats cat\n", "cat cats\n"}) {
    const auto refused = ParseTokenMaps(wrong, "m.txt");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Says("m.txt: line") && Says("expected"));
  }
}

TEST_CASE("our tables have each word once, and a measure", "[heads][maps]") {
  const auto maps = ReadTokenMaps(test::SourceFolder() / "assets" / "token_maps.txt");
  REQUIRE(maps);
  REQUIRE(maps->size() == kTokenMaps.size());
  for (std::size_t i = 0; i < maps->size(); ++i) {
    const WordPairs& map = (*maps)[i];
    INFO(map.name);
    CHECK(map.name == kTokenMaps[i]);
    CHECK(FindMeasure("token_map:" + map.name) != nullptr);
    CHECK(map.words.size() >= 60);
    std::set<std::string> sources;
    for (const auto& [source, target] : map.words) {
      CHECK(source != target);
      CHECK(sources.insert(source).second);
    }
  }
}

TEST_CASE("pairs are asked whose words are one token each", "[heads][maps]") {
  const auto model = Model::Open(test::SourceFolder() / "assets" / "models" / "gpt-h8");
  REQUIRE(model);
  const Tokenizer& tokenizer = *(*model)->tokenizer();
  const auto pairs = SingleTokenPairs(
      tokenizer,
      {.name = "plural",
       .words = {{"day", "days"}, {"antidisestablishment", "days"}, {"day", "years"}}});
  REQUIRE(pairs.size() == 1);
  const Encoding told =
      tokenizer.Describe(std::vector<std::int32_t>{pairs[0].source, pairs[0].target});
  CHECK_THAT(told.tokens[0].display, Says("day"));
  CHECK_THAT(told.tokens[1].display, Says("days"));
}

TEST_CASE("a token's stream is what a run without attention and positions has", "[heads][maps]") {
  int checked = 0;
  for (const Family* family : AllFamilies()) {
    TinyModel tiny(family->example);
    const ModelDescription& shape = tiny.description;
    if (shape.reads_embeddings() || shape.layers < 2 ||
        shape.position_scheme == PositionScheme::kSinusoidal) {
      continue;
    }
    INFO(family->id);
    for (const LinearNeed::Matrix& matrix : shape.layer.front().output.matrices) {
      Zero(matrix.weight, &tiny);
      if (matrix.bias) {
        Zero(*matrix.bias, &tiny);
      }
    }
    for (const auto& table : {shape.position_embedding, shape.token_type_embedding}) {
      if (table) {
        Zero(*table, &tiny);
      }
    }
    for (const ConstantProduct& constant : shape.constant_products) {
      if (constant.products.empty()) {
        for (const std::vector<TensorNeed>& part : constant.parts) {
          Zero(part.front(), &tiny);
        }
        continue;
      }
      for (const LinearNeed::Matrix& matrix : constant.products.back().matrices) {
        if (!shape.embedding_projection) {
          Zero(matrix.weight, &tiny);
        }
        if (matrix.bias) {
          Zero(*matrix.bias, &tiny);
        }
      }
      for (const std::vector<TensorNeed>& part : constant.parts) {
        if (shape.embedding_projection) {  // it shares that matrix
          Zero(part.front(), &tiny);
        }
      }
    }
    const auto model = tiny.Open();
    if (model->description().decoder) {
      continue;
    }
    for (const auto& backend : test::AllBackends()) {
      Forward forward(model, backend.get());
      const std::vector<std::int32_t> ids = {3, 5, 4};
      const auto streams = MakeTokenStreams(&forward, ids, {});
      // Chosen for a text, not for a token; or more than one MLP.
      if (model->description().layer.front().experts || HasFurtherMlps(shape) ||
          HasPlainBlocks(shape)) {
        REQUIRE_FALSE(streams.has_value());
        CHECK(streams.error().code == ErrorCode::kUnsupported);
        continue;
      }
      REQUIRE(streams.has_value());
      for (const std::int64_t layer : {0, 1}) {
        const auto& norm =
            model->description().layer[static_cast<std::size_t>(layer)].attention_norm.before;
        const auto read =
            NormedRows(&forward, norm, layer == 0 ? streams->embedded : streams->later);
        REQUIRE(read.has_value());
        for (std::size_t i = 0; i < ids.size(); ++i) {
          InputReader reader;
          REQUIRE(forward.Run({.ids = {ids[i]}, .embeddings = {}}, 1, &reader, {}));
          for (Eigen::Index col = 0; col < read->cols(); ++col) {
            const auto expected =
                static_cast<double>(reader.inputs.at(layer)[static_cast<std::size_t>(col)]);
            CHECK(static_cast<double>((*read)(static_cast<Eigen::Index>(i), col)) ==
                  Near(expected, 2e-5));
          }
        }
      }
      ++checked;
    }
  }
  CHECK(checked >= 10);
}

TEST_CASE("targets among the ten are those of the definition in double", "[heads][maps]") {
  for (const char* const config :
       {R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 24, "n_positions": 16,
            "vocab_size": 700})",
        R"({"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "hidden_size": 32, "intermediate_size": 48,
            "vocab_size": 600, "max_position_embeddings": 16, "rms_norm_eps": 1e-5})"}) {
    TinyModel tiny(config, 4);
    const TensorNeed& output = tiny.description.output_layer->weight;
    RandomStream random(8);
    tiny.tensors[output.name] = test::RandomTensor(output, &random);
    const auto model = tiny.Open();
    const ModelDescription& shape = model->description();
    std::vector<MappedToken> pairs;
    for (std::int32_t i = 0; i < 40; ++i) {
      pairs.push_back({.source = 7 * i + 1, .target = 11 * i + 2});
    }
    const auto path = OutputPath::Make(*model, {});
    REQUIRE(path);
    for (const auto& backend : test::AllBackends()) {
      Forward forward(model, backend.get());
      const auto hits = FindMapHits(&forward, pairs, {});
      REQUIRE(hits);
      std::vector<std::int32_t> sources;
      for (const MappedToken& pair : pairs) {
        sources.push_back(pair.source);
      }
      const auto streams = MakeTokenStreams(&forward, sources, {});
      REQUIRE(streams);
      int found = 0;
      for (std::int64_t head = 0; head < shape.layers * shape.heads; ++head) {
        const HeadIndex index{head / shape.heads, head % shape.heads};
        const FloatMatrix& stream = index.layer == 0 ? streams->embedded : streams->later;
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
          const Eigen::RowVectorXd row = stream.row(static_cast<Eigen::Index>(pair)).cast<double>();
          const auto above = [&](std::size_t of) {
            return IdsAbove(*model, *path, index, row, pairs[of].target);
          };
          const auto place = static_cast<std::size_t>(head);
          CHECK(hits->target[place][pair] == (above(pair) < kTopTargets));
          CHECK(hits->control[place][pair] == (above((pair + 1) % pairs.size()) < kTopTargets));
          found += hits->target[place][pair] ? 1 : 0;
        }
      }
      CHECK(found > 0);
    }
  }
}

TEST_CASE("a model that has too few of the words is asked nothing", "[heads][maps]") {
  const auto model = Model::Open(test::SourceFolder() / "assets" / "models" / "copy-h8");
  REQUIRE(model);
  const auto maps = ReadTokenMaps(test::SourceFolder() / "assets" / "token_maps.txt");
  REQUIRE(maps);
  const auto backend = MakeReferenceBackend();
  Forward forward(*model, backend.get());
  MeanTotals means;
  REQUIRE(AddTokenMaps(&forward, *maps, {}, &means));
  CHECK(means.empty());
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = FindMapHits(&forward, std::vector<MappedToken>{{1, 2}}, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
