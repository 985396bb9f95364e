#include "core/session/figure_builders.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/heads/role.h"
#include "core/session/compute_jobs.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostDrawn = 64;  // maps side by side
constexpr const char* kConvention =
    "Rows are queries, columns are keys; heads and layers count from 0.";

float LargestOf(const std::vector<float>& heads) {
  return heads.empty() ? 0.0F : *std::max_element(heads.begin(), heads.end());
}

float LargestInScope(LayerSpan layers,
                     const LayerAttention& layer,
                     std::int64_t head,
                     RangeMode mode) {
  if (mode == RangeMode::kLayer) {
    return LargestOf(layer.parts().largest);
  }
  if (mode == RangeMode::kGlobal) {
    float largest = 0.0F;
    for (const auto& each : layers) {
      largest = std::max(largest, LargestOf(each->parts().largest));
    }
    return largest;
  }
  return layer.largest(head);
}

void AddFlag(const FigureContext& context, HeadIndex head, FigureMap* map) {
  for (const HeadFlag& flag : context.flags) {
    if (HeadIndex{flag.layer, flag.head, flag.part} == head) {
      map->flag_role = flag.role;
      map->flag_rgb = 0x8B949E;
      for (const Role& role : kRoles) {
        if (role.id == flag.role) {
          map->flag_role = role.label;
          map->flag_rgb = role.rgb;
        }
      }
      if (flag.colour.size() == 7 && flag.colour[0] == '#') {
        const auto rgb =
            static_cast<std::uint32_t>(std::strtoul(flag.colour.c_str() + 1, nullptr, 16));
        map->flag_rgb = rgb != 0 ? rgb : 0x010101;  // 0 says that there is no flag
      }
    }
  }
}

// White space as single blanks, at most 160 characters.
std::string Shortened(const std::string& text) {
  constexpr int kMost = 160;
  std::string words;
  int characters = 0;
  bool blank = false;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      blank = !words.empty();
      continue;
    }
    if ((byte & 0xC0U) != 0x80U) {  // the first byte of a character
      characters += blank ? 2 : 1;
      if (characters > kMost) {
        return words + "\u2026";
      }
    }
    if (blank) {
      words += ' ';
      blank = false;
    }
    words += letter;
  }
  return words;
}

// Whether it has letters of Hebrew, Arabic and their neighbours.
bool RunsRightToLeft(std::string_view utf8) {
  const auto byte = [utf8](std::size_t i) {
    return i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : 0U;
  };
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    unsigned code = 0;
    if ((byte(i) & 0xE0U) == 0xC0U) {
      code = ((byte(i) & 0x1FU) << 6U) | (byte(i + 1) & 0x3FU);
    } else if ((byte(i) & 0xF0U) == 0xE0U) {
      code = ((byte(i) & 0x0FU) << 12U) | ((byte(i + 1) & 0x3FU) << 6U) | (byte(i + 2) & 0x3FU);
    }
    if ((code >= 0x0590U && code <= 0x08FFU) || (code >= 0xFB1DU && code <= 0xFDFFU) ||
        (code >= 0xFE70U && code <= 0xFEFCU)) {
      return true;
    }
  }
  return false;
}

std::string QuotedText(const std::string& text, const std::vector<std::string>& tokens) {
  const std::string shown =
      Shortened(text.empty() ? fmt::format("{}", fmt::join(tokens, " ")) : text);
  // A mark that has no width keeps what follows in the caption's own direction.
  return fmt::format("\u201c{}\u201d{}, {}",
                     shown,
                     RunsRightToLeft(shown) ? "\u200E" : "",
                     Counted(tokens.size(), "token"));
}

// One copy of a larger map is never held.
constexpr std::int64_t kMostHeldCells = std::int64_t{1} << 22;

bool HasMasked(const LayerAttention& layer) {
  for (std::int64_t query = 0; query < layer.shape().queries; ++query) {
    if (layer.rule().FirstVisible(query) > 0 ||
        layer.rule().LastVisible(query, layer.shape().keys) < layer.shape().keys) {
      return true;
    }
  }
  return false;
}

void PoolWhenDrawn(const std::shared_ptr<const LayerAttention>& layer,
                   std::int64_t head,
                   FigureMap* map) {
  map->has_masked = HasMasked(*layer);
  map->pooled_weights = [layer, head](std::int64_t rows, std::int64_t cols, Pool pool) {
    return *PooledMap(*layer, head, rows, cols, pool, {});  // only a stop could fail
  };
}

