#include "core/heads/effect/copy_effect.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/reference/copy_reference.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/rounding_backend.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

// With an output layer of its own, and more tokens than the five that ranks look at.
TinyModel WithOutput(const std::string& config, std::uint64_t seed) {
  TinyModel tiny(config, seed);
  RandomStream random(seed + 100);
  const OutputLayer& layer = *tiny.description.output_layer;
  tiny.tensors[layer.weight.name] = test::RandomTensor(layer.weight, &random);
  if (layer.projection) {
    const TensorNeed& projection = layer.projection->matrices.front().weight;
    tiny.tensors[projection.name] = test::RandomTensor(projection, &random);
  }
  return tiny;
}

std::vector<std::string> Decoders() {
  std::vector<std::string> configs;
  std::vector<std::string> examples = {
      R"({"n_layers": 3, "n_heads": 3, "d_model": 12, "d_head": 4, "n_ctx": 16, "d_vocab": 11,
          "attn_only": true, "normalization_type": null})"};
  for (const Family* family : AllFamilies()) {
    examples.emplace_back(family->example);
  }
  for (std::string config : examples) {
    const std::size_t found = config.find("vocab");
    const std::size_t number = config.find("11", found);
    REQUIRE((found != std::string::npos && number != std::string::npos));
    config.replace(number, 2, "37");
    if (const std::size_t second = config.find("vocab", number); second != std::string::npos) {
      config.replace(config.find("11", second), 2, "37");
    }
    if (TinyModel(config).description.output_layer) {
      configs.push_back(config);
    }
  }
  return configs;
}

CopyText Text(std::int64_t sampled_rows) {
  CopyText text{.ids = {0, 5, 9, 31, 5, 9, 14, 0, 36, 5}, .is_special = {}};
  for (const std::int32_t id : text.ids) {
    text.is_special.push_back(id == 0);
  }
  text.sampled_rows = sampled_rows;
  text.seed = 7;
  return text;
}

struct Measured {
  CopySums sums;
  CopyRanks ranks;
};

Measured Measure(const std::shared_ptr<const Model>& model,
                 Backend* backend,
                 const CopyText& text) {
  Forward forward(model, backend);
  const auto effect = CopyEffect::Make(&forward, {});
  REQUIRE(effect.has_value());
  (*effect)->Begin({text}, {});
  REQUIRE(forward.Run(
      {.ids = text.ids, .embeddings = {}}, model->description().layers - 1, effect->get(), {}));
  Result<CopyRanks> ranks = (*effect)->TestRanks({}, {});
  REQUIRE(ranks.has_value());
  return {(*effect)->Take(), std::move(*ranks)};
}

double LargestGap(const CopySums& left, const CopySums& right) {
  REQUIRE(left.rows == right.rows);
  double largest = 0.0;
  for (std::size_t head = 0; head < left.effect.size(); ++head) {
    largest = std::max(largest, std::abs(left.effect[head] - right.effect[head]));
  }
  return largest;
}

}  // namespace

TEST_CASE("the fast effect is the one of the definition, in every layout", "[heads][copying]") {
  for (const std::string& config : Decoders()) {
    const auto model = WithOutput(config, 3).Open();
    INFO(model->description().family);
    const CopyText text = Text(100);
    const auto reference = MakeReferenceBackend();
    Forward forward(model, reference.get());
    const auto truth = CopyEffectByDefinition(&forward, text, {});
    REQUIRE(truth.has_value());
    CHECK(*std::ranges::max_element(truth->sums.effect) > 0.1);
    double bound = 0.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      test::RoundingBackend rounding({.seed = seed});
      bound = std::max(bound, 3.0 * LargestGap(truth->sums, Measure(model, &rounding, text).sums));
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      const Measured measured = Measure(model, backend.get(), text);
      CHECK(LargestGap(truth->sums, measured.sums) <= bound);
      // Every row was sampled.
      CHECK(measured.ranks.rows == truth->sums.rows);
      CHECK(measured.ranks.raised == truth->ranks.raised);
      CHECK(measured.ranks.lowered == truth->ranks.lowered);
    }
  }
}

TEST_CASE("rows of special tokens do not count, nor are special tokens looked at",
          "[heads][copying]") {
  const auto model = WithOutput(Decoders().front(), 3).Open();
  const auto backend = MakeReferenceBackend();
  const CopyText text = Text(3);
  const Measured measured = Measure(model, backend.get(), text);
  // Ten tokens, of which two are special.
  CHECK(std::ranges::all_of(measured.sums.rows, [](std::int64_t rows) { return rows == 8; }));
  CHECK(std::ranges::all_of(measured.ranks.rows, [](std::int64_t rows) { return rows == 3; }));
}

