#include "core/train/parameters.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/random.h"

namespace headscope {
namespace {

constexpr double kUsualInputs = 64.0;

class LayoutMaker {
 public:
  explicit LayoutMaker(const TrainShape& shape) { layout_.shape = shape; }

  std::int64_t Add(std::string name, std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
      count *= size;
    }
    const std::int64_t begin = layout_.count;
    layout_.all.push_back({std::move(name), std::move(shape), begin, count});
    layout_.count += count;
    return begin;
  }

  TrainBlockPlaces AddBlock(std::int64_t layer) {
    const TrainShape& shape = layout_.shape;
    const std::int64_t d = shape.model_dim;
    const auto name = [&](const char* rest) { return fmt::format("h.{}.{}", layer, rest); };
    TrainBlockPlaces at;
    at.ln_1_weight = Add(name("ln_1.weight"), {d});
    at.ln_1_bias = Add(name("ln_1.bias"), {d});
    at.attn_weight = Add(name("attn.c_attn.weight"), {d, 3 * shape.width()});
    at.attn_bias = Add(name("attn.c_attn.bias"), {3 * shape.width()});
    at.proj_weight = Add(name("attn.c_proj.weight"), {shape.width(), d});
    at.proj_bias = Add(name("attn.c_proj.bias"), {d});
    if (shape.inner > 0) {
      at.ln_2_weight = Add(name("ln_2.weight"), {d});
      at.ln_2_bias = Add(name("ln_2.bias"), {d});
      at.fc_weight = Add(name("mlp.c_fc.weight"), {d, shape.inner});
      at.fc_bias = Add(name("mlp.c_fc.bias"), {shape.inner});
      at.mlp_weight = Add(name("mlp.c_proj.weight"), {shape.inner, d});
      at.mlp_bias = Add(name("mlp.c_proj.bias"), {d});
    }
    return at;
  }

  TrainLayout Make() {
    const TrainShape shape = layout_.shape;
    layout_.tokens = Add("wte.weight", {shape.vocabulary, shape.model_dim});
    layout_.positions = Add("wpe.weight", {shape.context, shape.model_dim});
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      layout_.blocks.push_back(AddBlock(layer));
    }
    layout_.ln_f_weight = Add("ln_f.weight", {shape.model_dim});
    layout_.ln_f_bias = Add("ln_f.bias", {shape.model_dim});
    layout_.output =
        shape.tied ? layout_.tokens : Add("lm_head.weight", {shape.vocabulary, shape.model_dim});
    return std::move(layout_);
  }

 private:
  TrainLayout layout_;
};

bool IsNormWeight(const TrainParameter& one) {
  return one.name.ends_with("ln_1.weight") || one.name.ends_with("ln_2.weight") ||
         one.name == "ln_f.weight";
}

// Vaswani 2017, section 3.5: sines and cosines in turn.
float Sinusoid(std::int64_t position, std::int64_t column, std::int64_t model_dim) {
  const auto pair = static_cast<double>(column / 2 * 2);
  const double angle =
      static_cast<double>(position) / std::pow(10'000.0, pair / static_cast<double>(model_dim));
  return static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
}

// Calls `each` with the places of a number of head 0, and of the same number of `head`.
template <typename Each>
void ForHeadNumbers(const TrainShape& shape,
                    const TrainBlockPlaces& at,
                    std::int64_t head,
                    const Each& each) {
  const std::int64_t width = shape.width();
  const std::int64_t shift = head * shape.head_dim;
  for (std::int64_t row = 0; row <= shape.model_dim; ++row) {
    // The row after the last one is the bias.
    const std::int64_t begin =
        row < shape.model_dim ? at.attn_weight + row * 3 * width : at.attn_bias;
    for (std::int64_t part = 0; part < 3; ++part) {
      for (std::int64_t column = 0; column < shape.head_dim; ++column) {
        const std::int64_t first = begin + part * width + column;
        each(first, first + shift);
      }
    }
  }
  for (std::int64_t i = 0; i < shape.head_dim * shape.model_dim; ++i) {
    each(at.proj_weight + i, at.proj_weight + shift * shape.model_dim + i);
  }
}

void MakeAlike(const TrainLayout& layout,
               double noise,
               RandomStream* random,
               std::vector<float>* weights) {
  for (const TrainBlockPlaces& at : layout.blocks) {
    for (std::int64_t head = layout.shape.heads - 1; head >= 0; --head) {
      ForHeadNumbers(layout.shape, at, head, [&](std::int64_t first, std::int64_t own) {
        const float base = (*weights)[static_cast<std::size_t>(first)];
        const double added = noise > 0.0 ? noise * random->Normal() : 0.0;
        (*weights)[static_cast<std::size_t>(own)] = base + static_cast<float>(added);
      });
    }
  }
}

// The root of the sum of a term over each head's numbers.
template <typename Term>
HeadTable RootOverHeads(const TrainLayout& layout, const Term& term) {
  HeadTable sums;
  for (const TrainBlockPlaces& at : layout.blocks) {
    std::vector<double>& own_sums = sums.emplace_back();
    for (std::int64_t head = 0; head < layout.shape.heads; ++head) {
      double sum = 0.0;
      ForHeadNumbers(layout.shape, at, head, [&](std::int64_t, std::int64_t own) {
        sum += term(static_cast<std::size_t>(own));
      });
      own_sums.push_back(std::sqrt(sum));
    }
  }
  return sums;
}

}  // namespace

