#include "core/model/tensor_needs.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/base/quote.h"

namespace headscope {
namespace {

// Names in folders and in GGUF files.
constexpr std::array<std::string_view, 4> kOutputLayers = {
    "lm_head.weight", "lm_head.bias", "embed_out.weight", "output.weight"};

// What may be wrong if a tensor is not as expected.
const char* Hint(Expectation by) {
  return by == Expectation::kConfig ? "; does config.json belong to these weights?"
                                    : "; is the file whole?";
}

// Ignores any prefix.
bool IsOutput(std::string_view name) {
  return std::ranges::any_of(kOutputLayers,
                             [&](std::string_view output) { return EndsInPart(name, output); });
}

void Collect(NormNeed* norm, std::vector<TensorNeed*>* needs) {
  if (!norm->weight.name.empty()) {
    needs->push_back(&norm->weight);
  }
  for (TensorNeed& own : norm->of_heads) {
    needs->push_back(&own);
  }
  if (norm->bias) {
    needs->push_back(&*norm->bias);
  }
}

void Collect(std::optional<NormNeed>* norm, std::vector<TensorNeed*>* needs) {
  if (*norm) {
    Collect(&**norm, needs);
  }
}

void Collect(LinearNeed* linear, std::vector<TensorNeed*>* needs) {
  for (LinearNeed::Matrix& matrix : linear->matrices) {
    needs->push_back(&matrix.weight);
    if (matrix.bias) {
      needs->push_back(&*matrix.bias);
    }
  }
}

void Collect(NormPlaces* places, std::vector<TensorNeed*>* needs) {
  Collect(&places->before, needs);
  Collect(&places->inside, needs);
  Collect(&places->after, needs);
}

void Collect(MlpNeeds* mlp, std::vector<TensorNeed*>* needs) {
  Collect(&mlp->up, needs);
  if (mlp->gate) {
    Collect(&*mlp->gate, needs);
  }
  Collect(&mlp->down, needs);
}

void Collect(ExpertsDescription* experts, std::vector<TensorNeed*>* needs) {
  Collect(&experts->router, needs);
  Collect(&experts->router_norm, needs);
  if (experts->factors) {
    needs->push_back(&*experts->factors);
  }
  if (experts->beside) {
    Collect(&experts->beside->before, needs);
    Collect(&experts->beside->inside, needs);
    Collect(&experts->beside->mlp, needs);
  }
  if (experts->correction) {
    needs->push_back(&*experts->correction);
  }
  for (MlpNeeds& expert : experts->expert) {
    Collect(&expert, needs);
  }
  if (experts->shared) {
    Collect(&*experts->shared, needs);
  }
  if (experts->shared_gate) {
    Collect(&*experts->shared_gate, needs);
  }
}

void Collect(Latent* latent, std::vector<TensorNeed*>* needs) {
  Collect(&latent->down, needs);
  Collect(&latent->norm, needs);
}

void Collect(LatentProjections* projections, std::vector<TensorNeed*>* needs) {
  if (projections->query_latent) {
    Collect(&*projections->query_latent, needs);
  }
  Collect(&projections->query, needs);
  Collect(&projections->key_value_latent, needs);
  Collect(&projections->key, needs);
  Collect(&projections->value, needs);
  Collect(&projections->shared_key, needs);
}

void Collect(std::vector<PlainBlock>* blocks, std::vector<TensorNeed*>* needs) {
  for (PlainBlock& block : *blocks) {
    Collect(&block.norm, needs);
    if (auto& convolution = block.convolution) {
      Collect(&convolution->in, needs);
      needs->push_back(&convolution->taps);
      if (convolution->bias) {
        needs->push_back(&*convolution->bias);
      }
      Collect(&convolution->out, needs);
    }
    if (auto& memory = block.memory) {
      for (LinearNeed* product : {&memory->columns, &memory->rates, &memory->gate, &memory->out}) {
        Collect(product, needs);
      }
      for (TensorNeed* need : {&memory->taps,
                               &memory->fading_log,
                               &memory->fading_bias,
                               memory->taps_bias ? &*memory->taps_bias : nullptr,
                               memory->space ? &memory->space->skip : nullptr}) {
        if (need != nullptr) {
          needs->push_back(need);
        }
      }
      Collect(&memory->norm, needs);
    }
    Collect(&block.mlp_norm, needs);
    Collect(&block.mlp, needs);
    if (block.experts) {
      Collect(&*block.experts, needs);
    }
  }
}

void Collect(LayerDescription* layer, std::vector<TensorNeed*>* needs) {
  Collect(&layer->attention_norm, needs);
  Collect(&layer->mlp_norm, needs);
  Collect(&layer->query_key_value, needs);
  if (layer->separate) {
    Collect(&layer->separate->query, needs);
    Collect(&layer->separate->key, needs);
    Collect(&layer->separate->value, needs);
  }
  if (layer->latent) {
    Collect(&*layer->latent, needs);
  }
  if (layer->relative_bias) {
    needs->push_back(&layer->relative_bias->table);
  }
  if (layer->position_key) {
    Collect(&*layer->position_key, needs);
  }
  if (layer->position_query) {
    Collect(&*layer->position_query, needs);
  }
  Collect(&layer->query_norm, needs);
  Collect(&layer->key_norm, needs);
  Collect(&layer->value_norm, needs);
  if (layer->output_gate) {
    Collect(&layer->output_gate->product, needs);
  }
  Collect(&layer->context_norm, needs);
  Collect(&layer->output, needs);
  if (layer->sinks) {
    needs->push_back(&*layer->sinks);
  }
  if (layer->cross) {
    Collect(&layer->cross->norm, needs);
    Collect(&layer->cross->query, needs);
    Collect(&layer->cross->key_value, needs);
    Collect(&layer->cross->output, needs);
  }
  Collect(&layer->mlp_up, needs);
  if (layer->mlp_gate) {
    Collect(&*layer->mlp_gate, needs);
  }
  Collect(&layer->mlp_inner_norm, needs);
  Collect(&layer->mlp_down, needs);
  if (layer->xielu) {
    for (TensorNeed* need : {&layer->xielu->positive,
                             &layer->xielu->negative,
                             &layer->xielu->linear,
                             &layer->xielu->most}) {
      needs->push_back(need);
    }
  }
  if (layer->experts) {
    Collect(&*layer->experts, needs);
  }
  for (FurtherMlp& further : layer->further_mlps) {
    Collect(&further.norm, needs);
    Collect(&further.mlp, needs);
  }
  if (layer->neighbours) {
    for (LinearNeed& product : layer->neighbours->products) {
      Collect(&product, needs);
    }
    Collect(&layer->neighbours->norm, needs);
  }
  if (layer->stream_factor) {
    needs->push_back(&*layer->stream_factor);
  }
  Collect(&layer->blocks_behind, needs);
}

void Collect(StackDescription* stack, std::vector<TensorNeed*>* needs) {
  if (!stack->reads_embeddings()) {
    needs->push_back(&stack->token_embedding);
  }
  if (stack->position_embedding) {
    needs->push_back(&*stack->position_embedding);
  }
  if (stack->layer_positions) {
    needs->push_back(&*stack->layer_positions);
  }
  if (stack->token_type_embedding) {
    needs->push_back(&*stack->token_type_embedding);
  }
  for (TensorNeed& constant : stack->constant_embeddings) {
    needs->push_back(&constant);
  }
  for (ConstantProduct& constant : stack->constant_products) {
    for (std::vector<TensorNeed>& part : constant.parts) {
      for (TensorNeed& row : part) {
        needs->push_back(&row);
      }
    }
    for (LinearNeed& product : constant.products) {
      Collect(&product, needs);
    }
  }
  Collect(&stack->embedding_norm, needs);
  if (stack->embedding_projection) {
    Collect(&*stack->embedding_projection, needs);
  }
  if (stack->relative_bias) {
    needs->push_back(&stack->relative_bias->table);
  }
  if (stack->position_vectors) {
    needs->push_back(&stack->position_vectors->table);
    Collect(&stack->position_vectors->norm, needs);
  }
  if (stack->token_inputs) {
    needs->push_back(&stack->token_inputs->table);
    Collect(&stack->token_inputs->projection, needs);
    Collect(&stack->token_inputs->norm, needs);
  }
  Collect(&stack->blocks_before, needs);
  for (LayerDescription& layer : stack->layer) {
    Collect(&layer, needs);
  }
  Collect(&stack->final_norm, needs);
}

std::vector<std::int64_t> StoredShape(const TensorNeed& need) {
  std::vector<std::int64_t> shape = need.shape;
  if (need.is_turned) {
    std::ranges::reverse(shape);
  }
  return shape;
}

Status CheckTensor(const TensorNeed& need,
                   const TensorMap& tensors,
                   const std::string& file,
                   Expectation by) {
  const auto found = tensors.find(need.name);
  if (found == tensors.end()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: tensor {} is missing{}, expected {}{}",
                            file,
                            Quoted(need.name),
                            need.stand_ins.empty()
                                ? ""
                                : fmt::format(" and so is {}", Quoted(need.stand_ins.front())),
                            ShapeText(StoredShape(need)),
                            Hint(by)));
  }
  const TensorView& tensor = found->second;
  if (!IsFloatingPoint(tensor.type)) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: tensor {} is {}, expected F32, F16, BF16 or F64; save the model "
                            "in one of these",
                            file,
                            Quoted(need.name),
                            Name(tensor.type)));
  }
  if (tensor.shape != StoredShape(need)) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: tensor {} is {}, expected {}{}",
                            file,
                            Quoted(need.name),
                            ShapeText(tensor.shape),
                            ShapeText(StoredShape(need)),
                            Hint(by)));
  }
  return {};
}

}  // namespace

