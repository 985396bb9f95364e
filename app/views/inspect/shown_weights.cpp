// What lines and arcs have in common: the weights they draw, the tools above and the words below.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/cell_words.h"
#include "app/state/inspect/head_views.h"
#include "app/views/inspect/head_views.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "core/figure/head_color.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 6> kShownViews = {{
    {"Map", "Queries as rows, keys as columns (O shows the next view)"},
    {"Lines", "Lines between two columns of tokens, queries left, keys right (O)"},
    {"Arcs", "Arcs over one line of text: back above it, ahead below it (O)"},
    {"Text", "The text itself, shaded by what a word looks at, or by who looks at it (O)"},
    {"Query·key", "One weight dimension by dimension: products, sum, scale, softmax (O)"},
    {"Steps", "The head at the kept steps of its training, on this text"},
}};

constexpr std::array<SegmentChoice, 2> kHeads = {{
    {"One head", "The selected head alone"},
    {"Several", "All heads of the layer, each in a colour of its own; a click hides one"},
}};

constexpr std::array<SegmentChoice, 2> kLooks = {{
    {"looks at", "Pointing at a word shows what it looks at"},
    {"looked at by", "Pointing at a word shows who looks at it"},
}};

struct Mass {
  double mass;
  SegmentChoice choice;
};
constexpr std::array<Mass, 5> kMasses = {{
    {0.5, {"50 %", "The largest weights that make up half of what a row gives its tokens"}},
    {0.7, {"70 %", "The largest weights that make up 70 % of what a row gives its tokens"}},
    {0.9, {"90 %", "The largest weights that make up 90 % of what a row gives its tokens"}},
    {0.99, {"99 %", "The largest weights that make up 99 % of what a row gives its tokens"}},
    {1.0, {"all", "Every weight above 0"}},
}};

struct Top {
  std::int64_t count;
  SegmentChoice choice;
};
constexpr std::array<Top, 4> kTops = {{
    {0, {"any", "As many weights of a row as that takes"}},
    {1, {"1", "The largest weight of a row alone"}},
    {3, {"3", "The three largest weights of a row at most"}},
    {5, {"5", "The five largest weights of a row at most"}},
}};

template <typename Entry, std::size_t kCount>
std::array<SegmentChoice, kCount> ChoicesOf(const std::array<Entry, kCount>& entries) {
  std::array<SegmentChoice, kCount> choices;
  std::ranges::transform(entries, choices.begin(), &Entry::choice);
  return choices;
}

// Each head of the layer in its colour; those that are hidden are outlines.
void DrawHeadChips(Flow* flow, Ui* ui) {
  const HeadLook& look = ui->state.head_look;
  const std::int64_t heads = ShownHeads(ui->state);
  const HeadIndex selected = ui->state.selection.head;
  const float height = ui->Px(20.0F);
  const auto button = [&](const char* id, const ButtonLook& words, std::set<std::int64_t> hidden) {
    if (flow->Button(id, words)) {
      HeadLook next = look;
      next.hidden = std::move(hidden);
      ui->Do(SetHeadLook{std::move(next)});
    }
  };
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::string name = fmt::format("{}", head);
    const Rect rect = flow->Next(
        std::max(ui->Px(24.0F), TextWidth(*ui, name, Type::kMonoSmall) + ui->Px(10.0F)), height);
    const Rgb color = ColorOfHead(head, heads, ui->state.theme);
    const bool is_hidden = look.hidden.contains(head);
    const std::string tooltip = fmt::format("{}: a click {} its lines",
                                            HeadName({selected.layer, head, selected.part}),
                                            is_hidden ? "shows" : "hides");
    const Pressed chip = Area(ui, "head of lines", static_cast<int>(head), rect, tooltip);
    if (is_hidden) {
      FrameRect(*ui, rect, color, 5.0F);
    } else {
      FillRect(*ui, rect, color, 5.0F);
    }
    if (head == selected.head) {
      FrameRect(*ui, Inset(rect, -ui->Px(2.0F), -ui->Px(2.0F)), ui->colors().text, 6.0F);
    }
    Row(ui, rect).TextMiddle(
        name, Type::kMonoSmall, is_hidden ? ui->colors().muted : ReadableOn(*ui, color));
    if (chip.clicked) {
      HeadLook next = look;
      is_hidden ? static_cast<void>(next.hidden.erase(head))
                : static_cast<void>(next.hidden.insert(head));
      ui->Do(SetHeadLook{std::move(next)});
    }
  }
  std::set<std::int64_t> others;
  for (std::int64_t head = 0; head < heads; ++head) {
    if (head != selected.head) {
      others.insert(head);
    }
  }
  if (!look.hidden.empty()) {
    button("all heads of lines",
           {.text = "all",
            .tooltip = "Show every head of the layer",
            .type = Type::kSmall,
            .bare = true},
           {});
  } else if (heads > 1) {
    button("selected head of lines",
           {.text = "only the selected",
            .tooltip = "Hide every head but the selected one",
            .type = Type::kSmall,
            .bare = true},
           std::move(others));
  }
}

