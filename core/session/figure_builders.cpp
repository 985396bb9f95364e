#include "core/session/figure_builders.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "core/heads/role.h"
#include "core/session/compute_jobs.h"

namespace headscope {
namespace {

constexpr const char* kConvention =
    "Rows are queries, columns are keys; heads and layers count from 0.";

float LargestOf(std::span<const float> values) {
  return values.empty() ? 0.0F : std::max(0.0F, *std::max_element(values.begin(), values.end()));
}

// The largest weight of each head. Thumbnails keep it: pooled ones have the maximum of every cell.
float LargestOf(const LayerAttention& layer, std::int64_t head) {
  const Thumbnail& thumbnail = layer.thumbnail(head);
  return LargestOf(thumbnail.max.empty() ? thumbnail.mean : thumbnail.max);
}

float LargestOf(const LayerAttention& layer) {
  float largest = 0.0F;
  for (std::int64_t head = 0; head < layer.shape().heads; ++head) {
    largest = std::max(largest, LargestOf(layer, head));
  }
  return largest;
}

ColorScale Measured(const ColorScale& asked, float largest) {
  ColorScale scale = asked;
  if (scale.range != RangeMode::kFixed) {
    scale.low = 0.0F;
    scale.high = largest > 0.0F ? largest : 1.0F;
  }
  return scale;
}

float LargestInScope(LayerSpan layers,
                     const LayerAttention& layer,
                     std::int64_t head,
                     RangeMode mode) {
  if (mode == RangeMode::kLayer) {
    return LargestOf(layer);
  }
  if (mode == RangeMode::kGlobal) {
    float largest = 0.0F;
    for (const auto& each : layers) {
      largest = std::max(largest, LargestOf(*each));
    }
    return largest;
  }
  return LargestOf(layer, head);
}

void AddFlag(const FigureContext& context, HeadIndex head, FigureMap* map) {
  for (const HeadFlag& flag : context.flags) {
    if (flag.layer == head.layer && flag.head == head.head) {
      map->flag_role = flag.role;
      map->flag_rgb = 0x8B949E;
      for (const Role& role : kRoles) {
        if (role.id == flag.role) {
          map->flag_role = role.label;
          map->flag_rgb = role.rgb;
        }
      }
      if (flag.colour.size() == 7 && flag.colour[0] == '#') {
        map->flag_rgb =
            static_cast<std::uint32_t>(std::strtoul(flag.colour.c_str() + 1, nullptr, 16));
      }
    }
  }
}

std::string Caption(const FigureContext& context) {
  return fmt::format("{}. Text: \u201c{}\u201d {}", context.model, context.text, kConvention);
}

Figure Start(const FigureContext& context) {
  Figure figure;
  figure.caption = Caption(context);
  figure.theme = context.theme;
  figure.size_px = context.size_px;
  return figure;
}

FigureMap ThumbnailMap(LayerSpan layers,
                       const LayerAttention& layer,
                       std::int64_t head,
                       const FigureContext& context) {
  const Thumbnail& thumbnail = layer.thumbnail(head);
  FigureMap map;
  map.title = HeadName({layer.layer(), head});
  map.queries = thumbnail.rows;
  map.keys = thumbnail.cols;
  map.weights = thumbnail.mean;
  map.pooled = thumbnail.pooled;
  map.scale = Measured(context.scale, LargestInScope(layers, layer, head, context.scale.range));
  AddFlag(context, {layer.layer(), head}, &map);
  return map;
}

std::string ColumnText(const std::vector<std::int32_t>& columns) {
  return columns.empty()
             ? std::string("no columns")
             : fmt::format(
                   "columns {}\u2013{}, d_k {}", columns.front(), columns.back(), columns.size());
}

std::string Short(std::int64_t count) {
  if (count >= 10'000'000) {
    return fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
  }
  return fmt::format("{}", count);
}

std::vector<std::string> CostRow(const SplitCount& count, std::int64_t width) {
  return {fmt::format("{}", count.heads),
          width % count.heads == 0
              ? fmt::format("{}", width / count.heads)
              : fmt::format("{}\u2013{}", width / count.heads, width / count.heads + 1),
          Short(count.parameters),
          Short(count.multiplies),
          Short(count.softmax_cells),
          fmt::format("{:.1f} kB", static_cast<double>(count.map_bytes) / 1e3),
          fmt::format("{:.4f}", count.output_difference),
          count.mean_divergence ? fmt::format("{:.4f}", *count.mean_divergence) : "\u2013"};
}

}  // namespace

std::string ModelLine(const std::string& name,
                      const std::string& family,
                      std::int64_t layers,
                      std::int64_t heads,
                      std::int64_t model_dim,
                      std::int64_t head_dim) {
  return fmt::format("{}, {}, {} layers \u00d7 {} heads, d {}, d_k {}",
                     name,
                     family,
                     layers,
                     heads,
                     model_dim,
                     head_dim);
}

std::vector<std::string> AxisTokens(const Encoding& encoding) {
  std::vector<std::string> tokens;
  tokens.reserve(encoding.tokens.size());
  for (const Token& token : encoding.tokens) {
    tokens.push_back(token.display);
  }
  return tokens;
}

Result<Figure> HeadFigure(LayerSpan layers,
                          HeadIndex head,
                          const FigureContext& context,
                          std::stop_token stop) {
  const auto layer = std::find_if(
      layers.begin(), layers.end(), [&](const auto& each) { return each->layer() == head.layer; });
  if (layer == layers.end() || head.head < 0 || head.head >= (*layer)->shape().heads) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} is asked for, which this model does not have", HeadName(head)));
  }
  Result<std::shared_ptr<const HeadMap>> full = MakeHeadMap(**layer, head.head, std::move(stop));
  if (!full) {
    return PassOn(std::move(full.error()));
  }
  FigureMap map;
  map.title = HeadName(head);
  map.queries = (*full)->queries;
  map.keys = (*full)->keys;
  map.weights = (*full)->weights;
  const bool own =
      context.scale.range == RangeMode::kHead || context.scale.range == RangeMode::kRow;
  map.scale = Measured(
      context.scale,
      own ? (*full)->largest : LargestInScope(layers, **layer, head.head, context.scale.range));
  AddFlag(context, head, &map);
  Figure figure = Start(context);
  figure.query_tokens = context.tokens;
  figure.key_tokens = context.tokens;
  FigureRow row;
  row.maps.push_back(std::move(map));
  figure.rows.push_back(std::move(row));
  return figure;
}