bool EndsInPart(std::string_view name, std::string_view part) {
  return name.ends_with(part) &&
         (name.size() == part.size() || name[name.size() - part.size() - 1] == '.');
}

std::vector<ExpertsDescription*> AllExperts(StackDescription* stack) {
  std::vector<ExpertsDescription*> all;
  const auto add = [&](std::optional<ExpertsDescription>* experts) {
    if (*experts) {
      all.push_back(&**experts);
    }
  };
  const auto add_blocks = [&](std::vector<PlainBlock>* blocks) {
    for (PlainBlock& block : *blocks) {
      add(&block.experts);
    }
  };
  add_blocks(&stack->blocks_before);
  for (LayerDescription& layer : stack->layer) {
    add(&layer.experts);
    add_blocks(&layer.blocks_behind);
  }
  return all;
}

std::vector<TensorNeed*> AllNeeds(ModelDescription* description) {
  std::vector<TensorNeed*> needs;
  Collect(static_cast<StackDescription*>(description), &needs);
  if (description->decoder) {
    Collect(&*description->decoder, &needs);
  }
  return needs;
}

Result<TensorSummary> CheckTensors(ModelDescription* description,
                                   const TensorMap& tensors,
                                   const std::string& file,
                                   Expectation by) {
  TensorSummary summary;
  std::map<DataType, std::int64_t> elements;
  std::set<std::string_view> counted;  // encoder and decoder may share a tensor
  for (const TensorNeed* need : AllNeeds(description)) {
    HEADSCOPE_TRY(CheckTensor(*need, tensors, file, by));
    const TensorView& tensor = tensors.find(need->name)->second;
    if (counted.insert(need->name).second) {
      elements[tensor.type] += ElementCount(tensor);
    }
  }
  if (description->generation) {
    HEADSCOPE_TRY(CheckTensor(description->generation->output, tensors, file, by));
    if (description->generation->bias) {
      HEADSCOPE_TRY(CheckTensor(*description->generation->bias, tensors, file, by));
    }
  }
  if (auto& layer = description->output_layer; layer && layer->is_stored) {
    HEADSCOPE_TRY(CheckTensor(layer->weight, tensors, file, by));
    if (layer->bias) {
      HEADSCOPE_TRY(CheckTensor(*layer->bias, tensors, file, by));
    }
    if (layer->projection) {
      HEADSCOPE_TRY(CheckTensor(layer->projection->matrices.front().weight, tensors, file, by));
    }
  }
  for (const auto& [type, count] : elements) {
    summary.parameters += count;
  }
  const auto most =
      std::ranges::max_element(elements, {}, [](const auto& entry) { return entry.second; });
  summary.precision = Name(most->first);
  // Not needed for attention, but part of the model. A tied output layer is the token embedding,
  // which is already counted.
  for (const auto& [name, tensor] : tensors) {
    if (!description->ties_embeddings && !counted.contains(name) && IsOutput(name)) {
      summary.parameters += ElementCount(tensor);
    }
  }
  return summary;
}

}  // namespace headscope