// A row of controls that begins where the pen does.
Rect FlowArea(const Pen& pen) {
  const float pad = pen.ui->Px(14.0F);  // of a Flow
  return {pen.x - pad, pen.y, pen.width + 2.0F * pad, 0.0F};
}

}  // namespace

float DrawViewChoice(Pen* pen) {
  Ui* const ui = pen->ui;
  const HeadLook& look = ui->state.head_look;
  const int pressed = Segments(ui,
                               "head view",
                               {pen->x, pen->y, SegmentsWidth(*ui, kShownViews), ui->Px(28.0F)},
                               kShownViews,
                               static_cast<int>(look.view));
  if (pressed >= 0) {
    HeadLook next = look;
    next.view = static_cast<HeadView>(pressed);
    ui->Do(SetHeadLook{std::move(next)});
  }
  pen->Skip(28.0F);
  return SegmentsWidth(*ui, kShownViews);
}

float LooksChoiceWidth(const Ui& ui) {
  return SegmentsWidth(ui, kLooks);
}

void DrawLooksChoice(Ui* ui, const Rect& place) {
  const HeadLook& look = ui->state.head_look;
  const int pressed = Segments(ui, "looks", place, kLooks, look.by_key ? 1 : 0);
  if (pressed >= 0) {
    HeadLook next = look;
    next.by_key = pressed == 1;
    ui->memory->points_at_key = next.by_key;
    ui->Do(SetHeadLook{std::move(next)});
  }
}

namespace {

void DrawHeadsChoice(Ui* ui, Flow* flow) {
  const HeadLook& look = ui->state.head_look;
  if (const int pressed = flow->Segments("heads of lines", kHeads, static_cast<int>(look.heads));
      pressed >= 0) {
    HeadLook next = look;
    next.heads = static_cast<LineHeads>(pressed);
    ui->Do(SetHeadLook{std::move(next)});
  }
}

void DrawChipsBelow(Pen* pen, const HeadPanel& panel) {
  if (pen->ui->state.head_look.heads == LineHeads::kSeveral && panel.full.map.layer != nullptr) {
    Flow chips(pen->ui, FlowArea(*pen));
    DrawHeadChips(&chips, pen->ui);
    pen->y += chips.height();
  }
}

}  // namespace

void DrawHeadTools(Pen* pen, const HeadPanel& panel) {
  Flow flow(pen->ui, FlowArea(*pen));
  DrawHeadsChoice(pen->ui, &flow);
  const Rect looks = flow.Next(LooksChoiceWidth(*pen->ui), pen->ui->Px(28.0F));
  DrawLooksChoice(pen->ui, looks);
  pen->y += flow.height();
  DrawChipsBelow(pen, panel);
}

void DrawKeepTools(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const HeadLook& look = ui->state.head_look;
  Flow flow(ui, FlowArea(*pen));
  DrawHeadsChoice(ui, &flow);
  const auto mass = std::ranges::find(kMasses, look.keep.mass, &Mass::mass);
  if (const int pressed = flow.Segments(
          "mass of lines", ChoicesOf(kMasses), static_cast<int>(mass - kMasses.begin()));
      pressed >= 0) {
    HeadLook next = look;
    next.keep.mass = kMasses.at(static_cast<std::size_t>(pressed)).mass;
    ui->Do(SetHeadLook{std::move(next)});
  }
  const auto top = std::ranges::find(kTops, look.keep.per_row, &Top::count);
  if (const int pressed =
          flow.Segments("lines of a row", ChoicesOf(kTops), static_cast<int>(top - kTops.begin()));
      pressed >= 0) {
    HeadLook next = look;
    next.keep.per_row = kTops.at(static_cast<std::size_t>(pressed)).count;
    ui->Do(SetHeadLook{std::move(next)});
  }
  pen->y += flow.height();
  DrawChipsBelow(pen, panel);
}

