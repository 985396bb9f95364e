#include "core/model/unknown_tensors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/tensor_needs.h"

namespace headscope {
namespace {

// Buffers, which are computed from the config whenever a model is made.
constexpr std::array<std::string_view, 14> kBuffers = {"inv_freq",
                                                       "causal_mask",
                                                       "cos_cached",
                                                       "sin_cached",
                                                       "position_ids",
                                                       "token_type_ids",
                                                       "masked_bias",
                                                       "version",
                                                       "_float_tensor",
                                                       "attn_rot_embd.weight",
                                                       "attn.mask",
                                                       "attn.IGNORE",
                                                       "attn.rotary_sin",
                                                       "attn.rotary_cos"};
// Causal masks of [1, 1, n, n], which have the names of biases.
constexpr std::array<std::string_view, 2> kMasks = {"attn.bias", "attention.bias"};
// Attention to an encoder, in a stack that is run without one; T5 saved an unused table for it.
constexpr std::array<std::string_view, 5> kCross = {".encoder_attn.",
                                                    ".encoder_attn_layer_norm.",
                                                    ".crossattention.",
                                                    ".ln_cross_attn.",
                                                    ".cross_attn_ln."};
constexpr std::string_view kCrossTable = ".EncDecAttention.relative_attention_bias.weight";
// Parts next to the layers of a class: poolers after them, and the embedding table that others
// refer to.
constexpr std::array<std::string_view, 2> kBeside = {"pooler", "shared"};

std::string Root(std::string_view plain) {
  return std::string(plain.substr(0, plain.find('.')));
}

bool IsZero(const TensorView& tensor) {
  return std::ranges::all_of(tensor.bytes, [](std::byte value) { return value == std::byte{0}; });
}

bool IsOfNoUse(std::string_view plain, const TensorView& tensor, bool has_cross) {
  const auto ends = [&](std::string_view part) { return EndsInPart(plain, part); };
  const auto holds = [&](std::string_view part) {
    return plain.find(part) != std::string_view::npos;
  };
  return std::ranges::any_of(kBuffers, ends) ||
         (tensor.shape.size() == 4 && std::ranges::any_of(kMasks, ends)) ||
         (!has_cross && std::ranges::any_of(kCross, holds)) || plain.ends_with(kCrossTable) ||
         ((ends("bias") || ends("b_in")) && IsZero(tensor));
}

// Returns "encoder.layer." for "encoder.layer.0.attention.self.query.weight".
std::string_view Container(const StackDescription& stack) {
  const std::string_view name = FirstProduct(stack.layer.front()).matrices.front().weight.name;
  const std::size_t digit = name.find_first_of("0123456789");
  return name.substr(0, digit == std::string_view::npos ? 0 : digit);
}

// Returns the number of a layer beyond the last one of that stack.
std::optional<std::int64_t> LayerPast(std::string_view plain, const StackDescription& stack) {
  const std::string_view container = Container(stack);
  std::int64_t layer = 0;
  if (container.empty() || !plain.starts_with(container)) {
    return std::nullopt;
  }
  plain.remove_prefix(container.size());
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), layer);
  return error == std::errc() && layer >= stack.layers ? std::optional(layer) : std::nullopt;
}

// Returns the number in a name like "layers.0.mlp.experts.7.up_proj.weight".
std::optional<std::int64_t> ExpertOf(std::string_view plain) {
  constexpr std::string_view kExperts = ".experts.";
  const std::size_t place = plain.find(kExperts);
  if (place == std::string_view::npos) {
    return std::nullopt;
  }
  plain.remove_prefix(place + kExperts.size());
  if (constexpr std::string_view kExpert = "expert_"; plain.starts_with(kExpert)) {
    plain.remove_prefix(kExpert.size());
  }
  std::int64_t expert = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), expert);
  return error == std::errc() ? std::optional(expert) : std::nullopt;
}

// Returns how many experts the layers have, 0 if none has any.
std::int64_t MostExperts(ModelDescription* description) {
  std::int64_t most = 0;
  for (const ExpertsDescription* experts : AllExperts(description)) {
    most = std::max(most, std::ssize(experts->expert) + experts->idle);
  }
  return most;
}

// Returns the names that the description reads, or may read in place of another.
std::set<std::string, std::less<>> Known(const std::vector<TensorNeed*>& needs,
                                         const ModelDescription& description) {
  std::set<std::string, std::less<>> known;
  const auto add = [&](const TensorNeed& need) {
    known.insert(need.name);
    known.insert(need.stand_ins.begin(), need.stand_ins.end());
  };
  for (const TensorNeed* need : needs) {
    add(*need);
  }
  if (description.output_layer) {
    add(description.output_layer->weight);
    if (description.output_layer->projection) {
      add(description.output_layer->projection->matrices.front().weight);
    }
  }
  if (description.generation) {
    add(description.generation->output);
  }
  return known;
}

tl::unexpected<Error> Refuse(const PlainNames& names,
                             const std::string& full,
                             std::int64_t experts,
                             const ModelDescription& description) {
  const std::string plain = names.Plain(full);
  const std::string file = names.weights().path().string();
  if (const auto expert = ExpertOf(plain); expert && *expert >= experts && experts > 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: tensor {} is of expert {}, expected experts 0 to {}, as many as "
                            "the model's settings say; do they belong to these weights?",
                            file,
                            Quoted(full),
                            *expert,
                            experts - 1));
  }
  for (const StackDescription* stack : {static_cast<const StackDescription*>(&description),
                                        description.decoder ? &*description.decoder : nullptr}) {
    const auto layer = stack == nullptr ? std::nullopt : LayerPast(plain, *stack);
    if (layer) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: tensor {} is of layer {}, expected layers 0 to {}, as many as "
                              "the model's settings say; do they belong to these weights?",
                              file,
                              Quoted(full),
                              *layer,
                              stack->layers - 1));
    }
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: tensor {} is none that a {} model of these settings computes with, "
                          "and maps made without it would not be this model's; expected a model "
                          "of this family without changes of its own",
                          file,
                          Quoted(full),
                          description.family));
}

}  // namespace

Status RefuseUnknown(const PlainNames& names, ModelDescription* description) {
  const std::vector<TensorNeed*> needs = AllNeeds(description);
  const auto known = Known(needs, *description);
  std::set<std::string, std::less<>> roots;
  for (const TensorNeed* need : needs) {
    roots.insert(Root(need->name));
  }
  for (const auto& [full, tensor] : names.weights().tensors()) {
    const std::string plain = names.Plain(full);
    const std::string root = Root(plain);
    const bool is_of_class = names.has_class_prefix() && full.starts_with(names.prefix()) &&
                             std::ranges::find(kBeside, root) == kBeside.end();
    const bool is_unread = std::ranges::any_of(description->unread, [&](const std::string& part) {
      return plain.find(part) != std::string::npos;
    });
    if (is_unread || known.contains(plain) || (!roots.contains(root) && !is_of_class) ||
        IsOfNoUse(plain, tensor, description->decoder.has_value())) {
      continue;
    }
    return Refuse(names, full, MostExperts(description), *description);
  }
  return {};
}

}  // namespace headscope