std::string Caption(const FigureContext& context, ModelPart part) {
  std::string texts = fmt::format("Text: {}. ", QuotedText(context.text, context.tokens));
  if (HasTargetQueries(part)) {
    texts += fmt::format("Target{}: {}. ",
                         context.target_is_generated ? ", generated" : "",
                         QuotedText(context.target, context.target_tokens));
  }
  return fmt::format("{}. {}{}", context.model, texts, kConvention);
}

Figure Start(const FigureContext& context, ModelPart part) {
  Figure figure;
  figure.caption = Caption(context, part);
  figure.notes = context.notes;
  figure.theme = context.theme;
  figure.size_px = context.size_px;
  figure.pool = Pool::kLargest;
  return figure;
}

FigureMap ThumbnailMap(LayerSpan layers,
                       const LayerAttention& layer,
                       std::int64_t head,
                       const FigureContext& context) {
  const Thumbnail& thumbnail = layer.thumbnail(head);
  FigureMap map;
  map.title = HeadName({layer.layer(), head, layer.part()});
  map.queries = thumbnail.rows;
  map.keys = thumbnail.cols;
  const bool largest = context.pool == Pool::kLargest && thumbnail.pooled;
  map.weights = largest ? thumbnail.max : thumbnail.mean;
  map.pooled = thumbnail.pooled;
  map.whole_queries = layer.shape().queries;
  map.whole_keys = layer.shape().keys;
  map.scale =
      MeasuredScale(context.scale, LargestInScope(layers, layer, head, context.scale.range));
  AddFlag(context, {layer.layer(), head, layer.part()}, &map);
  return map;
}

const LayerAttention* FindLayer(LayerSpan layers, std::int64_t index) {
  const auto found = std::find_if(
      layers.begin(), layers.end(), [&](const auto& each) { return each->layer() == index; });
  return found == layers.end() ? nullptr : found->get();
}

// Half as many again side by side as one above the other, and few places left empty.
std::int64_t ColumnsFor(std::int64_t heads) {
  std::int64_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t columns = 1; columns <= heads; ++columns) {
    const std::int64_t rows = (heads + columns - 1) / columns;
    const double shape =
        std::fabs(std::log(static_cast<double>(columns) / (1.5 * static_cast<double>(rows))));
    const double empty = static_cast<double>(rows * columns - heads) / static_cast<double>(heads);
    if (shape + empty < least) {
      least = shape + empty;
      best = columns;
    }
  }
  return best;
}

// "16,384"; millions as "10.9 M".
std::string Short(std::int64_t count) {
  if (count >= 10'000'000) {
    return fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
  }
  const std::string digits = fmt::format("{}", count);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      grouped += ',';
    }
    grouped += digits[i];
  }
  return grouped;
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
          count.mean_divergence ? fmt::format("{:.4f}", *count.mean_divergence) : "\u2013",
          fmt::format("{:.2f}", count.effective_heads)};
}

}  // namespace

std::string ModelLine(const std::string& name,
                      const std::string& family,
                      std::int64_t layers,
                      std::int64_t heads,
                      std::int64_t model_dim,
                      std::int64_t head_dim) {
  return fmt::format("{}, {}, {} \u00d7 {}, d {}, d_k {}",
                     name,
                     family,
                     Counted(layers, "layer"),
                     Counted(heads, "head"),
                     model_dim,
                     head_dim);
}

std::vector<std::string> AxisTokens(const Encoding& encoding) {
  std::vector<std::string> tokens;
  tokens.reserve(encoding.tokens.size());
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    tokens.push_back(TokenName(encoding, i));
  }
  return tokens;
}

