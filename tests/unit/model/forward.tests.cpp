#include "core/model/forward.h"

#include <cmath>
#include <limits>
#include <set>

#include "core/model/layer_changes.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/rounding_backend.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

const std::string kSmallGpt2 = R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                              "n_positions": 16, "vocab_size": 11})";

// Counts what it is told and asks for states of every layer.
class Recorder : public LayerObserver, public AttentionObserver {
 public:
  AttentionObserver* BeginLayer(LayerId layer) override {
    begun.push_back(layer.layer);
    return this;
  }
  bool WantsStates(LayerId /*layer*/) override { return wants_states; }
  void OnStates(LayerId layer,
                std::span<const float> projection_input,
                std::span<const float> attention_output) override {
    CHECK(layer.layer == begun.back());
    inputs.emplace_back(projection_input.begin(), projection_input.end());
    outputs.emplace_back(attention_output.begin(), attention_output.end());
  }
  Status EndLayer(LayerId layer) override {
    ended.push_back(layer.layer);
    if (stop_after == layer.layer) {
      stop.request_stop();
    }
    return {};
  }
  void OnProjections(const AttentionProjections& projections) override {
    CHECK(static_cast<std::int64_t>(projections.queries.size()) ==
          projections.shape.queries * projections.shape.heads * projections.shape.head_dim);
    CHECK(static_cast<std::int64_t>(projections.keys.size()) ==
          projections.shape.keys * projections.shape.kv_heads * projections.shape.head_dim);
    CHECK(static_cast<std::int64_t>(projections.values.size()) ==
          projections.shape.keys * projections.shape.kv_heads * projections.shape.value_dim);
    all_queries.insert(all_queries.end(), projections.queries.begin(), projections.queries.end());
  }
  void OnBlock(const AttentionBlock& block) override {
    rows += (block.head_end - block.head_begin) * (block.query_end - block.query_begin);
  }

  bool wants_states = false;
  std::int64_t stop_after = -1;
  std::stop_source stop;
  std::vector<std::int64_t> begun;
  std::vector<std::int64_t> ended;
  std::vector<std::vector<float>> inputs;
  std::vector<std::vector<float>> outputs;
  std::vector<float> all_queries;
  std::int64_t rows = 0;
};

// Tensors that only what follows the last layer's attention reads.
std::set<std::string> AfterTheLastAttention(ModelDescription model) {
  const auto names = [](ModelDescription* description) {
    std::set<std::string> all;
    for (const TensorNeed* need : AllNeeds(description)) {
      all.insert(need->name);
    }
    return all;
  };
  std::set<std::string> all = names(&model);
  LayerDescription& last = model.layer.back();
  last.attention_norm.inside.reset();
  last.attention_norm.after.reset();
  last.mlp_norm = {};
  last.mlp_gate.reset();
  last.output_gate.reset();
  last.context_norm.reset();
  last.xielu.reset();
  last.mlp_inner_norm.reset();
  last.experts.reset();
  last.further_mlps.clear();
  last.stream_factor.reset();
  for (LinearNeed* need : {&last.output, &last.mlp_up, &last.mlp_down}) {
    need->matrices.clear();
  }
  model.final_norm.reset();
  model.decoder.reset();
  for (const std::string& name : names(&model)) {
    all.erase(name);
  }
  return all;
}

}  // namespace

TEST_CASE("input that the model cannot read is refused with both numbers", "[model][forward]") {
  const TinyModel tiny(kSmallGpt2);
  const ModelDescription& model = tiny.description;
  const auto refused = [&](const ForwardInput& input) {
    const Status status = CheckInput(model, input);
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().code == ErrorCode::kInput);
    return status.error().message;
  };
  CHECK_THAT(refused({}), Says("no token"));
  CHECK_THAT(refused({.ids = std::vector<std::int32_t>(17, 1), .embeddings = {}}),
             Says("17 tokens") && Says("at most 16"));
  CHECK_THAT(refused({.ids = {0, 11}, .embeddings = {}}),
             Says("token 1") && Says("id 11") && Says("0 to 10"));
  CHECK_THAT(refused({.ids = {-1}, .embeddings = {}}), Says("id -1"));
  CHECK_THAT(refused({.ids = {}, .embeddings = std::vector<float>(13)}),
             Says("13 numbers") && Says("multiple of 12"));
  CHECK_THAT(refused({.ids = {}, .embeddings = std::vector<float>(17 * 12)}),
             Says("17 tokens") && Says("at most 16"));
  std::vector<float> broken(24, 0.5F);
  broken[15] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(refused({.ids = {}, .embeddings = broken}), Says("token 1") && Says("column 3"));

  CHECK(CheckInput(model, {.ids = std::vector<std::int32_t>(16, 10), .embeddings = {}}));
  CHECK(CheckInput(model, {.ids = {}, .embeddings = std::vector<float>(16 * 12)}));

  CHECK(CheckLayer(model, {ModelPart::kWhole, 2}));
  const Status layer = CheckLayer(model, {ModelPart::kWhole, 3});
  REQUIRE_FALSE(layer.has_value());
  CHECK_THAT(layer.error().message, Says("layer 3") && Says("0 to 2"));
}

