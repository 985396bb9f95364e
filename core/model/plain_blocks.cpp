#include "core/model/plain_blocks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headscope {

Result<std::vector<bool>> ReadAttending(const JsonObject& json,
                                        std::string_view other,
                                        std::vector<bool> usual) {
  HEADSCOPE_TRY(auto attends,
                ReadLayerKinds(json, "layer_types", {other, "full_attention"}, std::move(usual)));
  if (std::ranges::find(attends, true) == attends.end()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"layer_types\" does not say which of the {} layers have "
                            "attention, expected some of them",
                            json.name(),
                            attends.size()));
  }
  return attends;
}

void MakePlainBlocks(const std::vector<bool>& attends,
                     std::string_view called,
                     const std::function<void(std::size_t layer, PlainBlock* block)>& fill,
                     ModelDescription* model) {
  std::vector<LayerDescription> all = std::exchange(model->layer, {});
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (attends[i]) {
      numbers.push_back(i);
      model->layer.push_back(std::move(all[i]));
      continue;
    }
    PlainBlock block{.norm = *std::move(all[i].attention_norm.before),
                     .mlp_norm = *std::move(all[i].mlp_norm.before),
                     .mlp = {.up = std::move(all[i].mlp_up),
                             .gate = std::move(all[i].mlp_gate),
                             .down = std::move(all[i].mlp_down)},
                     .experts = std::move(all[i].experts)};
    fill(i, &block);
    (model->layer.empty() ? model->blocks_before : model->layer.back().blocks_behind)
        .push_back(std::move(block));
  }
  model->layers = std::ssize(model->layer);
  if (numbers.size() < all.size()) {
    model->note = fmt::format(
        "Only layers with attention are counted here: {} of the file's 0 to {}. The others join tokens "
        "by {}, of which there are no maps.",
        fmt::join(numbers, ", "),
        all.size() - 1,
        called);
  }
}

}  // namespace headscope
