#include "core/heads/effect/norm_place.h"

namespace headscope {
namespace {

using Kind = NormPlace::Kind;

bool Is(const std::optional<NormNeed>& one, const NormNeed& norm) {
  return one && &*one == &norm;
}

std::optional<Kind> FindIn(const NormPlaces& places,
                           const NormNeed& norm,
                           Kind inside,
                           Kind after) {
  if (Is(places.before, norm)) {
    return Kind::kBefore;
  }
  if (Is(places.inside, norm)) {
    return inside;
  }
  return Is(places.after, norm) ? std::optional(after) : std::nullopt;
}

}  // namespace

std::optional<NormPlace> FindNorm(const StackDescription& stack, const NormNeed& norm) {
  if (Is(stack.embedding_norm, norm)) {
    return NormPlace{.kind = Kind::kEmbedding};
  }
  if (Is(stack.final_norm, norm)) {
    return NormPlace{.kind = Kind::kFinal};
  }
  for (std::int64_t index = 0; index < stack.layers; ++index) {
    const LayerDescription& layer = stack.layer[static_cast<std::size_t>(index)];
    const Kind inside = Kind::kInsideAttention;
    const Kind after = Kind::kAfterAttention;
    if (const auto kind = FindIn(layer.attention_norm, norm, inside, after)) {
      return NormPlace{.kind = *kind, .layer = index};
    }
    if (const auto kind = FindIn(layer.mlp_norm, norm, Kind::kInsideMlp, Kind::kAfterMlp)) {
      return NormPlace{.kind = *kind, .layer = index};
    }
    if (layer.cross) {
      if (const auto kind = FindIn(layer.cross->norm, norm, inside, after)) {
        return NormPlace{.kind = *kind, .layer = index, .is_cross = true};
      }
    }
  }
  return std::nullopt;
}

}  // namespace headscope