TEST_CASE("not-a-number in the weights is found when its layer is computed, by name",
          "[model][forward]") {
  int of_no_token = 0;
  int of_experts = 0;
  for (const Family* family : AllFamilies()) {
    const TinyModel clean(family->example);
    const std::set<std::string> unused = AfterTheLastAttention(clean.description);
    for (const auto& [name, tensor] : clean.tensors) {
      INFO(family->id << ": " << name);
      TinyModel tiny = clean;
      std::vector<float>& values = tiny.tensors[name].values;
      values[values.size() / 2] = name.size() % 2 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                                       : std::numeric_limits<float>::infinity();
      const auto model = tiny.Open();
      const auto backend = MakeReferenceBackend();
      Forward forward(model, backend.get());
      // The ids cover the vocabulary, so that every row of the tables is read.
      ForwardInput input;
      for (std::int32_t i = 0; i < 16; ++i) {
        input.ids.push_back(i % 11);
      }
      for (std::int32_t i = 0; i < 16 && clean.description.token_types > 0; ++i) {
        input.segment_ids.push_back(i % static_cast<std::int32_t>(clean.description.token_types));
      }
      const Status ran = forward.Run(input, clean.description.layers - 1, nullptr, {});
      // What follows the last layer's attention is not computed.
      if (unused.contains(name)) {
        CHECK(ran.has_value());
        continue;
      }
      const bool is_expert = name.find("experts.") != std::string::npos;
      of_experts += is_expert ? 1 : 0;
      if (is_expert && ran.has_value()) {  // no token has chosen it: it is not read
        ++of_no_token;
        continue;
      }
      REQUIRE_FALSE(ran.has_value());
      CHECK(ran.error().code == ErrorCode::kNumeric);
      CHECK_THAT(ran.error().message, Says(name) && Says("model.safetensors"));
    }
  }
  CHECK(of_experts > 20 * of_no_token);
}

TEST_CASE("layers are observed in order up to the last one asked for", "[model][forward]") {
  const auto model = TinyModel(kSmallGpt2).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    Recorder recorder;
    REQUIRE(forward.Run({.ids = {1, 2, 3, 4}, .embeddings = {}}, 1, &recorder, {}));
    CHECK(recorder.begun == std::vector<std::int64_t>{0, 1});
    CHECK(recorder.ended == std::vector<std::int64_t>{0, 1});
    CHECK(recorder.rows == 2 * 3 * 4);
    CHECK(recorder.inputs.empty());
  }
}

TEST_CASE("segments that the model does not tell apart are refused", "[model][forward]") {
  const auto backend = MakeReferenceBackend();
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const TinyModel tiny(family->example);
    Forward forward(tiny.Open(), backend.get());
    const auto types = static_cast<std::int32_t>(tiny.description.token_types);
    ForwardInput input;
    input.ids = {1, 2, 3};
    input.segment_ids = {0, 0, types};
    const Status past = forward.Run(input, 0, nullptr, {});
    REQUIRE_FALSE(past.has_value());
    CHECK(past.error().code == ErrorCode::kInput);
    if (types > 0) {
      CHECK_THAT(past.error().message, Says("token 2") && Says(std::to_string(types)));
      input.segment_ids = {0, 0};
      const Status short_list = forward.Run(input, 0, nullptr, {});
      REQUIRE_FALSE(short_list.has_value());
      CHECK_THAT(short_list.error().message, Says("2 segment ids for 3 tokens"));
    }
  }
}

