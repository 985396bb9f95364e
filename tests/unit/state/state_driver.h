// Runs the reducer as the application does, with a worker that only hands out numbers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/state/queries.h"
#include "app/state/reducer.h"
#include "tests/support/attention_fixture.h"

namespace headscope::test {

class StateDriver {
 public:
  AppState state;
  std::vector<Effect> effects;  // all since the last Clear
  RequestId last_id = 0;

  void Do(const Action& action) {
    for (Effect& effect : Reduce(&state, action)) {
      const auto* submit = std::get_if<Submit>(&effect);
      std::optional<Submitted> submitted;
      if (submit != nullptr) {
        submitted = Submitted{submit->request, ++last_id, 0.0};
      }
      effects.push_back(std::move(effect));
      if (submitted) {
        Do(*submitted);
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
    info.layers = layers;
    info.heads = heads;
    info.head_dim = 2;
    info.model_dim = 2 * heads;
    info.causal = true;
    return std::make_shared<const ModelInfo>(info);
  }

  void Open(const std::string& name, std::int64_t layers, std::int64_t heads) {
    Do(OpenFolder{"/models/" + name});
    Do(ModelReady{state.opening, Model(name, layers, heads)});
  }

  // Answers the pending AttendRequest in full.
  void Answer(std::int64_t tokens, bool pooled = false) {
    const RequestId id = state.pending.request;
    const auto model = state.pending.model;
    Event(id, Tokenized{NumberedWords(tokens), state.pending.input});
    for (std::int64_t layer = 0; layer < model->layers; ++layer) {
      Event(id, LayerReady{EvenLayer(layer, model->heads, tokens, pooled)});
    }
    Event(id, Finished{5.0, "stub, float32"});
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
