// Runs the reducer as the application does, without a worker.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/state/queries.h"
#include "app/state/reducer.h"
#include "app/state/work_under_way.h"
#include "tests/support/attention_fixture.h"

namespace headscope::test {

inline constexpr ScreenKind kScoresScreen{.id = "heads", .name = "Heads", .wants_scores = true};

// The status line's words of what is being done, or of a request that waits; empty: there is none.
inline std::string WorkWords(const AppState& state, std::optional<RequestId> request = {}) {
  const std::vector<WorkUnderWay> all = AllWork(state);
  const auto found = std::ranges::find_if(
      all, [&](const WorkUnderWay& work) { return !request || work.request == *request; });
  return found == all.end() ? "" : found->progress.what;
}

class StateDriver {
 public:
  AppState state;
  std::vector<Effect> effects;  // all since the last Clear
  bool stores_at_once = true;   // false: the test answers each StoreSession

  void Do(const Action& action) {
    for (Effect& effect : Reduce(&state, action)) {
      const auto* submit = std::get_if<Submit>(&effect);
      std::optional<Submitted> submitted;
      if (submit != nullptr) {
        submitted = Submitted{submit->id, 0.0};
      }
      std::optional<SessionStored> stored;
      if (const auto* store = std::get_if<StoreSession>(&effect);
          store != nullptr && stores_at_once) {
        stored = SessionStored{store->path, store->session, store->session};
      }
      effects.push_back(std::move(effect));
      if (submitted) {
        Do(*submitted);
      }
      if (stored) {
        Do(*stored);
      }
    }
  }

  template <typename What>
  void Event(RequestId id, What what) {
    Do(WorkerEvent{headscope::Event{id, std::move(what)}});
  }

  // The last effect of a type since the last Clear; null if there is none.
  template <typename T>
  const T* Last() const {
    for (auto it = effects.rbegin(); it != effects.rend(); ++it) {
      if (const T* found = std::get_if<T>(&*it)) {
        return found;
      }
    }
    return nullptr;
  }
  // The last request of a kind; null if there is none.
  template <typename R>
  const R* LastRequest() const {
    const R* found = nullptr;
    for (const Effect& effect : effects) {
      const auto* submit = std::get_if<Submit>(&effect);
      const R* one = submit != nullptr ? std::get_if<R>(&submit->request) : nullptr;
      found = one != nullptr ? one : found;
    }
    return found;
  }
  template <typename R>
  int CountRequests() const {
    int count = 0;
    for (const Effect& effect : effects) {
      const auto* submit = std::get_if<Submit>(&effect);
      count += submit != nullptr && std::holds_alternative<R>(submit->request) ? 1 : 0;
    }
    return count;
  }
  template <typename T>
  int Count() const {
    int count = 0;
    for (const Effect& effect : effects) {
      count += std::holds_alternative<T>(effect) ? 1 : 0;
    }
    return count;
  }

  static std::shared_ptr<const ModelInfo> Model(const std::string& name,
                                                std::int64_t layers,
                                                std::int64_t heads) {
    ModelInfo info;
    info.folder = "/models/" + name;
    info.name = name;
    info.fingerprint = "f00d" + name + "0123456789";
    info.description.layers = layers;
    info.description.heads = heads;
    info.description.head_dim = 2;
    info.description.model_dim = 2 * heads;
    info.description.token_embedding.name = "tokens";
    info.description.output_layer.emplace();
    info.description.final_norm.emplace();
    return std::make_shared<const ModelInfo>(info);
  }

  // An encoder of 2 layers and a decoder of 3, each with 4 heads.
  static std::shared_ptr<const ModelInfo> EncoderDecoder(const std::string& name) {
    ModelInfo info = *Model(name, 2, 4);
    info.description.causal = false;
    info.description.decoder.emplace();
    info.description.decoder->layers = 3;
    info.description.decoder->heads = 4;
    info.description.generation.emplace();
    return std::make_shared<const ModelInfo>(info);
  }

  void Open(const std::string& name, std::int64_t layers, std::int64_t heads) {
    Do(OpenFolder{"/models/" + name});
    Do(ModelReady{state.opening.request, Model(name, layers, heads)});
  }

  // Answers the pending AttendRequest in full.
  void Answer(std::int64_t tokens, bool pooled = false, bool sinks = false) {
    const RequestId id = state.pending.request;
    const auto model = state.pending.model;
    Event(id, Tokenized{NumberedWords(tokens), state.pending.input});
    for (std::int64_t layer = 0; layer < model->description.layers; ++layer) {
      Event(id,
            LayerReady{MakeEven({.id = {ModelPart::kWhole, layer},
                                 .heads = model->description.heads,
                                 .queries = tokens,
                                 .keys = tokens,
                                 .pooled = pooled,
                                 .sink = sinks})});
    }
    Event(id, Finished{5.0, "stub, float32"});
  }

  // The pending AttendRequest of an encoder-decoder, in three steps.
  void AnswerEncoder(std::int64_t tokens) {
    const RequestId id = state.pending.request;
    Event(id, Tokenized{NumberedWords(tokens), state.pending.input});
    for (std::int64_t layer = 0; layer < state.pending.model->description.layers; ++layer) {
      Event(id,
            LayerReady{MakeEven({.id = {ModelPart::kEncoder, layer},
                                 .heads = 4,
                                 .queries = tokens,
                                 .keys = tokens,
                                 .causal = false})});
    }
  }
  void AnswerDecoder(std::int64_t target_tokens, const std::string& generated = "") {
    const RequestId id = state.pending.request;
    const auto encoding = state.pending.encoding;
    Event(id,
          Tokenized{encoding, state.pending.input, NumberedWords(target_tokens, "t"), generated});
    for (std::int64_t layer = 0; layer < state.pending.model->description.decoder->layers;
         ++layer) {
      Event(id,
            LayerReady{MakeEven({.id = {ModelPart::kDecoder, layer},
                                 .heads = 4,
                                 .queries = target_tokens,
                                 .keys = target_tokens})});
      Event(id,
            LayerReady{MakeEven({.id = {ModelPart::kCross, layer},
                                 .heads = 4,
                                 .queries = target_tokens,
                                 .keys = std::ssize(encoding->tokens),
                                 .causal = false})});
    }
  }
  void FinishAnswer() { Event(state.pending.request, Finished{5.0, "stub, float32"}); }

  // An encoder-decoder, a text of 6 tokens and a generated target of 4, shown; no effects left.
  void ShowEncoderDecoder() {
    LibraryFound library;
    library.sessions_folder = "/sessions";
    library.exports_folder = "/exports";
    Do(library);
    Do(OpenFolder{"/models/beta"});
    Do(ModelReady{state.opening.request, EncoderDecoder("beta")});
    if (const auto* load = Last<LoadSessionFile>()) {
      Do(SessionLoaded{load->path, std::optional<SessionFile>{}});
    }
    Do(EditText{"a b c"});
    AnswerEncoder(6);
    AnswerDecoder(4, "generated words");
    FinishAnswer();
    effects.clear();
  }

  // A model of 3 layers with 4 heads and a text of `tokens` tokens, shown; no effects left.
  void ShowSomething(std::int64_t tokens = 6, bool pooled = false) {
    LibraryFound library;
    library.sessions_folder = "/sessions";
    library.exports_folder = "/exports";
    Do(library);
    Open("alpha", 3, 4);
    if (const auto* load = Last<LoadSessionFile>()) {
      Do(SessionLoaded{load->path, std::optional<SessionFile>{}});
    }
    Do(EditText{"a b c"});
    Answer(tokens, pooled);
    effects.clear();
  }
};

}  // namespace headscope::test