// Rows are made and pooled some at a time. Those of one row of cells are pooled by themselves, just
// as PoolMap pools them within the whole map.
Result<std::vector<float>> PooledMap(const LayerAttention& layer,
                                     std::int64_t head,
                                     std::int64_t rows,
                                     std::int64_t cols,
                                     Pool pool,
                                     const std::stop_token& stop) {
  constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 20;
  const AttentionShape& shape = layer.shape();
  const auto first_query = [&](std::int64_t row) {
    return (row * shape.queries + rows - 1) / rows;
  };
  const std::int64_t step =
      std::max<std::int64_t>(1, kCellsAtOnce / shape.keys * rows / shape.queries);
  std::vector<float> pooled;
  std::vector<float> block;
  for (std::int64_t row = 0; row < rows; row += step) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped");
    }
    const std::int64_t begin = first_query(row);
    const std::int64_t end = first_query(std::min(rows, row + step));
    block.resize(static_cast<std::size_t>((end - begin) * shape.keys));
    layer.RowsOnAllThreads(head, begin, end, block);
    layer.MakeDrawable(block);
    for (std::int64_t query = begin; query < end; ++query) {
      float* const weights = block.data() + (query - begin) * shape.keys;
      std::fill(weights, weights + layer.rule().FirstVisible(query), kMasked);
      std::fill(
          weights + layer.rule().LastVisible(query, shape.keys), weights + shape.keys, kMasked);
    }
    for (std::int64_t each = row; each < std::min(rows, row + step); ++each) {
      const std::int64_t count = first_query(each + 1) - first_query(each);
      const auto own = std::span<const float>(block).subspan(
          static_cast<std::size_t>((first_query(each) - begin) * shape.keys),
          static_cast<std::size_t>(count * shape.keys));
      const std::vector<float> cells = PoolMap(own, count, shape.keys, 1, cols, pool);
      pooled.insert(pooled.end(), cells.begin(), cells.end());
    }
  }
  return pooled;
}

void DescribeTarget(const InputText& input,
                    const Encoding& target,
                    const std::string& generated,
                    FigureContext* context) {
  context->target_tokens = AxisTokens(target);
  context->target_is_generated = !input.target && input.target_ids.empty();
  context->target = context->target_is_generated ? generated : input.target.value_or("");
}

Result<Figure> HeadFigure(LayerSpan layers,
                          HeadIndex head,
                          const FigureContext& context,
                          const std::stop_token& stop) {
  const LayerAttention* layer = FindLayer(layers, head.layer);
  if (layer == nullptr || head.head < 0 || head.head >= layer->shape().heads) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} is asked for, which this model does not have", HeadName(head)));
  }
  head.part = layer->part();
  FigureMap map;
  map.title = HeadName(head);
  map.queries = layer->shape().queries;
  map.keys = layer->shape().keys;
  std::shared_ptr<const HeadMap> full = context.ready;
  const bool is_ready = full != nullptr && full->layer == head.layer && full->head == head.head;
  if (is_ready) {
    map.queries = full->queries;
    map.keys = full->keys;
    map.weights = full->weights;
  } else if (map.queries * map.keys > kMostHeldCells) {
    PoolWhenDrawn(*std::ranges::find(layers, layer, [](const auto& each) { return each.get(); }),
                  head.head,
                  &map);
  } else {
    auto made = MakeHeadMap(*layer, head.head, stop);
    if (!made) {
      return PassOn(std::move(made.error()));
    }
    map.weights = (*made)->weights;
  }
  map.scale =
      MeasuredScale(context.scale, LargestInScope(layers, *layer, head.head, context.scale.range));
  AddFlag(context, head, &map);
  Figure figure = Start(context, layer->part());
  figure.query_tokens = HasTargetQueries(layer->part()) ? context.target_tokens : context.tokens;
  figure.key_tokens = HasTargetKeys(layer->part()) ? context.target_tokens
                      : context.key_tokens.empty() ? context.tokens
                                                   : context.key_tokens;
  FigureRow row;
  row.maps.push_back(std::move(map));
  figure.rows.push_back(std::move(row));
  return figure;
}

Result<Figure> LayerFigure(LayerSpan layers,
                           std::int64_t index,
                           const FigureContext& context,
                           const std::stop_token& stop) {
  const LayerAttention* layer = FindLayer(layers, index);
  if (layer == nullptr) {
    return Fail(ErrorCode::kInput,
                fmt::format("layer {} is asked for, which this model does not have", index));
  }
  const std::int64_t heads = layer->shape().heads;
  const std::int64_t columns = ColumnsFor(heads);
  // No map is drawn with more pixels than this.
  const std::int64_t most = std::max<std::int64_t>(16, context.size_px / columns);
  Figure figure = Start(context, layer->part());
  figure.title = LayerWords({layer->part(), layer->layer()});
  for (std::int64_t head = 0; head < heads; ++head) {
    if (head % columns == 0) {
      figure.rows.emplace_back();
      figure.rows.back().slots = columns;
    }
    FigureMap map;
    map.title = HeadName({index, head, layer->part()});
    map.whole_queries = layer->shape().queries;
    map.whole_keys = layer->shape().keys;
    map.queries = std::min(map.whole_queries, most);
    map.keys = std::min(map.whole_keys, most);
    map.pooled = map.queries < map.whole_queries || map.keys < map.whole_keys;
    auto pooled = PooledMap(*layer, head, map.queries, map.keys, figure.pool, stop);
    if (!pooled) {
      return PassOn(std::move(pooled.error()));
    }
    map.weights = std::move(*pooled);
    map.scale =
        MeasuredScale(context.scale, LargestInScope(layers, *layer, head, context.scale.range));
    AddFlag(context, {index, head, layer->part()}, &map);
    figure.rows.back().maps.push_back(std::move(map));
  }
  return figure;
}