Result<Figure> GridFigure(LayerSpan layers, const FigureContext& context) {
  if (layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no layer to draw");
  }
  Figure figure = Start(context);
  bool pooled = false;
  for (const auto& layer : layers) {
    FigureRow row;
    row.label = fmt::format("L{}", layer->layer());
    for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
      row.maps.push_back(ThumbnailMap(layers, *layer, head, context));
      pooled = pooled || row.maps.back().pooled;
    }
    figure.rows.push_back(std::move(row));
  }
  for (std::int64_t head = 0; head < layers.front()->shape().heads; ++head) {
    figure.column_labels.push_back(fmt::format("H{}", head));
  }
  if (pooled) {
    const Thumbnail& thumbnail = layers.front()->thumbnail(0);
    figure.notes.push_back(fmt::format(
        "Pooled: each cell is the mean of its visible weights, {} x {} weights drawn as {} x {}.",
        layers.front()->shape().queries,
        layers.front()->shape().keys,
        thumbnail.rows,
        thumbnail.cols));
  }
  return figure;
}

Result<Figure> CountsFigure(const SplitResult& split,
                            const LayerAttention& layer,
                            const FigureContext& context,
                            std::stop_token stop) {
  Figure figure = Start(context);
  const AttentionShape& shape = layer.shape();
  const std::int64_t width = shape.heads * shape.head_dim;
  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  float global = 0.0F;
  for (const SplitCount& count : split.counts) {
    global = std::max(global, LargestOf(count.maps));
  }
  figure.table.push_back({"h",
                          "d_k",
                          "parameters",
                          "multiplies",
                          "softmax cells",
                          "maps",
                          "output change",
                          "divergence"});
  for (const SplitCount& count : split.counts) {
    FigureRow row;
    row.label = fmt::format("h = {}", count.heads);
    const bool trained = count.heads == split.trained_heads;
    row.sublabel =
        fmt::format("{}{}", trained ? "trained, " : "", "d_k " + CostRow(count, width)[1]);
    row.marked = trained;
    const float of_row = LargestOf(count.maps);
    for (std::int64_t head = 0; head < count.heads; ++head) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "stopped");
      }
      const auto at = static_cast<std::size_t>(head);
      FigureMap map;
      map.title = fmt::format("h = {}, head {}", count.heads, head);
      map.subtitle = ColumnText(count.columns[at]);
      map.queries = shape.queries;
      map.keys = shape.keys;
      map.weights.assign(count.maps.begin() + static_cast<std::ptrdiff_t>(at * cells),
                         count.maps.begin() + static_cast<std::ptrdiff_t>((at + 1) * cells));
      for (std::int64_t query = 0; query < shape.queries; ++query) {
        float* begin = map.weights.data() + query * shape.keys;
        std::fill(begin, begin + layer.rule().FirstVisible(query), kMasked);
        std::fill(begin + layer.rule().LastVisible(query, shape.keys), begin + shape.keys, kMasked);
      }
      const float own = LargestOf(map.weights);
      map.scale = Measured(context.scale,
                           context.scale.range == RangeMode::kGlobal  ? global
                           : context.scale.range == RangeMode::kLayer ? of_row
                                                                      : own);
      row.maps.push_back(std::move(map));
    }
    figure.rows.push_back(std::move(row));
    if (trained) {
      figure.marked_table_row = static_cast<std::int64_t>(figure.table.size());
    }
    figure.table.push_back(CostRow(count, width));
  }
  figure.title = fmt::format("Layer {}, cut into other numbers of heads", split.layer);
  figure.notes.push_back(
      "The same weights throughout; parameters and multiplies do not depend on h. Output change: "
      "against the trained count, relative. "
      "Divergence: Jensen-Shannon, nats, mean over head pairs and rows.");
  return figure;
}

}  // namespace headscope
