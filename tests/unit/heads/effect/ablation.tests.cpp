#include "core/heads/effect/ablation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/heads/effect/token_losses.h"
#include "core/heads/scan/score_report.h"
#include "core/model/read_weights.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Near;
using test::Says;
using test::TinyModel;

TinyModel Gpt2(int layers, int heads) {
  return TinyModel(R"({"model_type": "gpt2", "n_layer": )" + std::to_string(layers) +
                   R"(, "n_head": )" + std::to_string(heads) + R"(, "n_embd": )" +
                   std::to_string(4 * heads) + R"(, "n_positions": 64, "vocab_size": 90})");
}

ProbeCorpus Texts(std::int64_t vocabulary, std::initializer_list<std::size_t> lengths) {
  ProbeCorpus corpus{.probe = "texts", .groups = {""}, .sequences = {}};
  RandomStream random(17);
  for (const std::size_t length : lengths) {
    ProbeSequence sequence;
    for (std::size_t i = 0; i < length; ++i) {
      sequence.ids.push_back(
          static_cast<std::int32_t>(random.Below(static_cast<std::uint64_t>(vocabulary))));
    }
    sequence.special.assign(length, 0);
    corpus.sequences.push_back(std::move(sequence));
  }
  return corpus;
}

std::vector<HeadAblation> Ablate(const std::shared_ptr<const Model>& model,
                                 Backend* backend,
                                 const ProbeCorpus& corpus,
                                 const std::vector<HeadIndex>& heads) {
  auto ablations = AblateHeads(model, backend, corpus, heads, {}, {});
  REQUIRE(ablations.has_value());
  return std::move(*ablations);
}

double LossOf(const std::shared_ptr<const Model>& model,
              Backend* backend,
              const ProbeCorpus& corpus) {
  Forward forward(model, backend);
  const auto losses = TokenLosses::Make(&forward, {});
  REQUIRE(losses.has_value());
  double sum = 0.0;
  double tokens = 0.0;
  for (const ProbeSequence& sequence : corpus.sequences) {
    const std::vector<const ProbeSequence*> texts = {&sequence};
    const std::vector<std::vector<std::int64_t>> predicted = {PredictedTokens(sequence, false)};
    const auto loss = (*losses)->Run(texts, predicted, {});
    REQUIRE(loss.has_value());
    sum += (*loss)[0];
    tokens += static_cast<double>(predicted[0].size());
  }
  return sum / tokens;
}

// The mean over all rows of what the heads of a layer give.
class ContextMean : public LayerObserver {
 public:
  ContextMean(const Backend& backend, std::int64_t layer) : backend_(backend), layer_(layer) {}
  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsWrites() override { return true; }
  void OnContext(LayerId layer, const Activations& context) override {
    if (layer.layer != layer_) {
      return;
    }
    std::vector<double> all(static_cast<std::size_t>(context.rows() * context.cols()));
    backend_.ReadDouble(context, all);
    sum.resize(static_cast<std::size_t>(context.cols()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum[i % sum.size()] += all[i];
    }
    rows += static_cast<double>(context.rows());
  }

  std::vector<double> sum;
  double rows = 0.0;

 private:
  const Backend& backend_;
  std::int64_t layer_;
};

}  // namespace

TEST_CASE("a model that knows nothing loses the logarithm of its vocabulary", "[heads][ablation]") {
  TinyModel tiny = Gpt2(1, 2);
  std::ranges::fill(tiny.tensors.at("wte.weight").values, 0.0F);
  for (const auto& backend : test::AllBackends()) {
    CHECK(LossOf(tiny.Open(), backend.get(), Texts(90, {5, 9})) == Near(std::log(90.0), 1e-5));
  }
}

