#include "core/model/observer_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {

ObserverList::ObserverList(std::vector<LayerObserver*> observers)
    : observers_(std::move(observers)) {
  std::ranges::copy_if(observers_, std::back_inserter(of_writes_), &LayerObserver::WantsWrites);
}

AttentionObserver* ObserverList::BeginLayer(LayerId layer) {
  of_layer_.clear();
  for (LayerObserver* observer : observers_) {
    if (AttentionObserver* watcher = observer->BeginLayer(layer)) {
      of_layer_.push_back(watcher);
    }
  }
  return of_layer_.empty() ? nullptr : this;
}

bool ObserverList::WantsStates(LayerId layer) {
  of_states_.clear();
  for (LayerObserver* observer : observers_) {
    if (observer->WantsStates(layer)) {
      of_states_.push_back(observer);
    }
  }
  return !of_states_.empty();
}

void ObserverList::OnStates(LayerId layer,
                            std::span<const float> projection_input,
                            std::span<const float> attention_output) {
  for (LayerObserver* observer : of_states_) {
    observer->OnStates(layer, projection_input, attention_output);
  }
}

Status ObserverList::EndLayer(LayerId layer) {
  Status first;
  for (LayerObserver* observer : observers_) {
    Status ended = observer->EndLayer(layer);
    if (first && !ended) {
      first = std::move(ended);
    }
  }
  return first;
}

void ObserverList::OnEmbedding(ModelPart stack, EmbeddingPart part, const Activations& rows) {
  for (LayerObserver* observer : of_writes_) {
    observer->OnEmbedding(stack, part, rows);
  }
}

void ObserverList::OnContext(LayerId layer, const Activations& context) {
  for (LayerObserver* observer : of_writes_) {
    observer->OnContext(layer, context);
  }
}

void ObserverList::OnMlp(LayerId layer, const Activations& output) {
  for (LayerObserver* observer : of_writes_) {
    observer->OnMlp(layer, output);
  }
}

void ObserverList::OnNorm(const NormNeed& norm, const Activations& input) {
  for (LayerObserver* observer : of_writes_) {
    observer->OnNorm(norm, input);
  }
}

bool ObserverList::WantsEnd() {
  return std::ranges::any_of(observers_, &LayerObserver::WantsEnd);
}

void ObserverList::OnProjections(const AttentionProjections& projections) {
  for (AttentionObserver* observer : of_layer_) {
    observer->OnProjections(projections);
  }
}

void ObserverList::OnBlock(const AttentionBlock& block) {
  for (AttentionObserver* observer : of_layer_) {
    observer->OnBlock(block);
  }
}

}  // namespace headscope