TEST_CASE("embeddings in place of ids give the same layers", "[model][forward]") {
  for (const Family* family : AllFamilies()) {
    const TinyModel tiny(family->example);
    const auto model = tiny.Open();
    std::vector<float> table = tiny.tensors.at(tiny.description.token_embedding.name).values;
    for (float& value : table) {
      value *= static_cast<float>(tiny.description.embedding_scale);
    }
    const std::int64_t width = tiny.description.embedding_dim();
    const std::vector<std::int32_t> ids = {3, 0, 7, 3, 10};
    ForwardInput embedded;
    for (const std::int32_t id : ids) {
      const auto first = table.begin() + id * width;
      embedded.embeddings.insert(embedded.embeddings.end(), first, first + width);
    }
    const auto queries_of = [&](Backend* backend, const ForwardInput& input) {
      Forward forward(model, backend);
      Recorder recorder;
      REQUIRE(forward.Run(input, 2, &recorder, {}));
      return recorder.all_queries;
    };
    if (tiny.description.token_inputs) {
      const Status refused = CheckInput(tiny.description, embedded);
      REQUIRE_FALSE(refused.has_value());
      CHECK_THAT(refused.error().message, Says("in every layer, too"));
      continue;
    }
    const ForwardInput by_id{.ids = ids, .embeddings = {}};
    const auto apart = [&](Backend* one, Backend* other) {
      return test::LargestDifference(queries_of(one, by_id), queries_of(other, embedded));
    };
    // Both are rounded, an embedding that is scaled in float32 already.
    const auto reference = MakeReferenceBackend();
    double bound = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      test::RoundingBackend rounding({.seed = seed});
      bound = std::max(bound, 3.0 * 2.0 * apart(reference.get(), &rounding));
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(family->id << " on " << backend->Description());
      CHECK(apart(backend.get(), backend.get()) <= bound);
    }
  }
}

TEST_CASE("texts of one length side by side give the queries that each gives alone",
          "[model][forward]") {
  const std::vector<std::vector<std::int32_t>> texts = {
      {3, 0, 7, 3, 10}, {1, 2, 4, 8, 5}, {9, 9, 9, 0, 6}};
  ForwardInput together{.ids = {}, .embeddings = {}, .texts = 3};
  for (const auto& ids : texts) {
    together.ids.insert(together.ids.end(), ids.begin(), ids.end());
  }
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const auto queries_of = [&](Backend* backend, const ForwardInput& input) {
      Forward forward(model, backend);
      Recorder recorder;
      REQUIRE(forward.Run(input, 2, &recorder, {}));
      CHECK(recorder.ended.size() == 3);
      return recorder.all_queries;
    };
    // Layer by layer, in each the texts one after another.
    const auto apart = [&](Backend* one, Backend* other) {
      std::vector<std::vector<float>> alone;
      for (const auto& ids : texts) {
        alone.push_back(queries_of(other, {.ids = ids, .embeddings = {}}));
      }
      std::vector<float> expected;
      const ModelDescription& about = model->description();
      std::int64_t from = 0;
      for (std::int64_t layer = 0; layer < 3; ++layer) {
        const std::int64_t count =
            std::ssize(texts.front()) * about.heads * about.WidthsAt(layer).key;
        for (const auto& text : alone) {
          const auto first = text.begin() + from;
          expected.insert(expected.end(), first, first + count);
        }
        from += count;
      }
      const std::vector<float> found = queries_of(one, together);
      REQUIRE(found.size() == expected.size());
      return test::LargestDifference(found, expected);
    };
    INFO(family->id);
    const auto reference = MakeReferenceBackend();
    CHECK(apart(reference.get(), reference.get()) == 0.0);
    double bound = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      test::RoundingBackend rounding({.seed = seed});
      bound = std::max(bound, 3.0 * 2.0 * apart(reference.get(), &rounding));
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      CHECK(apart(backend.get(), backend.get()) <= bound);
    }
  }
}

