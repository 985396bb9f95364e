#include "core/compare/weight_groups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/heads/measure/head_name.h"

namespace headscope {
namespace {

void AddExperts(const std::optional<ExpertsDescription>& experts, WeightGroup* group) {
  if (!experts) {
    return;
  }
  group->Add(experts->router);
  group->Add(experts->correction);
  group->Add(experts->factors);
  for (const MlpNeeds& expert : experts->expert) {
    group->Add(expert);
  }
  group->Add(experts->shared);
  group->Add(experts->shared_gate);
}

WeightGroup MlpOf(const LayerDescription& layer, const std::string& name) {
  WeightGroup group{.name = name + " MLP"};
  group.Add(layer.mlp_up);
  group.Add(layer.mlp_gate);
  group.Add(layer.mlp_down);
  AddExperts(layer.experts, &group);
  for (const FurtherMlp& further : layer.further_mlps) {
    group.Add(further.mlp);
  }
  if (layer.xielu) {
    group.Add(layer.xielu->positive);
    group.Add(layer.xielu->negative);
  }
  return group;
}

WeightGroup NormsOf(const LayerDescription& layer, const std::string& name) {
  WeightGroup group{.name = name + " norms"};
  group.Add(layer.attention_norm);
  group.Add(layer.query_norm);
  group.Add(layer.key_norm);
  group.Add(layer.value_norm);
  group.Add(layer.context_norm);
  group.Add(layer.mlp_norm);
  group.Add(layer.mlp_inner_norm);
  if (layer.experts) {
    group.Add(layer.experts->router_norm);
    if (const auto& beside = layer.experts->beside) {
      group.Add(beside->before);
      group.Add(beside->inside);
      group.Add(beside->mlp);
    }
  }
  for (const FurtherMlp& further : layer.further_mlps) {
    group.Add(further.norm);
  }
  if (layer.neighbours) {
    group.Add(layer.neighbours->norm);
  }
  if (layer.latent) {
    group.Add(layer.latent->key_value_latent.norm);
    if (layer.latent->query_latent) {
      group.Add(layer.latent->query_latent->norm);
    }
  }
  return group;
}

// What the layer's heads share: the output's bias, latents, tables of positions, gates.
WeightGroup SharedOf(const LayerDescription& layer, const std::string& name) {
  WeightGroup group{.name = name + " shared by its heads"};
  group.bias_of = &layer.output;
  if (layer.latent) {
    if (layer.latent->query_latent) {
      group.Add(layer.latent->query_latent->down);
    }
    group.Add(layer.latent->key_value_latent.down);
    group.Add(layer.latent->shared_key);
  }
  group.Add(layer.position_key);
  group.Add(layer.position_query);
  group.Add(layer.sinks);
  if (layer.relative_bias) {
    group.Add(layer.relative_bias->table);
  }
  if (layer.output_gate) {
    group.Add(layer.output_gate->product);
  }
  if (layer.neighbours) {
    for (const LinearNeed& product : layer.neighbours->products) {
      group.Add(product);
    }
  }
  group.Add(layer.stream_factor);
  return group;
}

WeightGroup BlocksOf(const std::vector<PlainBlock>& blocks, std::string name) {
  WeightGroup group{.name = std::move(name)};
  for (const PlainBlock& block : blocks) {
    group.Add(block.norm);
    if (const auto& convolution = block.convolution) {
      group.Add(convolution->in);
      group.Add(convolution->taps);
      group.Add(convolution->bias);
      group.Add(convolution->out);
    }
    if (const auto& memory = block.memory) {
      group.Add(memory->columns);
      group.Add(memory->taps);
      group.Add(memory->taps_bias);
      if (memory->space) {
        group.Add(memory->space->skip);
      }
      group.Add(memory->rates);
      group.Add(memory->fading_log);
      group.Add(memory->fading_bias);
      group.Add(memory->norm);
      group.Add(memory->gate);
      group.Add(memory->out);
    }
    group.Add(block.mlp_norm);
    group.Add(block.mlp);
    AddExperts(block.experts, &group);
  }
  return group;
}

std::vector<WeightGroup> GroupsOfStack(const StackDescription& stack, const std::string& before) {
  WeightGroup tokens{.name = before + "token embedding"};
  tokens.Add(stack.token_embedding);
  tokens.Add(stack.embedding_projection);
  WeightGroup positions{.name = before + "position embedding"};
  positions.Add(stack.position_embedding);
  positions.Add(stack.layer_positions);
  if (stack.relative_bias) {
    positions.Add(stack.relative_bias->table);
  }
  if (stack.position_vectors) {
    positions.Add(stack.position_vectors->table);
    positions.Add(stack.position_vectors->norm);
  }
  WeightGroup others{.name = before + "other embeddings"};
  others.Add(stack.token_type_embedding);
  for (const TensorNeed& row : stack.constant_embeddings) {
    others.Add(row);
  }
  if (stack.token_inputs) {
    others.Add(stack.token_inputs->table);
    others.Add(stack.token_inputs->projection);
    others.Add(stack.token_inputs->norm);
  }
  WeightGroup norms{.name = before + "embedding and final norms"};
  norms.Add(stack.embedding_norm);
  norms.Add(stack.final_norm);
  return {std::move(tokens),
          std::move(positions),
          std::move(others),
          std::move(norms),
          BlocksOf(stack.blocks_before, before + "blocks before the first layer")};
}

}  // namespace

std::vector<WeightGroup> GroupsOfLayer(const ModelDescription& model, LayerId id) {
  const LayerDescription& layer = StackOf(model, id.part).layer[static_cast<std::size_t>(id.layer)];
  const std::string name = LayerName(id);
  if (id.part == ModelPart::kCross) {
    WeightGroup norms{.name = name + " norms"};
    norms.Add(layer.cross->norm);
    return {std::move(norms),
            WeightGroup{.name = name + " shared by its heads", .bias_of = &layer.cross->output}};
  }
  return {MlpOf(layer, name),
          NormsOf(layer, name),
          SharedOf(layer, name),
          BlocksOf(layer.blocks_behind, "blocks behind " + name)};
}

std::vector<WeightGroup> GroupsOfModel(const ModelDescription& model) {
  std::vector<WeightGroup> groups = GroupsOfStack(model, model.decoder ? "encoder " : "");
  if (model.decoder) {
    std::ranges::move(GroupsOfStack(*model.decoder, "decoder "), std::back_inserter(groups));
  }
  if (const auto& layer = model.output_layer; layer && layer->is_stored) {
    WeightGroup output{.name = "output layer"};
    if (layer->weight.name != model.token_embedding.name) {
      output.Add(layer->weight);
    }
    output.Add(layer->bias);
    output.Add(layer->projection);
    if (!output.IsEmpty()) {
      groups.push_back(std::move(output));
    }
  }
  return groups;
}

}  // namespace headscope
