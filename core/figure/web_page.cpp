#include "core/figure/web_page.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/figure/comparison_words.h"
#include "core/figure/figure_map.h"
#include "core/figure/page_pairs.h"
#include "core/figure/roles_figure.h"
#include "core/figure/score_map.h"
#include "core/figure/svg_canvas.h"
#include "core/heads/flags/role.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTemplate =
#include "page_template.inc"
    ;

std::string HexOf(Rgb color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

Json NumbersOf(Rgb color) {
  return Json::array({color.r, color.g, color.b});
}

// The template with its places filled, in one pass: what is filled in is never looked at again.
std::string Fill(const FigurePage& page, const Json& data) {
  const ThemeColors& colors = ColorsOf(page.theme);
  std::string json = JsonText(data);
  for (std::size_t at = json.find('<'); at != json.npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");  // no text can end the script
  }
  const std::vector<std::pair<std::string_view, std::string>> places = {
      {"{title}", XmlText(page.title)},
      {"{background}", HexOf(page.theme == Theme::kDark ? colors.background : colors.panel)},
      {"{panel}", HexOf(colors.panel)},
      {"{raised}", HexOf(colors.raised)},
      {"{line}", HexOf(colors.line)},
      {"{text}", HexOf(colors.text)},
      {"{muted}", HexOf(colors.muted)},
      {"{dim}", HexOf(colors.dim)},
      {"{accent}", HexOf(colors.accent)},
      {"{data}", json}};
  std::string html;
  std::string_view rest = kTemplate;
  for (const auto& [place, words] : places) {
    const std::size_t at = rest.find(place);
    html += rest.substr(0, at);
    html += words;
    rest.remove_prefix(at + place.size());
  }
  return html + std::string(rest);
}

Json PageJson(std::string_view kind, const FigurePage& page, Colormap colormap) {
  const auto table = ColormapTable(colormap, page.theme);
  std::string bytes;
  for (const Rgb color : table) {
    for (const std::uint8_t part : {color.r, color.g, color.b}) {
      bytes += static_cast<char>(part);
    }
  }
  Json json;
  json["kind"] = kind;
  json["title"] = page.title;
  json["caption"] = page.caption;
  json["notes"] = page.notes;
  json["table"] = Base64Of(bytes.data(), bytes.size());
  json["masked"] = NumbersOf(MaskedColor(page.theme));
  return json;
}

// --- maps

std::int64_t VisibleCells(const MapView& view) {
  std::int64_t cells = 0;
  for (std::int64_t query = 0; query < view.queries(); ++query) {
    cells += view.LastVisible(query) - view.FirstVisible(query);
  }
  return cells;
}

Json SeenOf(const MapView& view) {
  Json rows = Json::array();
  for (std::int64_t query = 0; query < view.queries(); ++query) {
    rows.push_back(Json::array({view.FirstVisible(query), view.LastVisible(query)}));
  }
  return rows;
}

void AddWeights(const MapView& view, std::vector<std::uint16_t>* weights) {
  constexpr std::int64_t kRowsAtOnce = 64;
  constexpr float kMost = 65535.0F;
  const std::int64_t keys = view.keys();
  std::vector<float> block;
  for (std::int64_t first = 0; first < view.queries(); first += kRowsAtOnce) {
    const std::int64_t end = std::min(first + kRowsAtOnce, view.queries());
    block.resize(static_cast<std::size_t>((end - first) * keys));
    view.DrawableRows(first, end, block);
    for (std::int64_t query = first; query < end; ++query) {
      for (std::int64_t key = view.FirstVisible(query); key < view.LastVisible(query); ++key) {
        const float weight = block[static_cast<std::size_t>((query - first) * keys + key)];
        weights->push_back(
            static_cast<std::uint16_t>(std::lround(std::clamp(weight, 0.0F, 1.0F) * kMost)));
      }
    }
  }
}

Json MapHead(const MapView& view, std::size_t seen, const FigureSubject& subject) {
  const FigureMap map = NamedMapOf(view, subject.layers, subject.context);
  Json head;
  head["name"] = HeadName({view.layer->layer(), view.head, view.layer->part()});
  head["seen"] = seen;
  head["low"] = map.scale.low;
  head["high"] = map.scale.high;
  if (map.flag_rgb != 0) {
    head["role"] = map.flag_role;
    head["rgb"] = HexOf(RgbOf(map.flag_rgb));
  }
  return head;
}

using LayerList = std::vector<std::shared_ptr<const LayerAttention>>;

// `head`: only that one of the layers.
Status WriteMaps(const std::filesystem::path& path,
                 const FigureSubject& subject,
                 const LayerList& layers,
                 std::optional<std::int64_t> head,
                 std::string title) {
  if (layers.empty() || layers.front() == nullptr) {
    return Fail(ErrorCode::kInput, "there is no layer to show");
  }
  std::int64_t cells = 0;
  for (const auto& layer : layers) {
    cells += VisibleCells({.layer = layer, .head = 0}) * (head ? 1 : layer->shape().heads);
  }
  if (cells > kMostPageCells) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: a page holds up to {} weights, and these are {}; show one layer, one "
                    "head or fewer tokens",
                    path.string(),
                    kMostPageCells,
                    cells));
  }
  const FigureContext& context = subject.context;
  const ModelPart part = layers.front()->part();
  const FigurePage page = PageOf(context, part, std::move(title));
  const ColorScale& scale = context.scale;
  Json json = PageJson("maps", page, scale.colormap);
  const auto& queries = HasTargetQueries(part) ? context.target_tokens : context.tokens;
  const auto& keys = HasTargetKeys(part)          ? context.target_tokens
                     : context.key_tokens.empty() ? context.tokens
                                                  : context.key_tokens;
  json["queries"] = queries;
  json["keys"] = keys;
  json["shared"] = part != ModelPart::kCross && context.key_tokens.empty();
  json["curve"] = Name(scale.curve);
  json["range"] = Name(scale.range);
  json["low"] = scale.range == RangeMode::kFixed ? fmt::format("{}", scale.low) : "0";
  json["high"] = scale.range == RangeMode::kFixed ? fmt::format("{}", scale.high) : "largest";
  json["curve_words"] = Describe(scale);
  json["columns"] = layers.size() > 1
                        ? layers.front()->shape().heads
                        : static_cast<std::int64_t>(std::ceil(
                              std::sqrt(1.5 * static_cast<double>(layers.front()->shape().heads))));
  json["chosen"] = HeadName(subject.head);
  json["seen"] = Json::array();
  json["heads"] = Json::array();
  std::vector<std::uint16_t> weights;
  weights.reserve(static_cast<std::size_t>(cells));
  for (const auto& layer : layers) {
    const std::size_t seen = json["seen"].size();
    json["seen"].push_back(SeenOf({.layer = layer, .head = 0}));
    for (std::int64_t each = head.value_or(0); each < (head ? *head + 1 : layer->shape().heads);
         ++each) {
      const MapView view{.layer = layer, .head = each};
      json["heads"].push_back(MapHead(view, seen, subject));
      AddWeights(view, &weights);
    }
  }
  json["weights"] = Base64Of(weights.data(), weights.size() * sizeof(std::uint16_t));
  return WriteFileAtomically(path, Fill(page, json));
}