Result<Figure> GridFigure(LayerSpan layers, const FigureContext& context) {
  if (layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no layer to draw");
  }
  const ModelPart part = layers.front()->part();
  Figure figure = Start(context, part);
  figure.title = part == ModelPart::kWhole   ? "Every head"
                 : part == ModelPart::kCross ? "Every head of the cross-attention"
                                             : fmt::format("Every head of the {}", PartName(part));
  figure.pool = context.pool;
  for (const auto& layer : layers) {
    FigureRow row;
    row.label = LayerName({layer->part(), layer->layer()});
    for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
      row.maps.push_back(ThumbnailMap(layers, *layer, head, context));
    }
    figure.rows.push_back(std::move(row));
  }
  for (std::int64_t head = 0; head < layers.front()->shape().heads; ++head) {
    figure.column_labels.push_back(fmt::format("H{}", head));
  }
  return figure;
}

Result<Figure> CountsFigure(const SplitResult& split,
                            const LayerAttention& layer,
                            const FigureContext& context,
                            const std::stop_token& stop) {
  Figure figure = Start(context, layer.part());
  const AttentionShape& shape = layer.shape();
  const std::int64_t width = shape.heads * shape.head_dim;
  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  float global = 0.0F;
  for (const SplitCount& count : split.counts) {
    global = std::max(global, LargestOf(count.largest));
  }
  figure.table.push_back({"h",
                          "d_k",
                          "parameters",
                          "multiplies",
                          "softmax cells",
                          "maps",
                          "output change",
                          "divergence",
                          "effective heads"});
  for (const SplitCount& count : split.counts) {
    FigureRow row;
    row.label = fmt::format("h = {}", count.heads);
    const bool trained = count.heads == split.trained_heads;
    row.sublabel =
        fmt::format("{}{}", trained ? "trained, " : "", "d_k " + CostRow(count, width)[1]);
    row.marked = trained;
    const float of_row = LargestOf(count.largest);
    const std::int64_t drawn = std::min(count.heads, kMostDrawn);
    if (drawn < count.heads) {
      figure.notes.push_back(
          fmt::format("h = {}: heads 0\u2013{} are drawn.", count.heads, drawn - 1));
    }
    for (std::int64_t head = 0; head < drawn; ++head) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "stopped");
      }
      const auto at = static_cast<std::size_t>(head);
      FigureMap map;
      map.queries = shape.queries;
      map.keys = shape.keys;
      map.weights.assign(count.maps.begin() + static_cast<std::ptrdiff_t>(at * cells),
                         count.maps.begin() + static_cast<std::ptrdiff_t>((at + 1) * cells));
      for (std::int64_t query = 0; query < shape.queries; ++query) {
        float* begin = map.weights.data() + query * shape.keys;
        std::fill(begin, begin + layer.rule().FirstVisible(query), kMasked);
        std::fill(begin + layer.rule().LastVisible(query, shape.keys), begin + shape.keys, kMasked);
      }
      map.scale = MeasuredScale(context.scale,
                                context.scale.range == RangeMode::kGlobal  ? global
                                : context.scale.range == RangeMode::kLayer ? of_row
                                                                           : count.largest[at]);
      row.maps.push_back(std::move(map));
    }
    figure.rows.push_back(std::move(row));
    if (trained) {
      figure.marked_table_row = static_cast<std::int64_t>(figure.table.size());
    }
    figure.table.push_back(CostRow(count, width));
  }
  figure.title = LayerWords({layer.part(), split.layer}) + ", cut into other numbers of heads";
  if (split.leaves_bias_out) {
    figure.notes.push_back(
        "Without the bias that each trained head adds to its scores: it belongs to no other head "
        "count.");
  }
  figure.notes.push_back(
      "The same weights throughout; parameters and multiplies do not depend on h. Output change: "
      "against the trained count, relative. "
      "Divergence: Jensen-Shannon, nats, mean over head pairs and rows. Effective heads: how many "
      "that differ, from 1 to h.");
  return figure;
}

}  // namespace headscope