template <typename T>
void HoldSegments(const TrainLayout& layout, std::span<T> numbers) {
  const TrainShape& shape = layout.shape;
  if (!shape.own_segments) {
    return;
  }
  const std::int64_t least = shape.model_dim / shape.heads;
  const std::int64_t wider = shape.model_dim % shape.heads;
  for (const TrainBlockPlaces& at : layout.blocks) {
    for (std::int64_t part = 0; part < 3 * shape.heads; ++part) {
      const std::int64_t head = part % shape.heads;
      const std::int64_t begin = head * least + std::min(head, wider);
      const std::int64_t end = begin + least + (head < wider ? 1 : 0);
      for (std::int64_t row = 0; row < shape.model_dim; ++row) {
        if (row < begin || row >= end) {
          const std::int64_t first =
              at.attn_weight + row * 3 * shape.width() + part * shape.head_dim;
          std::fill_n(numbers.begin() + first, shape.head_dim, T(0));
        }
      }
    }
  }
}
template void HoldSegments(const TrainLayout&, std::span<float>);
template void HoldSegments(const TrainLayout&, std::span<double>);

TrainLayout MakeTrainLayout(const TrainShape& shape) {
  return LayoutMaker(shape).Make();
}

std::vector<float> DrawWeights(const TrainLayout& layout,
                               const TrainStart& start,
                               std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<float> weights(static_cast<std::size_t>(layout.count), 0.0F);
  for (const TrainParameter& one : layout.all) {
    const auto own = std::span(weights).subspan(static_cast<std::size_t>(one.begin),
                                                static_cast<std::size_t>(one.count));
    if (one.shape.size() < 2) {
      std::ranges::fill(own, IsNormWeight(one) ? 1.0F : 0.0F);
      continue;
    }
    const bool is_block = one.name.starts_with("h.");
    const auto inputs =
        static_cast<double>(one.name == "lm_head.weight" ? one.shape[1] : one.shape[0]);
    const bool is_embedding = one.name.starts_with("w");
    const double spread = start.spread * (is_embedding ? 1.0 : std::sqrt(kUsualInputs / inputs));
    for (float& weight : own) {
      weight = static_cast<float>(spread * random.Normal());
    }
    if (is_block && start.ones) {
      std::ranges::fill(own, 1.0F);
    }
    if (one.name == "wpe.weight" && layout.shape.fixed_positions) {
      for (std::int64_t i = 0; i < one.count; ++i) {
        own[static_cast<std::size_t>(i)] = Sinusoid(
            i / layout.shape.model_dim, i % layout.shape.model_dim, layout.shape.model_dim);
      }
    }
  }
  if (start.alike) {
    MakeAlike(layout, start.noise, &random, &weights);
  }
  HoldSegments<float>(layout, weights);
  return weights;
}

HeadTable HeadNorms(const TrainLayout& layout, std::span<const float> numbers) {
  return RootOverHeads(layout, [&](std::size_t own) {
    const auto number = static_cast<double>(numbers[own]);
    return number * number;
  });
}

HeadTable HeadsMoved(const TrainLayout& layout,
                     std::span<const float> weights,
                     std::span<const float> first) {
  HeadTable moved = RootOverHeads(layout, [&](std::size_t own) {
    const double difference = static_cast<double>(weights[own]) - static_cast<double>(first[own]);
    return difference * difference;
  });
  const HeadTable begun = HeadNorms(layout, first);
  for (std::size_t layer = 0; layer < moved.size(); ++layer) {
    for (std::size_t head = 0; head < moved[layer].size(); ++head) {
      moved[layer][head] = begun[layer][head] > 0.0 ? moved[layer][head] / begun[layer][head] : 0.0;
    }
  }
  return moved;
}

double LargestHeadDifference(const TrainLayout& layout, std::span<const float> weights) {
  double largest = 0.0;
  for (const TrainBlockPlaces& at : layout.blocks) {
    for (std::int64_t head = 1; head < layout.shape.heads; ++head) {
      ForHeadNumbers(layout.shape, at, head, [&](std::int64_t first, std::int64_t own) {
        const auto difference = static_cast<double>(weights[static_cast<std::size_t>(own)]) -
                                static_cast<double>(weights[static_cast<std::size_t>(first)]);
        largest = std::max(largest, std::abs(difference));
      });
    }
  }
  return largest;
}

}  // namespace headscope