TEST_CASE("of repeats the tokens count that the first block tells", "[heads][ablation]") {
  ProbeSequence sequence;
  sequence.ids = {0, 5, 6, 7, 5, 6, 7};
  sequence.special = {1, 0, 0, 0, 0, 0, 0};
  CHECK(PredictedTokens(sequence, true) == std::vector<std::int64_t>{5, 6});
  CHECK(PredictedTokens(sequence, false) == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("without a head is with its output weights at zero, in every family",
          "[heads][ablation]") {
  int checked = 0;
  for (const Family* family : AllFamilies()) {
    TinyModel tiny(family->example);
    const ModelDescription& shape = tiny.description;
    if (!shape.output_layer || !shape.final_norm || shape.decoder || shape.layers < 2 ||
        shape.layer[0].context_norm) {  // which lets the other heads grow when one gives nothing
      continue;
    }
    INFO(family->id);
    RandomStream random(3);
    const OutputLayer& layer = *shape.output_layer;
    tiny.tensors[layer.weight.name] = test::RandomTensor(layer.weight, &random);
    const auto corpus = Texts(shape.vocabulary, {4, 7, 7, 6});
    const auto model = tiny.Open();
    const HeadIndex head{0, shape.heads - 1};
    const LinearNeed& output = shape.layer[0].output;
    std::vector<float>& values = tiny.tensors.at(output.matrices.front().weight.name).values;
    const auto in = static_cast<std::size_t>(output.in);
    const std::size_t columns = values.size() / in;
    for (std::size_t read = in - static_cast<std::size_t>(shape.value_dim); read < in; ++read) {
      for (std::size_t column = 0; column < columns; ++column) {
        values[output.layout == WeightLayout::kOutIn ? column * in + read
                                                     : read * columns + column] = 0.0F;
      }
    }
    const auto without = tiny.Open();
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      const auto ablation = Ablate(model, backend.get(), corpus, {head}).front();
      const double clean = LossOf(model, backend.get(), corpus);
      CHECK(ablation.own.loss == Near(clean, 1e-5));
      CHECK(*ablation.own.changes[0].change ==
            Near(LossOf(without, backend.get(), corpus) - clean, 2e-5));
      CHECK(ablation.own.tokens == 20);
      CHECK(ablation.own.texts == 4);
      ++checked;
    }
  }
  CHECK(checked >= 8);
}

TEST_CASE("the mean of a head is a bias in its place", "[heads][ablation]") {
  TinyModel tiny = Gpt2(2, 3);
  const auto corpus = Texts(90, {8, 8, 12});
  const auto model = tiny.Open();
  const auto backend = MakeReferenceBackend();
  ContextMean mean(*backend, 1);
  Forward forward(model, backend.get());
  for (const ProbeSequence& sequence : corpus.sequences) {
    REQUIRE(forward.Run({.ids = sequence.ids, .embeddings = {}}, 1, &mean, {}));
  }
  std::vector<float>& output = tiny.tensors.at("h.1.attn.c_proj.weight").values;  // [12, 12]
  std::vector<float>& bias = tiny.tensors.at("h.1.attn.c_proj.bias").values;
  for (std::size_t row = 4; row < 8; ++row) {
    for (std::size_t column = 0; column < 12; ++column) {
      bias[column] += static_cast<float>(mean.sum[row] / mean.rows) * output[row * 12 + column];
      output[row * 12 + column] = 0.0F;
    }
  }
  const auto ablation = Ablate(model, backend.get(), corpus, {{1, 1}}).front();
  CHECK(*ablation.own.changes[1].change ==
        Near(LossOf(tiny.Open(), backend.get(), corpus) - ablation.own.loss, 1e-5));
  CHECK(std::abs(*ablation.own.changes[1].change - *ablation.own.changes[0].change) > 1e-4);
}

TEST_CASE("kept patterns are those of the model as it is", "[heads][ablation]") {
  const auto corpus = Texts(90, {9, 9, 6});
  for (const auto& backend : test::AllBackends()) {
    // No later layer: there is nothing to keep.
    const auto single = Ablate(Gpt2(1, 3).Open(), backend.get(), corpus, {{0, 1}}).front();
    CHECK(*single.own.changes[2].change == Near(*single.own.changes[0].change, 1e-6));
    TinyModel tiny = Gpt2(3, 3);
    const auto plain = Ablate(tiny.Open(), backend.get(), corpus, {{0, 1}}).front();
    CHECK(std::abs(*plain.own.changes[2].change - *plain.own.changes[0].change) > 1e-5);
    // A head that gives nothing: the later layers' context is that of their own maps.
    TinyModel idle = tiny;
    std::vector<float>& output = idle.tensors.at("h.0.attn.c_proj.weight").values;
    std::fill(output.begin() + 48, output.begin() + 96, 0.0F);
    const auto none = Ablate(idle.Open(), backend.get(), corpus, {{0, 1}}).front();
    for (const AblatedHead::Change& change : none.own.changes) {
      CHECK(*change.change == Near(0.0, 2e-6));
    }
    // Later layers that look evenly, whatever they read: the same as plain.
    for (const char* const layer : {"h.1", "h.2"}) {
      std::vector<float>& joined =
          tiny.tensors.at(std::string(layer) + ".attn.c_attn.weight").values;
      std::vector<float>& bias = tiny.tensors.at(std::string(layer) + ".attn.c_attn.bias").values;
      for (std::size_t row = 0; row < 12; ++row) {
        std::fill_n(joined.begin() + static_cast<std::ptrdiff_t>(row * 36), 24, 0.0F);
      }
      std::fill_n(bias.begin(), 24, 0.0F);
    }
    const auto even = Ablate(tiny.Open(), backend.get(), corpus, {{0, 1}}).front();
    CHECK(*even.own.changes[2].change == Near(*even.own.changes[0].change, 2e-6));
  }
}

TEST_CASE("controls are ten others of the layer, each as if it were asked for",
          "[heads][ablation]") {
  const auto backend = MakeReferenceBackend();
  const auto model = Gpt2(1, 13).Open();
  const auto corpus = Texts(90, {6, 8});
  const auto ablations = Ablate(model, backend.get(), corpus, {{0, 5}});
  const HeadAblation& one = ablations.front();
  REQUIRE(one.controls.size() == 10);
  for (const AblatedHead& each : one.controls) {
    const HeadIndex control = each.head;
    CHECK(control.layer == 0);
    CHECK(control.head != 5);
    CHECK(std::ranges::count(one.controls, control, &AblatedHead::head) == 1);
  }
  const auto again = Ablate(model, backend.get(), corpus, {one.controls[3].head}).front();
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    CHECK(*one.controls[3].changes[kind].change == Near(*again.own.changes[kind].change, 1e-9));
    CHECK(one.own.changes[kind].error.has_value());
  }
  ScoreReport report;
  report.about.model = "m";
  CHECK_FALSE(nlohmann::json::parse(ReportJson(report)).contains("ablations"));
  const auto json = nlohmann::json::parse(ReportJson(report, ablations));
  CHECK(json["model"] == "m");
  CHECK(json["ablations"][0]["head"] == "L0H5");
  CHECK(json["ablations"][0]["controls"].size() == 10);
  CHECK(json["ablations"][0]["tokens"] == 12);
  for (const AblationKind kind : kAblationKinds) {
    const auto& change = json["ablations"][0][std::string(AblationName(kind))];
    const std::vector<double> controls = change["control_changes"];
    REQUIRE(controls.size() == 10);
    const double mean = std::accumulate(controls.begin(), controls.end(), 0.0) / 10.0;
    CHECK(change["control_mean"].get<double>() == Near(mean, 1e-12));
    CHECK(change["control_spread"].get<double>() > 0.0);
    CHECK(change["change"].is_number());
  }
  // A layer of one head has none beside it.
  const auto lone = Ablate(Gpt2(2, 1).Open(), backend.get(), corpus, {{1, 0}});
  CHECK(lone.front().controls.empty());
  const auto told = nlohmann::json::parse(ReportJson(report, lone));
  CHECK(told["ablations"][0]["zero"]["control_mean"].is_null());
}

