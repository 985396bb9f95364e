// Which heads of the selected count are kept, and what the layer's output loses without the others.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/heads_off.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"
#include "app/views/screens.h"
#include "core/base/counted.h"
#include "core/base/digits.h"

namespace headscope {
namespace {

constexpr float kChip = 26.0F;

void DrawChips(Pen* pen, const SplitCount& count, const std::vector<std::int64_t>& zeroed) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const float size = ui->Px(kChip);
  const float gap = ui->Px(4.0F);
  const auto columns =
      std::max<std::int64_t>(1, static_cast<std::int64_t>((pen->width + gap) / (size + gap)));
  const std::int64_t lines = (count.heads + columns - 1) / columns;
  const Rect whole = pen->Take(static_cast<float>(lines) * (size + gap));
  for (std::int64_t head = 0; head < count.heads; ++head) {
    const Rect chip{whole.x + static_cast<float>(head % columns) * (size + gap),
                    whole.y + static_cast<float>(head / columns) * (size + gap),
                    size,
                    size};
    const bool is_kept = std::ranges::count(zeroed, head) == 0;
    const Pressed pressed =
        Area(ui,
             "kept head",
             static_cast<int>(head),
             chip,
             fmt::format("Head {}: {}; a click changes it", head, is_kept ? "kept" : "writes 0"));
    if (is_kept) {
      FillRect(*ui, chip, pressed.hovered ? colors.raised : ChosenFill(*ui), 5.0F);
    }
    FrameRect(*ui, chip, is_kept ? colors.accent : colors.line, 5.0F);
    Row(ui, chip).TextMiddle(
        std::to_string(head), Type::kMonoSmall, is_kept ? colors.text : colors.dim);
    if (pressed.clicked) {
      std::vector<std::int64_t> now = zeroed;
      const auto place = std::ranges::lower_bound(now, head);
      if (is_kept) {
        now.insert(place, head);
      } else {
        now.erase(place);
      }
      ui->Do(ZeroHeads{count.heads, std::move(now)});
    }
  }
}

std::string LostWords(const KeptHeads& kept, const std::vector<std::int64_t>& zeroed) {
  if (zeroed.empty()) {
    return "All heads are kept. A click on one has it write 0 in place of its output.";
  }
  const auto without = std::ssize(zeroed);
  std::string words = fmt::format("Without {} of {} the layer's output changes by {}.",
                                  Counted(without, "head"),
                                  kept.heads,
                                  PercentOf(kept.Lost(zeroed)));
  if (without == kept.heads) {
    return words + " Only its bias is left.";
  }
  const OtherChoices others = LostByOthers(kept, without);
  return words + fmt::format(" Of {} as many heads: {} to {}, mean {}.",
                             others.is_all ? fmt::format("all {} choices of", others.choices)
                                           : fmt::format("{} drawn choices of", others.choices),
                             PercentOf(others.least),
                             PercentOf(others.most),
                             PercentOf(others.mean));
}

void DrawKeptButtons(Pen* pen,
                     const SplitResult& result,
                     const ChosenCount& chosen,
                     const std::vector<std::int64_t>& zeroed) {
  Ui* const ui = pen->ui;
  const SplitCount& count = result.counts[chosen.count];
  Row row = pen->Line(28.0F);
  if (row.Button("keep one",
                 {.text = fmt::format("Only head {}", chosen.head),
                  .tooltip = "Keeps the selected head alone",
                  .type = Type::kSmall})) {
    std::vector<std::int64_t> others;
    for (std::int64_t head = 0; head < count.heads; ++head) {
      if (head != chosen.head) {
        others.push_back(head);
      }
    }
    ui->Do(ZeroHeads{count.heads, std::move(others)});
  }
  row.Skip(6.0F);
  if (row.Button("keep all",
                 {.text = "All",
                  .tooltip = "Keeps every head",
                  .type = Type::kSmall,
                  .enabled = !zeroed.empty()})) {
    ui->Do(ZeroHeads{count.heads, {}});
  }
  if (!result.IsTrained(count) || zeroed.empty()) {
    return;
  }
  row.Skip(6.0F);
  const std::string why_not = WhyNoHeadsOff(ui->state);
  if (row.Button(
          "others off",
          {.text = "The text's loss, in Inspect",
           .tooltip = why_not.empty() ? "Takes the others away from the model: later layers, "
                                        "the next word and the loss follow"
                                      : std::string_view(why_not),
           .type = Type::kSmall,
           .enabled = why_not.empty()})) {
    const LayerAttention& layer = *ui->state.counts.source;
    TakeHeadsOff off;
    for (const std::int64_t head : zeroed) {
      off.heads.push_back({.layer = layer.layer(), .head = head, .part = layer.part()});
    }
    ui->Do(std::move(off));
    ui->Do(SetScreen{&ScreenNamed("inspect").kind});
  }
}

}  // namespace

void DrawKept(Pen* pen, const SplitResult& result, const ChosenCount& chosen) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const SplitCount& count = result.counts[chosen.count];
  pen->Text(fmt::format("Keep only some of the {}", Counted(count.heads, "head")),
            Type::kBold,
            colors.text,
            24.0F);
  if (!count.is_measured || !count.kept) {
    pen->Small(
        !count.is_measured
            ? "Being measured …"
            : fmt::format("Not told apart: for heads that share columns, more than {} heads, or a "
                          "layer of more than {} columns.",
                          kMostKeptHeads,
                          kMostKeptWidth),
        colors.muted);
    pen->Skip(14.0F);
    return;
  }
  const std::vector<std::int64_t> zeroed = ZeroedHeads(ui->state);
  DrawChips(pen, count, zeroed);
  pen->Skip(2.0F);
  pen->Small(LostWords(*count.kept, zeroed), colors.text);
  pen->Skip(6.0F);
  DrawKeptButtons(pen, result, chosen, zeroed);
  pen->Skip(6.0F);
  pen->Small(
      "The norm of what the others write over the norm of this count's whole output, of this "
      "text. It may pass 100 %: heads can cancel each other out.",
      colors.muted);
  pen->Skip(14.0F);
}

}  // namespace headscope
