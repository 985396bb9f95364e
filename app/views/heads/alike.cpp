// In the panel of a head: the heads that it has to do with, each a click away. Those that look as it
// does here, and those that it reads or that read it by the weights.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/patching.h"
#include "app/state/heads/partner_words.h"
#include "app/state/queries.h"
#include "app/views/cause_links.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

constexpr float kKinLine = 20.0F;  // unscaled
constexpr std::size_t kMostPartners = 4;

HeadInput InputOf(CompositionWay way) {
  switch (way) {
    case CompositionWay::kKeys:
      return HeadInput::kKeys;
    case CompositionWay::kQueries:
      return HeadInput::kQueries;
    case CompositionWay::kValues:
      break;
  }
  return HeadInput::kValues;
}

// Bar: how much is read; line: random weights.
void DrawPartner(Ui* ui,
                 const Rect& place,
                 const CompositionPartner& partner,
                 bool reads_it,
                 const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  Row cells(ui, place);
  const HeadIndex own = ui->state.selection.head;
  const HeadReading to{reads_it ? partner.head : own, InputOf(partner.way)};
  DrawPathLink(&cells, reads_it ? own : partner.head, to, "Patch this path");
  const Rect row = cells.rest();
  const Pressed pressed =
      Area(ui, "partner", row, PartnerWords(partner, ui->state.selection.head, reads_it));
  if (pressed.hovered) {
    FillRect(*ui,
             {row.x - ui->Px(6.0F), row.y, row.width + ui->Px(12.0F), row.height},
             colors.raised,
             5.0F);
  }
  if (pressed.clicked) {
    ui->Do(ClickHead{partner.head});
  }
  cells.Cell(ui->Px(64.0F), HeadName(partner.head), Type::kMonoSmall, colors.accent, 6.0F);
  cells.Cell(ui->Px(60.0F), WayName(partner.way), Type::kSmall, colors.muted, 6.0F);
  const auto part = [](double share) { return static_cast<float>(std::clamp(share, 0.0, 1.0)); };
  DrawMeter(*ui,
            cells.Left(ui->Px(80.0F)),
            {.to = part(partner.share),
             .color = colors.accent,
             .track = colors.background,
             .line = part(partner.random_mean)});
  cells.Skip(10.0F);
  cells.Cell(ui->Px(110.0F),
             fmt::format("{:.2f}  {}", partner.share, SigmaText(partner)),
             Type::kMonoSmall,
             colors.text,
             6.0F);
  const auto& roles = frame.suggestions.Of(partner.head);
  const HeadFlag* const flag = FindFlag(FlagsInView(ui->state), partner.head);
  if (flag != nullptr || !roles.empty()) {
    const float dot = cells.Left(ui->Px(14.0F)).x + ui->Px(5.0F);
    DrawRoleDot(*ui, dot, row.y + row.height / 2.0F, partner.head, frame.suggestions);
    cells.Text(flag != nullptr ? flag->role : roles.front()->role, Type::kSmall, colors.muted);
  }
}

void DrawPartnerRows(Pen* pen,
                     const std::vector<CompositionPartner>& all,
                     bool reads_it,
                     const HeadsFrame& frame) {
  if (all.empty()) {
    return;  // the first layer, or the last
  }
  const auto shown = ShownPartners(all, frame.suggestions, kMostPartners);
  std::string words = reads_it ? "is read by" : "reads what these write";
  words += shown.empty() ? ": none clear of random weights" : "";
  pen->Line(kKinLine).Text(words, Type::kSmall, pen->ui->colors().dim);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::PushID(reads_it ? 1 : 0);
    DrawPartner(pen->ui, pen->Take(pen->ui->Px(kKinLine)), *shown[i], reads_it, frame);
    ImGui::PopID();
    ImGui::PopID();
  }
  pen->Skip(4.0F);
}

}  // namespace

void DrawAlike(Pen* pen) {
  Ui* const ui = pen->ui;
  const AlikeState* const alike = AlikeInView(ui->state);
  if (alike == nullptr || alike->answer.empty()) {
    return;
  }
  pen->Heading("Most alike", "this text; mean divergence of the rows", kKinLine);
  pen->Skip(6.0F);
  Row row = pen->Line(26.0F);
  for (const AlikeHead& other : alike->answer) {
    const std::string name = fmt::format("{} {:.2f}", HeadName(other.head), other.divergence);
    const ButtonLook look{.text = name,
                          .tooltip =
                              "Jensen-Shannon divergence from this head's rows, in nats: 0 "
                              "where they look alike, 0.693 at most. Click goes there.",
                          .type = Type::kSmall};
    if (ButtonWidth(*ui, look) > row.rest().width) {
      break;
    }
    if (row.Button(name.c_str(), look)) {
      ui->Do(ClickHead{other.head});
    }
    row.Skip(6.0F);
  }
}

void DrawPartners(Pen* pen, const HeadsFrame& frame) {
  const ThemeColors& colors = pen->ui->colors();
  const PartnersState* const found = PartnersInView(pen->ui->state);
  pen->Heading("Composition",
               found != nullptr ? "by the weights alone; line: random weights" : "after the scan",
               kKinLine);
  pen->Skip(2.0F);
  if (found != nullptr && found->answer == nullptr) {
    pen->Small(found->fault, colors.muted);
  } else if (found != nullptr) {
    const CompositionPartners& partners = *found->answer;
    if (partners.reads.empty() && partners.read_by.empty()) {
      pen->Small("The model has one layer: no head reads another.", colors.muted);
    }
    DrawPartnerRows(pen, partners.reads, false, frame);
    DrawPartnerRows(pen, partners.read_by, true, frame);
  }
  pen->Skip(10.0F);
}

}  // namespace headscope