TEST_CASE("heads to ablate are named, and models that predict nothing refused",
          "[heads][ablation]") {
  const auto model = Gpt2(2, 3).Open();
  const auto heads = ReadHeadList("L1H2,L0H0", model->description());
  REQUIRE(heads);
  CHECK(*heads == std::vector<HeadIndex>{{1, 2}, {0, 0}});
  for (const char* const wrong : {"L2H0", "L0H3", "", "L0H0,", "E0H0", "word"}) {
    const auto refused = ReadHeadList(wrong, model->description());
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Says("is not a head of this model") && Says("L1H2"));
  }
  const auto backend = MakeReferenceBackend();
  ProbeCorpus empty = Texts(90, {1});
  const auto nothing =
      AblateHeads(model, backend.get(), empty, std::vector<HeadIndex>{{0, 0}}, {}, {});
  REQUIRE_FALSE(nothing);
  CHECK_THAT(nothing.error().message, Says("no text of it has a token to predict"));
  for (const Family* family : AllFamilies()) {
    const TinyModel tiny(family->example);
    if (tiny.description.output_layer) {
      continue;
    }
    INFO(family->id);
    const auto refused = AblateHeads(
        tiny.Open(), backend.get(), Texts(5, {4}), std::vector<HeadIndex>{{0, 0}}, {}, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInput);
  }
}

}  // namespace headscope
