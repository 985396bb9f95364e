// A picture of one layer in the panels' driver, with the answers that a worker would give about it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "app/views/screens.h"
#include "tests/support/telling_maps.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {

// Answers what lines and arcs wait for; whether anything did.
inline bool AnswerKept(PanelDriver* driver) {
  const auto& effects = driver->app.effects;
  for (auto it = effects.rbegin(); it != effects.rend(); ++it) {
    const auto* const submit = std::get_if<Submit>(&*it);
    const auto* const job = submit != nullptr ? std::get_if<KeepJob>(&submit->request) : nullptr;
    if (job != nullptr && submit->id == driver->state().kept.request) {
      const RequestId id = submit->id;
      auto kept = std::make_shared<const KeptWeights>(*KeepWeights(job->maps, job->rule, {}));
      driver->app.Event(id, WeightsKept{std::move(kept)});
      driver->app.Event(id, Finished{});
      return true;
    }
  }
  return false;
}

// Frames until nothing is waited for.
inline void Settle(PanelDriver* driver) {
  do {
    driver->Frames(3);
  } while (AnswerKept(driver));
}

// A model of one layer whose weights are `layer`'s, on words w0, w1, ..., in Inspect.
inline void ShowLayer(PanelDriver* driver,
                      const std::shared_ptr<const LayerAttention>& layer,
                      const std::shared_ptr<const Encoding>& words = nullptr) {
  driver->app.ShowSomething(4);
  driver->app.Open("one", 1, layer->shape().heads);
  driver->app.Do(EditText{"a text"});
  const RequestId id = driver->state().pending.request;
  driver->app.Event(id,
                    Tokenized{words != nullptr ? words : NumberedWords(layer->shape().queries),
                              driver->state().pending.input});
  driver->app.Event(id, LayerReady{layer});
  driver->app.Event(id, Finished{1.0, "stub, float32"});
  driver->app.Do(SetScreen{&ScreenNamed("inspect").kind});
  Settle(driver);
}

inline void LookAt(PanelDriver* driver, HeadView view) {
  HeadLook look = driver->state().head_look;
  look.view = view;
  driver->app.Do(SetHeadLook{std::move(look)});
  Settle(driver);
}

// Whether a paragraph was drawn in the last frame: it is drawn, and measured, word by word.
inline bool TellsWords(PanelDriver* driver, const std::string& sentence) {
  std::string all;
  std::string before;
  for (const std::string& label : driver->renderer().labels) {
    if (label != before) {
      all += label + " ";
    }
    before = label;
  }
  return all.find(sentence) != std::string::npos;
}

inline const std::vector<Stroke>& StrokesOf(const PanelDriver& driver) {
  static const std::vector<Stroke> kNone;
  const auto& strokes = driver.region(Panel::kDetail).strokes;
  return strokes != nullptr ? *strokes : kNone;
}

}  // namespace headscope::test