TEST_CASE("states are given for every layer that wants them, the last one too",
          "[model][forward]") {
  const TinyModel tiny(kSmallGpt2);
  const auto model = tiny.Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    Recorder recorder;
    recorder.wants_states = true;
    REQUIRE(forward.Run({.ids = {1, 2, 3, 4}, .embeddings = {}}, 2, &recorder, {}));
    REQUIRE(recorder.inputs.size() == 3);
    for (std::size_t layer = 0; layer < 3; ++layer) {
      CHECK(recorder.inputs[layer].size() == 4 * 12);
      CHECK(recorder.outputs[layer].size() == 4 * 12);
    }
    // The first layer's input is the layer norm of token plus position, by the formula.
    const auto value = [&](const char* name, std::size_t i) {
      return static_cast<double>(tiny.tensors.at(name).values[i]);
    };
    for (std::size_t token = 0; token < 4; ++token) {
      std::vector<double> row;
      double mean = 0.0;
      for (std::size_t i = 0; i < 12; ++i) {
        row.push_back(value("wte.weight", (token + 1) * 12 + i) +
                      value("wpe.weight", token * 12 + i));
        mean += row.back() / 12.0;
      }
      double variance = 0.0;
      for (const double x : row) {
        variance += (x - mean) * (x - mean) / 12.0;
      }
      for (std::size_t i = 0; i < 12; ++i) {
        const double expected =
            (row[i] - mean) / std::sqrt(variance + 1e-5) * value("h.0.ln_1.weight", i) +
            value("h.0.ln_1.bias", i);
        // Twelve numbers below 1 are added and normed.
        CHECK(std::abs(static_cast<double>(recorder.inputs[0][token * 12 + i]) - expected) <=
              test::SumBound(1.0, 12) / std::sqrt(variance) +
                  8.0 * test::kUnit * (1.0 + std::abs(expected)));
      }
    }
  }
}

TEST_CASE("a stop is heeded before the first layer and between layers", "[model][forward]") {
  const auto model = TinyModel(kSmallGpt2).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const ForwardInput input{.ids = {1, 2, 3}, .embeddings = {}};
    std::stop_source stopped;
    stopped.request_stop();
    Recorder recorder;
    Status ran = forward.Run(input, 2, &recorder, stopped.get_token());
    REQUIRE_FALSE(ran.has_value());
    CHECK(ran.error().code == ErrorCode::kCancelled);
    CHECK(recorder.ended.empty());

    recorder.stop_after = 0;
    ran = forward.Run(input, 2, &recorder, recorder.stop.get_token());
    REQUIRE_FALSE(ran.has_value());
    CHECK(ran.error().code == ErrorCode::kCancelled);
    CHECK(recorder.ended == std::vector<std::int64_t>{0});

    // What was stopped runs again as if nothing had been.
    Recorder again;
    CHECK(forward.Run(input, 2, &again, {}));
    CHECK(again.ended.size() == 3);
  }
}

TEST_CASE("the output projection of a layer is given out prepared", "[model][forward]") {
  const auto model = TinyModel(kSmallGpt2).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const auto linear = forward.OutputProjection({ModelPart::kWhole, 1}, {});
    REQUIRE(linear.has_value());
    CHECK((*linear)->in() == 12);
    CHECK((*linear)->out() == 12);
    CHECK(*forward.OutputProjection({ModelPart::kWhole, 1}, {}) == *linear);
    CHECK_FALSE(forward.OutputProjection({ModelPart::kWhole, 3}, {}).has_value());
  }
}

// Notes in which order a layer's steps come.
class Steps : public LayerChanges, public LayerObserver {
 public:
  explicit Steps(bool wants_states, bool wants_writes)
      : wants_states_(wants_states), wants_writes_(wants_writes) {}
  Status ChangeAttention(LayerId layer, Activations* /*output*/) override {
    order += "a" + std::to_string(layer.layer);
    return {};
  }
  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsStates(LayerId /*layer*/) override { return wants_states_; }
  bool WantsWrites() override { return wants_writes_; }
  bool WantsEnd() override { return true; }
  Status EndLayer(LayerId layer) override {
    order += "e" + std::to_string(layer.layer);
    return {};
  }
  std::string order;

 private:
  bool wants_states_ = false;
  bool wants_writes_ = false;
};

TEST_CASE("who looks at weights alone is told before a layer's output is computed",
          "[model][forward]") {
  const TinyModel tiny(kSmallGpt2);
  const auto backend = MakeReferenceBackend();
  Forward forward(tiny.Open(), backend.get());
  const ForwardInput input{.ids = {1, 2, 3}, .embeddings = {}};
  const auto order = [&](bool wants_states, bool wants_writes) {
    Steps steps(wants_states, wants_writes);
    REQUIRE(forward.RunChanged(input, {}, &steps, &steps, {}));
    return steps.order;
  };
  CHECK(order(false, false) == "e0a0e1a1e2a2");
  CHECK(order(true, false) == "a0e0a1e1a2e2");
  CHECK(order(false, true) == "a0e0a1e1a2e2");
}

}  // namespace headscope
