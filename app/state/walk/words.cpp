#include "app/state/walk/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/compute/position_scores.h"

namespace headscope {
namespace {

constexpr std::array<const char*, kWalkStages> kNames = {
    "Width", "Project", "Attend", "Blend", "Concatenate", "Mix"};

std::string Shape(std::int64_t rows, std::int64_t cols) {
  return fmt::format("[{}, {}]", rows, cols);
}

std::string Columns(std::int64_t first, std::int64_t count) {
  return count == 1 ? fmt::format("column {}", first)
                    : fmt::format("columns {} to {}", first, first + count - 1);
}

// "The other 11 heads do the same"; nothing where there is one head.
std::string Others(const LayerWalk& walk) {
  const std::int64_t others = walk.shape.heads - 1;
  return others == 0   ? "It is the only head of its layer."
         : others == 1 ? "The other head does the same with its own, at the same time: one batched "
                         "product, no loop."
                       : fmt::format(
                             "The other {} heads do the same with theirs, at the same time: "
                             "one batched product, no loop.",
                             others);
}

std::string UseWords(const LayerWalk& walk) {
  const std::vector<float>& use = walk.query.use;
  if (use.empty()) {
    return {};
  }
  const auto most = std::ranges::max_element(use);
  const auto least = std::ranges::min_element(use);
  const auto unused = std::ranges::count(use, 0.0F);
  const std::string unused_words =
      unused == 0 ? "none is unused" : fmt::format("{} of {} are unused", unused, use.size());
  return fmt::format(
      "In its W_Q every one of the {} inputs has a row: {}. The longest row is that of input {} "
      "({}), the shortest that of input {} ({}).",
      use.size(),
      unused_words,
      most - use.begin(),
      NumberText(static_cast<double>(*most)),
      least - use.begin(),
      NumberText(static_cast<double>(*least)));
}

std::string WidthWords(const LayerWalk& walk) {
  const AttentionShape& shape = walk.shape;
  std::string words = fmt::format(
      "X has a row for each of the {} and a column for each of the {}: the whole embedding, as "
      "layer {} reads it{}. It is not cut in pieces: head {} gets all {} columns",
      Counted(shape.queries, "token"),
      Counted(walk.model_dim, "input"),
      walk.layer.layer,
      walk.is_normed ? " after its norm" : "",
      walk.head,
      walk.model_dim);
  words += shape.heads > 1 ? ", and so does every other of the " + Counted(shape.heads, "head")
                           : std::string();
  return words + ". " + UseWords(walk);
}

std::string ProjectWords(const LayerWalk& walk) {
  const AttentionShape& shape = walk.shape;
  const std::int64_t dk = shape.head_dim;
  const std::int64_t d = walk.query.inputs();
  std::string words = fmt::format(
      "Head {} multiplies all {} inputs by matrices of its own: {} × {} = {}. The matrices of all "
      "{} stand side by side in one {}, so one product makes every query; head {} owns {}, framed. "
      "Cutting the result into heads is a reshape: nothing is computed.",
      walk.head,
      d,
      Shape(shape.queries, d),
      Shape(d, dk),
      Shape(shape.queries, dk),
      Counted(shape.heads, "head"),
      Shape(d, shape.heads * dk),
      walk.head,
      Columns(walk.head * dk, dk));
  if (shape.kv_heads != shape.heads) {
    words +=
        fmt::format(" Keys and values have {} only: {} share each, and head {} reads key head {}.",
                    Counted(shape.kv_heads, "head"),
                    Counted(shape.heads / shape.kv_heads, "query head"),
                    walk.head,
                    walk.key.own_head);
  }
  if (!walk.query.bias.empty() || !walk.key.bias.empty() || !walk.value.bias.empty()) {
    words += " A bias is added to every row.";
  }
  if (!walk.query.normed.empty() || !walk.key.normed.empty()) {
    words +=
        fmt::format(" Then each query and key is normed over its own {}.", Counted(dk, "column"));
  }
  if (walk.query.turned > 0) {
    words += fmt::format(
        " Then positions turn {} of the {} columns of queries and keys (rotary): so they are "
        "drawn.",
        walk.query.turned,
        dk);
  }
  return words;
}

std::string AttendWords(const LayerWalk& walk) {
  const AttentionRule& rule = walk.rule;
  std::string words =
      fmt::format("Head {} compares every query with every key in its own {}: a dot product each",
                  walk.head,
                  Counted(walk.shape.head_dim, "column"));
  words += rule.scale == 1.0 ? std::string(", which this model does not scale")
                             : fmt::format(", times {:.4g}", rule.scale);
  if (rule.softcap > 0.0) {
    words += fmt::format(", capped at ±{:.4g}", rule.softcap);
  }
  words += rule.bias != nullptr ? ", plus a bias of its own for how far the key lies" : "";
  words += rule.positions != nullptr
               ? ", plus the query's product with a key for how far the token lies, and the key's "
                 "with a query for it"
               : "";
  words += rule.sinks == nullptr
               ? ". The softmax turns each row of scores into weights that add up to 1."
               : ". The softmax turns each row of scores, and the head's sink beside them, into "
                 "weights that add up to 1: a row lacks what the sink takes.";
  if (rule.causal) {
    words += " No token sees a later one: such cells are masked, exactly 0.";
  }
  if (rule.window > 0) {
    words +=
        rule.window == 1 ? std::string(" Each token sees itself alone.")
        : rule.causal
            ? fmt::format(" Each token sees the last {}, itself among them.", rule.window)
            : fmt::format(" Each token sees {} to each side.", Counted(rule.window - 1, "token"));
  }
  return words + " " + Others(walk);
}

std::string BlendWords(const LayerWalk& walk, std::int64_t row, const std::string& token) {
  const AttentionShape& shape = walk.shape;
  std::string words =
      fmt::format("A row of weights says how much a token takes of every value: {} × {} = {}.",
                  Shape(shape.queries, shape.keys),
                  Shape(shape.keys, shape.value_dim),
                  Shape(shape.queries, shape.value_dim));
  if (walk.HasRow(row)) {
    const auto weights = std::span(walk.weights.values)
                             .subspan(static_cast<std::size_t>((row - walk.first_row) * shape.keys),
                                      static_cast<std::size_t>(shape.keys));
    const auto largest = std::ranges::max_element(weights);
    words +=
        fmt::format(" “{}” takes most of value {}: {:.4f} of it. Its row of head {} has length {}.",
                    token,
                    largest - weights.begin(),
                    *largest,
                    walk.head,
                    NumberText(static_cast<double>(std::sqrt(std::inner_product(
                        walk.blended.values.begin() + (row - walk.first_row) * shape.value_dim,
                        walk.blended.values.begin() + (row - walk.first_row + 1) * shape.value_dim,
                        walk.blended.values.begin() + (row - walk.first_row) * shape.value_dim,
                        0.0)))));
  }
  return words;
}

std::string ConcatenateWords(const LayerWalk& walk) {
  const AttentionShape& shape = walk.shape;
  return fmt::format(
      "The {} stand side by side: {} of {} give {}. In memory they do already, so this is a "
      "reshape: nothing is computed, and no head has seen another yet. Head {} has {}, framed.",
      Counted(shape.heads, "head"),
      Counted(shape.heads, "matrix", "matrices"),
      Shape(shape.queries, shape.value_dim),
      Shape(shape.queries, shape.heads * shape.value_dim),
      walk.head,
      Columns(walk.head * shape.value_dim, shape.value_dim));
}

std::string MixWords(const LayerWalk& walk, std::int64_t row, const std::string& token) {
  const AttentionShape& shape = walk.shape;
  std::string words = fmt::format(
      "W_O mixes the columns of all heads into {} outputs, as many as X has. The same comes out if "
      "each head goes through its own {} of W_O and the results are added.",
      walk.model_dim,
      Counted(shape.value_dim, "row"));
  if (walk.HasRow(row)) {
    const std::size_t place = walk.PlaceOf(walk.head, row);
    words += fmt::format(
        " Head {} adds a vector of length {} to “{}”; the cosine of its angle to the layer's "
        "output is {:.3f}.",
        walk.head,
        NumberText(static_cast<double>(walk.lengths[place])),
        token,
        walk.along_output[place]);
  }
  if (walk.output_bias > 0.0F) {
    words += fmt::format(" The bias of W_O, of length {}, is added once.",
                         NumberText(static_cast<double>(walk.output_bias)));
  }
  return words;
}

}  // namespace

bool IsWalking(const AppState& state) {
  return state.walk.is_open && state.screen->subject == ScreenSubject::kHeadCounts;
}

const LayerWalk* WalkInView(const AppState& state) {
  return state.walk.answer.get();
}

bool IsWalkStale(const AppState& state) {
  const LayerView view = SelectedLayer(state);
  const auto& of = state.walk.of;
  return !of || of->layer != view.layer || of->head != state.selection.head.head || view.stale ||
         view.outdated;
}

std::string WhyNoWalk(const AppState& state) {
  const ModelInfo* model = ShownModel(state);
  if (model != nullptr && model->file != nullptr) {
    return "This attention comes from a file that holds its weights only. Walking through a layer "
           "needs what it reads and its matrices: open the model.";
  }
  const LayerView now = SelectedLayer(state);
  if (IsOutdated(state) && now.from != nullptr && now.from->model != state.model) {
    return fmt::format(
        "Only layers of the model that is open can be walked through. These maps are "
        "of {}; {} is open.",
        now.from->model->name,
        state.model->name);
  }
  return state.walk.fault;
}

std::string StageName(WalkStage stage) {
  return kNames[static_cast<std::size_t>(stage)];
}

std::string StageTitle(WalkStage stage) {
  return fmt::format("{} · {}", static_cast<int>(stage) + 1, StageName(stage));
}

std::string WalkPlaceWords(const AppState& state) {
  return fmt::format("layer {} of {}, head {} of {}, counted from 0",
                     state.selection.head.layer,
                     ShownLayers(state),
                     state.selection.head.head,
                     ShownHeads(state));
}

std::string WalkConvention(Theme theme, Curve curve) {
  return fmt::format("blue negative, red positive, {} 0; each to its own largest, {}",
                     theme == Theme::kDark ? "dark" : "white",
                     curve == Curve::kLinear ? "linear"
                     : curve == Curve::kSqrt ? "square root"
                                             : "logarithm");
}

std::int64_t WalkRowInView(const AppState& state, const LayerWalk& walk) {
  const std::int64_t last = walk.first_row + walk.rows - 1;
  return std::clamp(state.selection.row.value_or(last), walk.first_row, last);
}

std::int64_t WalkKeyInView(const AppState& state, const LayerWalk& walk) {
  const std::optional<MapPoint>& point = state.selection.point;
  const std::int64_t keys = walk.shape.keys;
  if (point && point->key && *point->key < keys) {
    return *point->key;
  }
  const auto begin =
      walk.weights.values.begin() + (WalkRowInView(state, walk) - walk.first_row) * keys;
  return std::max_element(begin, begin + keys) - begin;
}

std::string StageWords(const LayerWalk& walk,
                       WalkStage stage,
                       std::int64_t row,
                       const std::string& token) {
  std::string words;
  switch (stage) {
    case WalkStage::kWidth:
      words = WidthWords(walk);
      break;
    case WalkStage::kProject:
      words = ProjectWords(walk);
      break;
    case WalkStage::kAttend:
      words = AttendWords(walk);
      break;
    case WalkStage::kBlend:
      words = BlendWords(walk, row, token);
      break;
    case WalkStage::kConcatenate:
      words = ConcatenateWords(walk);
      break;
    case WalkStage::kMix:
      words = MixWords(walk, row, token);
      break;
  }
  if (stage == WalkStage::kWidth || stage == WalkStage::kProject) {
    for (const std::string& note : walk.notes) {
      words += " " + note;
    }
  }
  return words;
}

std::string NumberText(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) {
    return value < 0.0 ? "-∞" : value > 0.0 ? "∞" : "not a number";
  }
  return size == 0.0 || (size >= 1e-3 && size < 1e5) ? fmt::format("{:.4f}", value)
                                                     : fmt::format("{:.2e}", value);
}

