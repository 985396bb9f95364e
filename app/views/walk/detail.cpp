// The right part of the walk: the step in words, the numbers of one query and key, what each head
// adds, and the two ways side by side.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/state/walk/words.h"
#include "app/views/walk/panels.h"
#include "app/views/walk/picture.h"
#include "app/views/walk/strip.h"
#include "core/base/grouped.h"

namespace headscope {
namespace {

std::string Quoted(const std::shared_ptr<const Encoding>& tokens, std::int64_t index) {
  const std::string word = tokens != nullptr ? TokenWord(*tokens, index) : "";
  return word.empty() ? fmt::format("{}", index) : fmt::format("“{}”", word);
}

void DrawHeaderInWalkDetail(Pen* pen) {
  Ui* const ui = pen->ui;
  const float side = ui->Px(30.0F);
  const WalkStage stage = ui->state.walk.stage;
  Row row = pen->Line(30.0F);
  if (ui->layout.narrow) {
    if (Button(
            ui, "close sheet", row.Right(side), {.text = "×", .tooltip = "Close", .bare = true})) {
      ui->Do(ShowSheet{false});
    }
    row.SkipRight(6.0F);
  }
  const int now = static_cast<int>(stage);
  const auto go = [&](const char* id, const ButtonLook& look, int to) {
    if (Button(ui, id, row.Right(side), look)) {
      ui->Do(ShowStage{static_cast<WalkStage>(to)});
    }
  };
  go("next step",
     {.text = "→", .tooltip = "Next step (right arrow)", .enabled = now + 1 < kWalkStages},
     now + 1);
  row.SkipRight(6.0F);
  go("step before",
     {.text = "←", .tooltip = "Step before (left arrow)", .enabled = now > 0},
     now - 1);
  row.SkipRight(8.0F);
  row.Text(StageTitle(stage), Type::kTitle, ui->colors().text);
  pen->Skip(8.0F);
}

// How long each input's row of W_Q, W_K and W_V is.
void DrawUse(Pen* pen, const LayerWalk& walk) {
  const std::size_t inputs = walk.query.use.size();
  pen->Title(
      fmt::format("How much head {} uses each of the {} inputs", walk.head, inputs),
      "The length of the input's row in the head's W_Q, W_K and W_V: no bar is missing where "
      "nothing is cut.");
  const auto draw = [&](const char* id, const char* name, const std::vector<float>& use) {
    if (use.empty()) {
      return;
    }
    const auto [least, most] = std::ranges::minmax_element(use);
    pen->Text(fmt::format("{}  {} to {}",
                          name,
                          NumberText(static_cast<double>(*least)),
                          NumberText(static_cast<double>(*most))),
              Type::kMonoSmall,
              pen->ui->colors().muted,
              18.0F);
    const bool is_x = &use == &walk.query.use || !walk.has_own_keys;
    DrawStrip(pen,
              {.id = id,
               .count = use.size(),
               .value = [&use](std::size_t i) { return static_cast<double>(use[i]); },
               .tooltip =
                   [&](std::size_t i) {
                     std::string words = fmt::format("input {}: its row of {} has length {}",
                                                     i,
                                                     name,
                                                     NumberText(static_cast<double>(use[i])));
                     if (is_x && i < walk.input_sizes.size()) {
                       words += fmt::format("\nin X it is {} (root mean square over the tokens)",
                                            NumberText(static_cast<double>(walk.input_sizes[i])));
                     }
                     return words;
                   },
               .height = 40.0F});
  };
  draw("use of queries", "W_Q", walk.query.use);
  draw("use of keys", "W_K", walk.key.use);
  draw("use of values", "W_V", walk.value.use);
}

// One query and one key: the products of their columns, and what becomes of their sum.
void DrawCellSteps(Pen* pen, const WalkFrame& frame) {
  const LayerWalk& walk = *frame.walk;
  Ui* const ui = pen->ui;
  const std::vector<double> products = ProductsOf(walk, frame.row, frame.key);
  pen->Title(fmt::format("query {} · key {}",
                         NumberedToken(frame.query_tokens, frame.row),
                         NumberedToken(frame.key_tokens, frame.key)),
             fmt::format("the {} products of a column of the query and the same column of the key",
                         products.size()));
  DrawStrip(
      pen,
      {.id = "products",
       .count = products.size(),
       .value = [&products](std::size_t i) { return products[i]; },
       .tooltip =
           [&](std::size_t i) {
             const auto c = static_cast<std::int64_t>(i);
             return fmt::format(
                 "column {}: {} × {} = {}",
                 i,
                 NumberText(static_cast<double>(walk.query.used.At(frame.row - walk.first_row, c))),
                 NumberText(static_cast<double>(walk.key.used.At(frame.key, c))),
                 NumberText(products[i]));
           },
       .height = 72.0F,
       .is_signed = true});
  pen->Skip(4.0F);
  const ThemeColors& colors = ui->colors();
  for (const ScoreLine& step : ScoreLines(walk, frame.row, frame.key)) {
    Row row = pen->TopLine(20.0F);
    row.Cell(ui->Px(130.0F), step.name, Type::kMonoSmall, colors.muted);
    row.CellRight(ui->Px(84.0F), step.number, Type::kMonoSmall, colors.text);
    row.Skip(12.0F);
    row.Text(step.about, Type::kMonoSmall, colors.muted);
  }
}

// The values that the row takes most of.
void DrawBlend(Pen* pen, const WalkFrame& frame) {
  constexpr std::size_t kMost = 6;
  const LayerWalk& walk = *frame.walk;
  Ui* const ui = pen->ui;
  pen->Title(fmt::format("What {} takes", Quoted(frame.query_tokens, frame.row)),
             "weight × length of the value = length of what is taken");
  const std::int64_t keys = walk.shape.keys;
  std::vector<std::int64_t> order;
  for (std::int64_t key = 0; key < keys; ++key) {
    order.push_back(key);
  }
  const auto weight = [&](std::int64_t key) {
    return walk.weights.At(frame.row - walk.first_row, key);
  };
  const std::size_t shown = std::min(kMost, order.size());
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(shown),
                    order.end(),
                    [&](std::int64_t a, std::int64_t b) { return weight(a) > weight(b); });
  for (std::size_t i = 0; i < shown && weight(order[i]) > 0.0F; ++i) {
    double square = 0.0;
    for (std::int64_t c = 0; c < walk.shape.value_dim; ++c) {
      const auto value = static_cast<double>(walk.value.used.At(order[i], c));
      square += value * value;
    }
    const double length = std::sqrt(square);
    Row row = pen->TopLine(20.0F);
    row.Cell(ui->Px(160.0F),
             "key " + NumberedToken(frame.key_tokens, order[i]),
             Type::kSmall,
             ui->colors().text,
             10.0F);
    row.Text(fmt::format("{} × {} = {}",
                         NumberText(static_cast<double>(weight(order[i]))),
                         NumberText(length),
                         NumberText(length * static_cast<double>(weight(order[i])))),
             Type::kMonoSmall,
             ui->colors().muted);
  }
}

// A bar for each head; a click goes to that head.
void DrawAdded(Pen* pen, const WalkFrame& frame, bool with_directions) {
  const LayerWalk& walk = *frame.walk;
  Ui* const ui = pen->ui;
  pen->Title(
      fmt::format("What each head adds to {} through W_O", Quoted(frame.query_tokens, frame.row)),
      fmt::format("length of head_i W_O(i); head {} is lit, a click goes to another", walk.head));
  const auto heads = static_cast<std::size_t>(walk.shape.heads);
  const auto at = [&](const std::vector<float>& all, std::size_t head) {
    return static_cast<double>(all[walk.PlaceOf(static_cast<std::int64_t>(head), frame.row)]);
  };
  const auto words = [&](std::size_t head) {
    return fmt::format(
        "head {}: length {}\ncosine {:.3f} to the layer's output, {:.3f} to what "
        "head {} adds",
        head,
        NumberText(at(walk.lengths, head)),
        at(walk.along_output, head),
        at(walk.along_own, head),
        walk.head);
  };
  std::optional<std::size_t> clicked;
  const auto draw = [&](const char* id, const std::vector<float>& all, bool is_cosine) {
    const auto pressed = DrawStrip(pen,
                                   {.id = id,
                                    .count = heads,
                                    .value = [&](std::size_t head) { return at(all, head); },
                                    .tooltip = words,
                                    .largest = is_cosine ? 1.0 : 0.0,
                                    .height = is_cosine ? 48.0F : 64.0F,
                                    .chosen = static_cast<std::size_t>(walk.head),
                                    .is_signed = is_cosine});
    clicked = pressed ? pressed : clicked;
  };
  draw("added by heads", walk.lengths, false);
  const float each = pen->width / static_cast<float>(heads);
  const float name = TextWidth(*ui, fmt::format("H{}", heads - 1), Type::kMonoSmall) + ui->Px(6.0F);
  const auto every = static_cast<std::size_t>(std::max(1.0F, std::ceil(name / each)));
  for (std::size_t head = 0; head < heads; head += every) {
    const std::string label = fmt::format("H{}", head);
    const float width = TextWidth(*ui, label, Type::kMonoSmall);
    DrawText(*ui,
             pen->x + each * (static_cast<float>(head) + 0.5F) - width / 2.0F,
             pen->y,
             label,
             Type::kMonoSmall,
             static_cast<std::int64_t>(head) == walk.head ? ui->colors().text : ui->colors().dim);
  }
  pen->Skip(20.0F);
  if (with_directions) {
    const Rgb muted = ui->colors().muted;
    pen->Text("cosine of its angle to the layer's output, -1 to 1", Type::kSmall, muted, 20.0F);
    draw("along output", walk.along_output, true);
    pen->Text(fmt::format("cosine of its angle to what head {} adds, -1 to 1", walk.head),
              Type::kSmall,
              muted,
              20.0F);
    draw("along head", walk.along_own, true);
  }
  if (clicked && static_cast<std::int64_t>(*clicked) != walk.head && !frame.stale) {
    ui->Do(ClickHead{{walk.layer.layer, static_cast<std::int64_t>(*clicked), walk.layer.part}});
  }
}

WalkStage StageOfLine(std::string_view name) {
  return name == "read"          ? WalkStage::kWidth
         : name == "attend"      ? WalkStage::kAttend
         : name == "blend"       ? WalkStage::kBlend
         : name == "concatenate" ? WalkStage::kConcatenate
         : name == "mix"         ? WalkStage::kMix
                                 : WalkStage::kProject;
}

// Both ways may give the same numbers to the last digit.
std::string DifferenceText(double difference) {
  return difference == 0.0 ? "0" : fmt::format("{:.1e}", difference);
}

void DrawWay(Row row, const Ui& ui, const WalkLine& told, Rgb name_color, Rgb color) {
  const float names = ui.Px(88.0F);
  const float room = std::max(ui.Px(40.0F), row.rest().width - names - ui.Px(76.0F));
  row.Cell(names, told.name, Type::kSmall, name_color, 8.0F);
  row.Cell(room * 0.47F, told.stacked, Type::kMonoSmall, color, 8.0F);
  row.Cell(room * 0.53F, told.by_head, Type::kMonoSmall, color, 8.0F);
  if (told.difference) {
    row.TextRight(DifferenceText(*told.difference), Type::kMonoSmall, color);
  }
}

void DrawTwoWays(Pen* pen, const WalkFrame& frame) {
  const LayerWalk& walk = *frame.walk;
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const bool is_part = walk.rows < walk.shape.queries;
  pen->Title("Two ways, one result",
             std::string("All heads in one product, and one head after another: both were "
                         "computed, the last column is their largest difference") +
                 (is_part ? ", of the rows drawn." : "."));
  const auto draw = [&](const WalkLine& told, Rgb name_color, Rgb color) {
    DrawWay(pen->TopLine(20.0F), *ui, told, name_color, color);
  };
  draw({"", "stacked", "head by head"}, colors.dim, colors.dim);
  int index = 0;
  for (const WalkLine& told : walk.lines) {
    const Rgb color = StageOfLine(told.name) == frame.stage ? colors.text : colors.muted;
    Area(ui,
         "way",
         index++,
         {pen->x, pen->y, pen->width, ui->Px(20.0F)},
         fmt::format("stacked: {}\nhead by head: {}", told.stacked, told.by_head));
    draw(told, color, color);
  }
  draw({"parameters", Grouped(walk.stacked_parameters), Grouped(walk.by_head_parameters)},
       colors.muted,
       colors.muted);
  draw({"difference", DifferenceText(walk.difference) + " at most", ""},
       colors.muted,
       colors.accent);
}

}  // namespace

void DrawWalkDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  const LayerWalk* const walk = WalkInView(ui->state);
  if (panel.width <= 0.0F) {
    return;
  }
  const float pad = ui->Px(18.0F);
  BeginScroll("walk detail", panel);
  const float scroll = ImGui::GetScrollY();
  Pen pen{.ui = ui,
          .x = panel.x + pad,
          .y = panel.y + ui->Px(14.0F) - scroll,
          .width = panel.width - 2.0F * pad};
  DrawHeaderInWalkDetail(&pen);
  if (walk != nullptr && WhyNoWalk(ui->state).empty()) {
    const WalkFrame frame = WalkFrameOf(ui->state, *walk);
    const std::string token =
        frame.query_tokens != nullptr ? TokenWord(*frame.query_tokens, frame.row) : "";
    pen.Paragraph(
        StageWords(*walk, frame.stage, frame.row, token), Type::kBody, ui->colors().muted);
    pen.Skip(8.0F);
    if (frame.stage == WalkStage::kWidth || frame.stage == WalkStage::kProject) {
      DrawUse(&pen, *walk);
    }
    if (frame.stage == WalkStage::kAttend) {
      DrawCellSteps(&pen, frame);
    }
    if (frame.stage == WalkStage::kBlend) {
      DrawBlend(&pen, frame);
    }
    if (frame.stage >= WalkStage::kAttend) {
      DrawAdded(&pen, frame, frame.stage == WalkStage::kMix);
    }
    DrawTwoWays(&pen, frame);
  }
  ImGui::SetCursorScreenPos({panel.x, pen.y});
  ImGui::Dummy({1.0F, ui->Px(8.0F)});
  EndScroll();
}

}  // namespace headscope