TEST_CASE("turning a head's output round turns its effect round", "[heads][copying]") {
  TinyModel tiny = WithOutput(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                                  "n_positions": 16, "vocab_size": 37})",
                              3);
  const auto effects = [&] {
    const auto backend = MakeReferenceBackend();
    return Measure(tiny.Open(), backend.get(), Text(100));
  };
  const Measured before = effects();
  // Head 1 of the last layer: rows 4 to 8 of [in, out]. Nothing that follows changes but the final
  // norm's scale.
  std::vector<float>& output = tiny.tensors.at("h.1.attn.c_proj.weight").values;
  for (std::size_t i = 4 * 12; i < 8 * 12; ++i) {
    output[i] = -output[i];
  }
  const Measured after = effects();
  const std::size_t head = 3 + 1;
  CHECK(before.sums.effect[head] * after.sums.effect[head] < 0.0);
  CHECK(before.ranks.raised[head] == after.ranks.lowered[head]);
  CHECK(before.ranks.lowered[head] == after.ranks.raised[head]);
}

TEST_CASE("a sample of rows is tested once, of the heads asked for", "[heads][copying]") {
  const auto model = WithOutput(Decoders().front(), 3).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto effect = CopyEffect::Make(&forward, {});
  REQUIRE(effect.has_value());
  const CopyText text = Text(2);
  const std::int64_t last = model->description().layers - 1;
  for (int run = 0; run < 2; ++run) {
    (*effect)->Begin({text}, {});
    REQUIRE(forward.Run({.ids = text.ids, .embeddings = {}}, last, effect->get(), {}));
  }
  std::vector<bool> heads(
      static_cast<std::size_t>(model->description().layers * model->description().heads));
  heads[1] = true;
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = (*effect)->TestRanks(heads, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  const auto ranks = (*effect)->TestRanks(heads, {});
  REQUIRE(ranks.has_value());
  CHECK(ranks->rows[0] == 0);
  CHECK(ranks->rows[1] == 4);
  CHECK((*effect)->TestRanks({}, {})->rows[1] == 0);
}

TEST_CASE("texts side by side have the effects of each by itself", "[heads][copying]") {
  for (const std::string& config : Decoders()) {
    const auto model = WithOutput(config, 3).Open();
    INFO(model->description().family);
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const auto effect = CopyEffect::Make(&forward, {});
    REQUIRE(effect.has_value());
    CopyText other = Text(100);
    std::ranges::reverse(other.ids);
    other.is_special.assign(other.ids.size(), false);
    CopyText silent = other;
    silent.left_out.assign(other.ids.size(), true);
    const std::vector<CopyText> texts = {Text(100), silent, other};
    ForwardInput input{.ids = {}, .embeddings = {}};
    input.texts = 3;
    for (const CopyText& text : texts) {
      input.ids.insert(input.ids.end(), text.ids.begin(), text.ids.end());
    }
    (*effect)->Begin(texts, {});
    REQUIRE(forward.Run(input, model->description().layers - 1, effect->get(), {}));
    const auto ranks = (*effect)->TestRanks({}, {});
    REQUIRE(ranks.has_value());
    const Measured first = Measure(model, backend.get(), texts[0]);
    const Measured last = Measure(model, backend.get(), texts[2]);
    // The reference backend reckons each row by itself.
    CHECK(LargestGap((*effect)->Take(0), first.sums) < 1e-12);
    CHECK(LargestGap((*effect)->Take(2), last.sums) < 1e-12);
    CHECK(std::ranges::all_of((*effect)->Take(1).rows, [](auto rows) { return rows == 0; }));
    for (std::size_t head = 0; head < ranks->rows.size(); ++head) {
      CHECK(ranks->rows[head] == first.ranks.rows[head] + last.ranks.rows[head]);
      CHECK(ranks->raised[head] == first.ranks.raised[head] + last.ranks.raised[head]);
    }
  }
}

TEST_CASE("models that predict no next token have no effect on logits", "[heads][copying]") {
  const auto backend = MakeReferenceBackend();
  for (const Family* family : AllFamilies()) {
    const TinyModel tiny(family->example);
    if (tiny.description.output_layer) {
      continue;
    }
    Forward forward(tiny.Open(), backend.get());
    const auto effect = CopyEffect::Make(&forward, {});
    REQUIRE_FALSE(effect.has_value());
    CHECK(effect.error().code == ErrorCode::kInput);
    CHECK_THAT(effect.error().message, Says(std::string(family->id)));
  }
}

}  // namespace headscope