// --- cells

Json CellJson(std::string name, std::string brief, std::optional<float> at) {
  Json cell;
  cell["name"] = std::move(name);
  cell["short"] = std::move(brief);
  cell["at"] = at ? Json(*at) : Json(nullptr);
  cell["words"] = Json::array();
  return cell;
}

void AddRoles(const ShownScores& shown, Json* roles) {
  for (const HeadsOfOneRole& one : HeadsByRole(shown)) {
    roles->push_back({{"role", one.role},
                      {"heads", one.heads},
                      {"evidence", one.evidence},
                      {"rgb", HexOf(RgbOf(one.rgb))}});
  }
}

}  // namespace

Status WriteAllHeadsPage(const std::filesystem::path& path, const FigureSubject& subject) {
  return WriteMaps(path, subject, subject.layers, std::nullopt, "Every head");
}

Status WriteLayerPage(const std::filesystem::path& path, const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto layer, LayerOf(subject));
  return WriteMaps(
      path, subject, {layer}, std::nullopt, LayerWords({layer->part(), layer->layer()}));
}

Status WriteHeadPage(const std::filesystem::path& path, const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto layer, LayerOf(subject));
  if (subject.head.head < 0 || subject.head.head >= layer->shape().heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{} is asked for, which this model does not have", HeadName(subject.head)));
  }
  return WriteMaps(path, subject, {layer}, subject.head.head, HeadName(subject.head));
}