ShownWeights WeightsInView(Ui* ui, const HeadPanel& panel) {
  const AppState& state = ui->state;
  const MapView& map = panel.full.map;
  ShownWeights shown{.maps = MapsShown(state),
                     .inks = {},
                     .kept = KeptInView(state),
                     .of = LinesSubject::kAllRows,
                     .point = Within(state.selection.point, map.queries(), map.keys())};
  const bool is_one = state.head_look.heads == LineHeads::kOne;
  const HeadIndex selected = state.selection.head;
  for (const MapView& each : shown.maps) {
    shown.inks.push_back(
        {.color = is_one ? ui->colors().accent
                         : ColorOfHead(each.head, map.layer->shape().heads, state.theme),
         .scale = ScaleFor(state, {selected.layer, each.head, selected.part})});
  }
  if (shown.point) {
    const bool is_key = ui->memory->points_at_key && shown.point->key.has_value();
    const std::int64_t token = is_key ? *shown.point->key : shown.point->query;
    PointedWeights& made = ui->memory->pointed_weights;
    const KeepRule& rule = state.head_look.keep;
    if (made.maps != shown.maps || made.rule != rule || made.token != token ||
        made.is_key != is_key) {
      made = {
          .maps = shown.maps,
          .rule = rule,
          .token = token,
          .is_key = is_key,
          .kept = is_key ? KeepColumn(shown.maps, rule, token) : KeepRow(shown.maps, rule, token)};
    }
    shown.kept = &made.kept;
    shown.of = is_key ? LinesSubject::kColumn : LinesSubject::kRow;
  }
  return shown;
}

std::vector<bool> TokensOf(const ShownWeights& shown, bool queries, std::size_t count) {
  std::vector<bool> ends(count, shown.of == LinesSubject::kAllRows || shown.kept == nullptr);
  if (shown.kept != nullptr) {
    for (const KeptWeight& weight : shown.kept->weights) {
      ends[static_cast<std::size_t>(queries ? weight.query : weight.key)] = true;
    }
  }
  return ends;
}

void PlaceStrokes(Ui* ui, std::vector<Stroke> strokes, const Rect& clip, bool dimmed) {
  constexpr float kDimmed = 0.35F;
  if (dimmed) {
    for (Stroke& stroke : strokes) {
      stroke.alpha *= kDimmed;
    }
  }
  PlaceStrokes(ui, Panel::kDetail, std::move(strokes), clip, &ui->memory->strokes);
}

void PlaceStrokes(Ui* ui,
                  Panel panel,
                  std::vector<Stroke> strokes,
                  const Rect& clip,
                  std::shared_ptr<const std::vector<Stroke>>* kept) {
  if (*kept == nullptr || **kept != strokes) {
    *kept = std::make_shared<const std::vector<Stroke>>(std::move(strokes));
  }
  SceneRegion& region = ui->region(panel);
  region.strokes = *kept;
  region.strokes_clip = clip;
}

void PointAtWeight(Ui* ui,
                   const HeadPanel& panel,
                   const ShownWeights& shown,
                   const KeptWeight& weight,
                   bool clicked) {
  const MapPoint place{.query = weight.query, .key = weight.key};
  PointAt(ui, place);
  if (clicked) {
    ui->Do(ClickCell{place});
  }
  const MapView& map = shown.maps[static_cast<std::size_t>(weight.view)];
  std::vector<float> row(static_cast<std::size_t>(map.keys()));
  map.layer->Row(map.head, weight.query, row);
  auto lines = LinesOfCell({.query_tokens = *panel.full.query_tokens,
                            .key_tokens = *panel.full.key_tokens,
                            .map = map,
                            .row = row,
                            .query = weight.query},
                           {.query = weight.query, .key = weight.key});
  if (shown.maps.size() > 1) {
    const HeadIndex selected = ui->state.selection.head;
    lines.insert(lines.begin(),
                 {.text = HeadName({selected.layer, map.head, selected.part}),
                  .kind = CellLine::Kind::kTitle});
  }
  DrawCellLines(*ui, lines);
}

void DrawKeptWords(Pen* pen, const ShownWeights& shown) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const bool is_one = ui->state.head_look.heads == LineHeads::kOne;
  std::string words;
  if (shown.maps.empty()) {
    words = "Every head of this layer is hidden.";
  } else if (shown.kept == nullptr) {
    words = ui->state.kept.fault;  // or they are on their way: the status line says so
  } else {
    words = LinesWords(ui->state.head_look.keep, *shown.kept, shown.of);
  }
  // Two lines are kept free, so that what stands below does not jump from row to row.
  const float two = 2.0F * LineHeight(*ui, Type::kSmall);
  const float before = pen->y;
  pen->Small(words, colors.dim);
  pen->y = std::max(pen->y, before + two);
  pen->Skip(4.0F);
  DrawColourBar(pen,
                ScaleFor(ui->state, ui->state.selection.head),
                false,
                is_one ? colors.accent : colors.text);
}

}  // namespace headscope