std::vector<double> ProductsOf(const LayerWalk& walk, std::int64_t row, std::int64_t key) {
  std::vector<double> products;
  if (!walk.HasRow(row) || key < 0 || key >= walk.shape.keys) {
    return products;
  }
  for (std::int64_t c = 0; c < walk.shape.head_dim; ++c) {
    products.push_back(static_cast<double>(walk.query.used.At(row - walk.first_row, c)) *
                       static_cast<double>(walk.key.used.At(key, c)));
  }
  return products;
}

std::vector<ScoreLine> ScoreLines(const LayerWalk& walk, std::int64_t row, std::int64_t key) {
  const std::vector<double> products = ProductsOf(walk, row, key);
  if (products.empty()) {
    return {};
  }
  const AttentionRule& rule = walk.rule;
  const double dot = std::accumulate(products.begin(), products.end(), 0.0);
  std::vector<ScoreLine> lines;
  lines.push_back({"dot product", NumberText(dot)});
  const auto dk = static_cast<double>(walk.shape.head_dim);
  const bool is_usual = std::abs(rule.scale * std::sqrt(dk) - 1.0) < 1e-6;
  double score = rule.scale * dot;
  lines.push_back(
      {is_usual ? fmt::format("÷ √{}", walk.shape.head_dim) : fmt::format("× {:.4g}", rule.scale),
       NumberText(score)});
  if (rule.softcap > 0.0) {
    score = rule.softcap * std::tanh(score / rule.softcap);
    lines.push_back({fmt::format("capped at {:.4g}", rule.softcap), NumberText(score)});
  }
  if (rule.bias != nullptr) {
    const auto bias = static_cast<double>(rule.Bias(walk.head, row, key));
    score += bias;
    lines.push_back({fmt::format("+ bias {}", NumberText(bias)), NumberText(score)});
  }
  if (rule.positions != nullptr) {
    const auto columns = [&](const WalkMatrix& matrix, std::int64_t at) {
      std::vector<double> own;
      for (std::int64_t c = 0; c < walk.shape.head_dim; ++c) {
        own.push_back(static_cast<double>(matrix.At(at, c)));
      }
      return own;
    };
    const PositionScore part = PositionScoreOf(rule,
                                               walk.head,
                                               row,
                                               key,
                                               columns(walk.query.used, row - walk.first_row),
                                               columns(walk.key.used, key));
    score += part.query_content;
    lines.push_back({fmt::format("+ content with position {}", NumberText(part.query_content)),
                     NumberText(score)});
    score += part.key_content;
    lines.push_back({fmt::format("+ position with content {}", NumberText(part.key_content)),
                     NumberText(score)});
  }
  const std::int64_t first = rule.FirstVisible(row);
  const std::int64_t last = rule.LastVisible(row, walk.shape.keys);
  if (key < first || key >= last) {
    lines.push_back(
        {"mask", "-∞", key >= last ? "this key comes after the query" : "outside of the window"});
    lines.push_back({"softmax", "0", "weight"});
    return lines;
  }
  lines.back().about = "score";
  const auto weights =
      std::span(walk.weights.values)
          .subspan(static_cast<std::size_t>((row - walk.first_row) * walk.shape.keys),
                   static_cast<std::size_t>(walk.shape.keys));
  const float weight = weights[static_cast<std::size_t>(key)];
  const auto rank =
      1 + std::ranges::count_if(weights, [weight](float other) { return other > weight; });
  lines.push_back({"softmax",
                   NumberText(static_cast<double>(weight)),
                   rank == 1 ? fmt::format("weight, largest of {}", last - first)
                             : fmt::format("weight, rank {} of {}", rank, last - first)});
  return lines;
}

}  // namespace headscope