Status WriteComparisonPage(const std::filesystem::path& path, const FigureSubject& subject) {
  if (subject.comparison == nullptr || subject.comparison->layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no comparison to show");
  }
  const Comparison& comparison = *subject.comparison;
  const FigurePage page = ComparisonPage(
      subject.context,
      comparison,
      "A cell is a head of A, coloured by how far it lies from the head of B that it is "
      "matched with; layers and heads count from 0.");
  const ColorScale scale = DivergenceScale(subject.context.scale, LargestOfAll(comparison));
  Json json = PageJson("cells", page, scale.colormap);
  json["low"] = ShortDivergence(static_cast<double>(scale.low));
  json["high"] = ShortDivergence(static_cast<double>(scale.high));
  json["curve_words"] = DivergenceScaleWords(subject.context.scale, LargestOfAll(comparison));
  json["about"] = "Point at a head to see which head of B it is matched with.";
  json["roles"] = Json::array();
  json["heads"] = Json::array();
  std::int64_t columns = 1;
  for (const LayerComparison& layer : comparison.layers) {
    columns = std::max(columns, layer.heads_a);
  }
  json["columns"] = columns;
  for (const LayerComparison& layer : comparison.layers) {
    for (std::int64_t head = 0; head < columns; ++head) {
      const auto pair = std::ranges::find(layer.pairs, head, &HeadPair::a);
      const bool has = pair != layer.pairs.end() && pair->divergence.has_value();
      const std::string name = HeadName({layer.layer, head, comparison.part_a});
      Json cell =
          CellJson(name,
                   has ? fmt::format("H{}", pair->b) : "\u2013",
                   has ? std::optional(Position(scale, static_cast<float>(*pair->divergence)))
                       : std::nullopt);
      cell["words"].push_back(has ? fmt::format("{} of {} goes with {} of {}: divergence {} nats.",
                                                name,
                                                comparison.a,
                                                HeadName({layer.layer, pair->b, comparison.part_b}),
                                                comparison.b,
                                                ShortDivergence(*pair->divergence))
                                  : fmt::format("{} has no partner.", name));
      json["heads"].push_back(std::move(cell));
    }
  }
  if (subject.beside != nullptr && subject.beside->of != nullptr) {
    HEADSCOPE_TRY(AddPairsToPage(
        *subject.beside->of, comparison, subject.context.scale, kMostPageCells, &json));
  }
  return WriteFileAtomically(path, Fill(page, json));
}

Status WriteRolesPage(const std::filesystem::path& path, const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  const HeadScanReport& report = scores->report().Of(scores->part);
  HEADSCOPE_TRY(const auto metric, ShownMetric(report, scores->metric));
  const ScoreRange range = RangeOf(metric);
  const HeadSuggestions suggestions(scores->roles.get(), scores->flags);
  const FigurePage page = ScoresPage(subject.context,
                                     *scores,
                                     "Heads by role",
                                     fmt::format("Cells are coloured by {}.", metric.name));
  Json json = PageJson("cells", page, ColormapOf(range, subject.context.scale.colormap));
  json["low"] = LowWords(metric, range);
  json["high"] = ScoreText(metric, range.high);
  json["curve_words"] = ScoreMapWords(metric, range, SourceOf(report, metric));
  json["about"] = "Point at a head to see its scores and roles.";
  json["roles"] = Json::array();
  AddRoles(*scores, &json["roles"]);
  json["heads"] = Json::array();
  const HeadsOfScan& heads = metric.probe->report.about.heads;
  json["columns"] = heads.heads;
  const std::vector<ScoredMetric> metrics = ScoredMetrics(report);
  for (std::size_t place = 0; place < heads.count(); ++place) {
    const HeadIndex head = heads.At(place);
    const HeadScore& score = metric.scores->heads[place];
    Json cell = CellJson(HeadName(head),
                         score.score ? ScoreText(metric, *score.score) : "\u2013",
                         score.score ? std::optional(range.At(*score.score)) : std::nullopt);
    const HeadFlag* const flag = FindFlag(scores->flags, head);
    if (flag != nullptr || !suggestions.Of(head).empty()) {
      cell["rgb"] = HexOf(
          RgbOf(ColourOfRole(flag != nullptr ? flag->role : suggestions.Of(head).front()->role)));
      cell["words"].push_back(RolesOfHead(scores->flags, suggestions, head));
    }
    for (const Suggestion* const one : suggestions.Of(head)) {
      cell["words"].push_back(one->why);
    }
    for (const ScoredMetric& each : metrics) {
      if (each.id == metric.id && score.score) {
        cell["words"].push_back(ScoreWords(each, score));
      }
    }
    json["heads"].push_back(std::move(cell));
  }
  return WriteFileAtomically(path, Fill(page, json));
}

}  // namespace headscope
