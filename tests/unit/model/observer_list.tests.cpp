#include "core/model/observer_list.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

// Writes down what it is told.
class Diary : public LayerObserver, public AttentionObserver {
 public:
  AttentionObserver* BeginLayer(LayerId /*layer*/) override {
    said += "begin ";
    return watches ? this : nullptr;
  }
  bool WantsStates(LayerId /*layer*/) override { return wants_states; }
  void OnStates(LayerId /*layer*/,
                std::span<const float> /*projection_input*/,
                std::span<const float> /*attention_output*/) override {
    said += "states ";
  }
  Status EndLayer(LayerId /*layer*/) override {
    said += "end ";
    return fails ? Fail(ErrorCode::kInput, "the diary is full") : Status();
  }
  bool WantsWrites() override { return wants_writes; }
  bool WantsEnd() override { return wants_end; }
  void OnEmbedding(ModelPart /*stack*/,
                   EmbeddingPart /*part*/,
                   const Activations& /*rows*/) override {
    said += "embedding ";
  }
  void OnContext(LayerId /*layer*/, const Activations& /*context*/) override { said += "context "; }
  void OnMlp(LayerId /*layer*/, const Activations& /*output*/) override { said += "mlp "; }
  void OnNorm(const NormNeed& /*norm*/, const Activations& /*input*/) override { said += "norm "; }
  void OnProjections(const AttentionProjections& /*projections*/) override {
    said += "projections ";
  }
  void OnBlock(const AttentionBlock& /*block*/) override {
    if (!said.ends_with("blocks ")) {
      said += "blocks ";
    }
  }

  bool watches = false;
  bool wants_states = false;
  bool wants_writes = false;
  bool wants_end = false;
  bool fails = false;
  std::string said;
};

}  // namespace

TEST_CASE("each observer of a list is told what it would be told alone", "[model][forward]") {
  const TinyModel tiny(R"({"model_type": "llama", "num_hidden_layers": 2,
                           "num_attention_heads": 2, "hidden_size": 8, "intermediate_size": 10,
                           "max_position_embeddings": 16, "vocab_size": 11})");
  const auto backend = MakeReferenceBackend();
  Forward forward(tiny.Open(), backend.get());
  const ForwardInput input{.ids = {1, 2, 3}, .embeddings = {}};
  Diary quiet;
  Diary watcher;
  watcher.watches = true;
  Diary stateful;
  stateful.wants_states = true;
  Diary writer;
  writer.wants_writes = true;
  ObserverList list({&quiet, &watcher, &stateful, &writer});
  REQUIRE(forward.Run(input, 1, &list, {}));
  CHECK(quiet.said == "begin end begin end ");
  CHECK(watcher.said == "begin projections blocks end begin projections blocks end ");
  CHECK(stateful.said == "begin states end begin states end ");
  CHECK(writer.said == "embedding norm begin context end norm mlp norm begin context end ");

  Diary ending;
  ending.wants_end = true;
  writer.said.clear();
  ObserverList to_the_end({&writer, &ending});
  REQUIRE(forward.Run(input, 0, &to_the_end, {}));
  CHECK(writer.said ==
        "embedding norm begin context end norm mlp norm begin context end norm mlp norm ");

  quiet.said.clear();
  Diary failing;
  failing.fails = true;
  ObserverList broken({&failing, &quiet});
  const Status ran = forward.Run(input, 1, &broken, {});
  REQUIRE_FALSE(ran.has_value());
  CHECK_THAT(ran.error().message, Says("the diary is full"));
  CHECK(quiet.said == "begin end ");
  ObserverList nobody({});
  CHECK(forward.Run(input, 1, &nobody, {}));
}

}  // namespace headscope
