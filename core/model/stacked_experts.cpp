#include "core/model/stacked_experts.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/model/tensor_needs.h"

namespace headscope {
namespace {

// What follows the name of the block with the experts.
struct StackedNames {
  std::string_view gate_up;
  std::string_view down;
};
constexpr std::array<StackedNames, 3> kStacked = {{
    {"experts.gate_up_proj", "experts.down_proj"},
    {"input_linear.weight", "output_linear.weight"},  // Granite
    {"experts.fc1.weight", "experts.fc2.weight"},     // Aria
}};

struct Sizes {
  std::int64_t experts = 0;
  std::int64_t inner = 0;
  std::int64_t width = 0;
};

std::vector<std::int64_t> ShapeIn(const PlainNames& names, const std::string& plain) {
  return names.Has(plain) ? names.At(names.Find(plain).front()).shape : std::vector<std::int64_t>();
}

// Returns the part of a tensor with all experts that is one expert's; `first` and `out` are in
// columns of its product.
LinearNeed PartOf(const std::string& name,
                  std::int64_t expert,
                  std::int64_t experts,
                  std::int64_t in,
                  std::int64_t all_out,
                  std::int64_t first,
                  std::int64_t out,
                  WeightLayout layout) {
  TensorNeed weight{.name = name, .shape = {experts, all_out, in}};
  weight.rows = RowRange{expert * all_out + first, out};
  if (layout == WeightLayout::kInOut) {
    std::swap(weight.shape[1], weight.shape[2]);
    weight.rows = RowRange{expert * in, in};
    if (out < all_out) {
      weight.columns = ColumnPick{first, out};
    }
  }
  return {.layout = layout, .in = in, .matrices = {{std::move(weight), {}}}};
}

void Use(const std::string& gate_up,
         const std::string& down,
         const Sizes& sizes,
         WeightLayout layout,
         ExpertsDescription* experts) {
  const auto [count, inner, width] = sizes;
  for (std::int64_t i = 0; i < count; ++i) {
    MlpNeeds& one = experts->expert[static_cast<std::size_t>(i)];
    one.gate = PartOf(gate_up, i, count, width, 2 * inner, 0, inner, layout);
    one.up = PartOf(gate_up, i, count, width, 2 * inner, inner, inner, layout);
    one.down = PartOf(down, i, count, inner, width, 0, width, layout);
  }
}

// Those without gates are [experts, inner, d] and [experts, d, inner].
void UseUngated(const PlainNames& names,
                const std::string& prefix,
                const Sizes& sizes,
                ExpertsDescription* experts) {
  const std::string up = prefix + "up_proj";
  if (!names.Has(up)) {
    return;
  }
  const auto [count, inner, width] = sizes;
  for (std::int64_t i = 0; i < count; ++i) {
    MlpNeeds& one = experts->expert[static_cast<std::size_t>(i)];
    one.up = PartOf(up, i, count, width, inner, 0, inner, WeightLayout::kOutIn);
    one.down = PartOf(prefix + "down_proj", i, count, inner, width, 0, width, WeightLayout::kOutIn);
  }
}

void UseStacked(const PlainNames& names, ExpertsDescription* experts) {
  const MlpNeeds& first = experts->expert.front();
  const std::string& name = first.up.matrices.front().weight.name;
  const std::size_t place = name.find("experts.0.");
  if (place == std::string::npos || names.Has(name)) {
    return;
  }
  const std::string block = name.substr(0, place);
  const Sizes sizes{std::ssize(experts->expert), first.down.in, first.up.in};
  if (!first.gate) {
    UseUngated(names, block + "experts.", sizes, experts);
    return;
  }
  for (const auto& [gate_up, down] : kStacked) {
    const std::string both = block + std::string(gate_up);
    const std::string back = block + std::string(down);
    if (!names.Has(both)) {
      continue;
    }
    const std::int64_t count = sizes.experts;
    const bool is_in_out =
        ShapeIn(names, both) == std::vector{count, sizes.width, 2 * sizes.inner} &&
        ShapeIn(names, back) == std::vector{count, sizes.inner, sizes.width};
    Use(both, back, sizes, is_in_out ? WeightLayout::kInOut : WeightLayout::kOutIn, experts);
    return;
  }
}

}  // namespace

void UseStackedExperts(const PlainNames& names, ModelDescription* description) {
  for (ExpertsDescription* experts : AllExperts(description)) {
    if (!experts->expert.empty()) {
      UseStacked(names, experts);
    }
  }
}

}  // namespace headscope
