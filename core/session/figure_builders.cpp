#include "core/session/figure_builders.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/heads/role.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostDrawn = 64;  // maps side by side
constexpr const char* kConvention =
    "Rows are queries, columns are keys; heads and layers count from 0.";

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

FigureMap MapOf(const MapView& view, LayerSpan all, const FigureContext& context) {
  FigureMap map;
  map.queries = view.queries();
  map.keys = view.keys();
  map.view = view;
  map.scale = ScaleOfMap(context.scale, view, all);
  return map;
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

FigureMap ThumbnailMap(LayerSpan layers, const MapView& view, const FigureContext& context) {
  const Thumbnail& thumbnail = view.thumbnail();
  const HeadIndex head{view.layer->layer(), view.head, view.layer->part()};
  FigureMap map;
  map.title = HeadName(head);
  map.queries = thumbnail.rows;
  map.keys = thumbnail.cols;
  const bool largest = context.pool == Pool::kLargest && thumbnail.pooled;
  map.weights = largest ? thumbnail.max : thumbnail.mean;
  map.pooled = thumbnail.pooled;
  map.whole_queries = view.queries();
  map.whole_keys = view.keys();
  map.scale = ScaleOfMap(context.scale, view, layers);
  AddFlag(context, head, &map);
  return map;
}

std::shared_ptr<const LayerAttention> FindLayer(LayerSpan layers, std::int64_t index) {
  const auto found =
      std::ranges::find_if(layers, [&](const auto& each) { return each->layer() == index; });
  return found == layers.end() ? nullptr : *found;
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

std::vector<std::string> CostRow(const SplitCount& count) {
  return {fmt::format("{}", count.heads),
          WidthText(count),
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

void DescribeTarget(const InputText& input,
                    const Encoding& target,
                    const std::string& generated,
                    FigureContext* context) {
  context->target_tokens = AxisTokens(target);
  context->target_is_generated = !input.target && input.target_ids.empty();
  context->target = context->target_is_generated ? generated : input.target.value_or("");
}

Result<Figure> HeadFigure(LayerSpan layers, HeadIndex head, const FigureContext& context) {
  const MapView view{.layer = FindLayer(layers, head.layer), .head = head.head};
  if (view.layer == nullptr || head.head < 0 || head.head >= view.layer->shape().heads) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} is asked for, which this model does not have", HeadName(head)));
  }
  head.part = view.layer->part();
  FigureMap map = MapOf(view, layers, context);
  map.title = HeadName(head);
  AddFlag(context, head, &map);
  Figure figure = Start(context, head.part);
  figure.query_tokens = HasTargetQueries(head.part) ? context.target_tokens : context.tokens;
  figure.key_tokens = HasTargetKeys(head.part)     ? context.target_tokens
                      : context.key_tokens.empty() ? context.tokens
                                                   : context.key_tokens;
  FigureRow row;
  row.maps.push_back(std::move(map));
  figure.rows.push_back(std::move(row));
  return figure;
}

Result<Figure> LayerFigure(LayerSpan layers, std::int64_t index, const FigureContext& context) {
  const std::shared_ptr<const LayerAttention> layer = FindLayer(layers, index);
  if (layer == nullptr) {
    return Fail(ErrorCode::kInput,
                fmt::format("layer {} is asked for, which this model does not have", index));
  }
  const std::int64_t heads = layer->shape().heads;
  const std::int64_t columns = ColumnsFor(heads);
  Figure figure = Start(context, layer->part());
  figure.title = LayerWords({layer->part(), layer->layer()});
  for (std::int64_t head = 0; head < heads; ++head) {
    if (head % columns == 0) {
      figure.rows.emplace_back();
      figure.rows.back().slots = columns;
    }
    FigureMap map = MapOf({.layer = layer, .head = head}, layers, context);
    map.title = HeadName({index, head, layer->part()});
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
      row.maps.push_back(ThumbnailMap(layers, {.layer = layer, .head = head}, context));
    }
    figure.rows.push_back(std::move(row));
  }
  for (std::int64_t head = 0; head < layers.front()->shape().heads; ++head) {
    figure.column_labels.push_back(fmt::format("H{}", head));
  }
  return figure;
}

Figure CountsFigure(const SplitResult& split, const FigureContext& context) {
  const ModelPart part = split.counts.front().attention->part();
  Figure figure = Start(context, part);
  const std::vector<std::shared_ptr<const LayerAttention>> cuts = split.Cuts();
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
    row.sublabel = fmt::format("{}{}", trained ? "trained, " : "", "d_k " + CostRow(count)[1]);
    row.marked = trained;
    const std::int64_t drawn = std::min(count.heads, kMostDrawn);
    if (drawn < count.heads) {
      figure.notes.push_back(
          fmt::format("h = {}: heads 0\u2013{} are drawn.", count.heads, drawn - 1));
    }
    for (std::int64_t head = 0; head < drawn; ++head) {
      row.maps.push_back(MapOf({.layer = count.attention, .head = head}, cuts, context));
    }
    figure.rows.push_back(std::move(row));
    if (trained) {
      figure.marked_table_row = static_cast<std::int64_t>(figure.table.size());
    }
    figure.table.push_back(CostRow(count));
  }
  figure.title = LayerWords({part, split.layer}) + ", cut into other numbers of heads";
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
