#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/model/forward.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::TinyModel;

// Adds up what is written into the residual stream, and holds it against what its norms read.
class StreamRecorder : public LayerObserver {
 public:
  StreamRecorder(const Backend* backend, bool is_parallel)
      : backend_(*backend), is_parallel_(is_parallel) {}

  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsStates(LayerId /*layer*/) override { return wants_states; }
  void OnStates(LayerId /*layer*/,
                std::span<const float> /*projection_input*/,
                std::span<const float> attention_output) override {
    waiting_.assign(attention_output.begin(), attention_output.end());
  }

  bool WantsWrites() override { return wants_writes; }
  bool WantsEnd() override { return wants_end; }
  void OnEmbedding(ModelPart /*stack*/, EmbeddingPart part, const Activations& rows) override {
    embeddings.push_back(part);
    Add(Read(rows));
  }
  void OnContext(LayerId layer, const Activations& context) override {
    contexts.push_back(layer.layer);
    context_cols = context.cols();
  }
  void OnMlp(LayerId layer, const Activations& output) override {
    AddAttention();
    mlps.push_back(layer.layer);
    Add(Read(output));
  }
  void OnNorm(const NormNeed& norm, const Activations& input) override {
    norms.push_back(norm.weight.name);
    if (!wants_states) {
      return;
    }
    if (!is_parallel_) {
      AddAttention();
    }
    const std::vector<double> read = Read(input);
    REQUIRE(read.size() == sum_.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      // What the attention adds was rounded to float32 in each layer, the rest is in double.
      CHECK(std::abs(sum_[i] - read[i]) <= 3.0 * test::kUnit * largest_ + 1e-12);
    }
  }

  bool wants_states = true;
  bool wants_writes = true;
  bool wants_end = false;
  std::int64_t context_cols = 0;
  std::vector<EmbeddingPart> embeddings;
  std::vector<std::int64_t> contexts;
  std::vector<std::int64_t> mlps;
  std::vector<std::string> norms;

 private:
  [[nodiscard]] std::vector<double> Read(const Activations& rows) const {
    std::vector<double> values(static_cast<std::size_t>(rows.rows() * rows.cols()));
    backend_.ReadDouble(rows, values);
    return values;
  }
  void Add(const std::vector<double>& rows) {
    sum_.resize(rows.size());
    std::transform(rows.begin(), rows.end(), sum_.begin(), sum_.begin(), std::plus<>());
    for (const double value : rows) {
      largest_ = std::max(largest_, std::abs(value));
    }
  }
  void AddAttention() {
    if (!waiting_.empty()) {
      Add(waiting_);
      waiting_.clear();
    }
  }

  const Backend& backend_;
  bool is_parallel_;
  std::vector<double> waiting_;  // what the attention adds, until the stream holds it
  std::vector<double> sum_;
  double largest_ = 0.0;
};

}  // namespace

TEST_CASE("what is written into the residual stream adds up to what its norms read",
          "[model][forward]") {
  for (const Family* family : AllFamilies()) {
    const TinyModel tiny(family->example);
    const LayerDescription& first = tiny.description.layer.front();
    const bool is_plain = first.attention_norm.before && !first.attention_norm.inside &&
                          !tiny.description.decoder && !tiny.description.embedding_norm &&
                          !HasPlainBlocks(tiny.description);  // they write, too
    if (!is_plain) {
      continue;
    }
    INFO(family->id);
    const auto backend = MakeReferenceBackend();
    Forward forward(tiny.Open(), backend.get());
    StreamRecorder recorder(backend.get(), first.is_parallel);
    recorder.wants_end = true;
    const std::int64_t last = tiny.description.layers - 1;
    REQUIRE(forward.Run({.ids = {1, 2, 3, 4}, .embeddings = {}}, last, &recorder, {}));
    std::vector<std::int64_t> all(static_cast<std::size_t>(tiny.description.layers));
    std::iota(all.begin(), all.end(), 0);
    CHECK(recorder.embeddings.front() == EmbeddingPart::kToken);
    const bool adds_positions = tiny.description.position_embedding ||
                                tiny.description.position_scheme == PositionScheme::kSinusoidal;
    CHECK(recorder.embeddings.size() == (adds_positions ? 2 : 1));
    CHECK(recorder.contexts == all);
    CHECK(recorder.context_cols == tiny.description.heads * tiny.description.value_dim);
    CHECK(recorder.mlps == all);
    CHECK(recorder.norms.back() == tiny.description.final_norm->weight.name);
  }
}

TEST_CASE("writes are shown up to the last layer's attention, or up to the end",
          "[model][forward]") {
  const TinyModel tiny(R"({"model_type": "gemma2", "num_hidden_layers": 3,
                           "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 12,
                           "head_dim": 6, "query_pre_attn_scalar": 8, "sliding_window": 5,
                           "intermediate_size": 10, "max_position_embeddings": 16,
                           "vocab_size": 11})");
  const auto backend = MakeReferenceBackend();
  Forward forward(tiny.Open(), backend.get());
  const ForwardInput input{.ids = {1, 2, 3, 4}, .embeddings = {}};
  StreamRecorder upto(backend.get(), false);
  upto.wants_states = false;
  REQUIRE(forward.Run(input, 1, &upto, {}));
  CHECK(upto.contexts == std::vector<std::int64_t>{0, 1});
  CHECK(upto.mlps == std::vector<std::int64_t>{0});
  CHECK(upto.norms == std::vector<std::string>{"layers.0.input_layernorm.weight",
                                               "layers.0.post_attention_layernorm.weight",
                                               "layers.0.pre_feedforward_layernorm.weight",
                                               "layers.0.post_feedforward_layernorm.weight",
                                               "layers.1.input_layernorm.weight",
                                               "layers.1.post_attention_layernorm.weight"});
  StreamRecorder end(backend.get(), false);
  end.wants_states = false;
  end.wants_end = true;
  REQUIRE(forward.Run(input, 1, &end, {}));
  CHECK(end.contexts == std::vector<std::int64_t>{0, 1, 2});
  CHECK(end.mlps == std::vector<std::int64_t>{0, 1, 2});
  CHECK(end.norms.size() == 3 * 4 + 1);
  StreamRecorder silent(backend.get(), false);
  silent.wants_states = false;
  silent.wants_writes = false;
  REQUIRE(forward.Run(input, 1, &silent, {}));
  CHECK(silent.embeddings.empty());
  CHECK(silent.norms.empty());
}

}  // namespace headscope
