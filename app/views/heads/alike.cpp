// In the panel of a head: the heads that it has to do with, each a click away. Those that look as it
// does here, and those that it reads or that read it by the weights.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/partner_words.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kKinLine = 20.0F;  // unscaled
constexpr std::size_t kMostPartners = 4;

// Bar: how much is read; line: random weights.
void DrawPartner(Ui* ui,
                 const Rect& row,
                 const CompositionPartner& partner,
                 bool reads_it,
                 const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
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
  float x = row.x;
  const auto column = [&](const std::string& words, float unscaled, Type type, Rgb color) {
    const float width = ui->Px(unscaled);
    DrawTextIn(*ui, {x, row.y, width, row.height}, words, type, color, width - ui->Px(6.0F));
    x += width;
  };
  column(HeadName(partner.head), 64.0F, Type::kMonoSmall, colors.accent);
  column(std::string(WayName(partner.way)), 60.0F, Type::kSmall, colors.muted);
  const float bar = ui->Px(120.0F);
  const auto part = [](double share) { return static_cast<float>(std::clamp(share, 0.0, 1.0)); };
  DrawMeter(*ui,
            {x, row.y, bar, row.height},
            {.to = part(partner.share),
             .color = colors.accent,
             .track = colors.background,
             .line = part(partner.random_mean)});
  x += bar + ui->Px(10.0F);
  column(fmt::format("{:.2f}  {}", partner.share, SigmaText(partner)),
         110.0F,
         Type::kMonoSmall,
         colors.text);
  const auto& roles = frame.suggestions.Of(partner.head);
  const HeadFlag* const flag = FindFlag(FlagsInView(ui->state), partner.head);
  if (flag != nullptr || !roles.empty()) {
    DrawRoleDot(*ui, x + ui->Px(5.0F), row.y + row.height / 2.0F, partner.head, frame.suggestions);
    DrawTextIn(*ui,
               {x + ui->Px(14.0F), row.y, 0.0F, row.height},
               RoleLabel(flag != nullptr ? flag->role : roles.front()->role),
               Type::kSmall,
               colors.muted,
               std::max(ui->Px(20.0F), row.x + row.width - x - ui->Px(14.0F)));
  }
}

float DrawPartnerRows(Ui* ui,
                      float x,
                      float y,
                      float width,
                      const std::vector<CompositionPartner>& all,
                      bool reads_it,
                      const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kKinLine);
  if (all.empty()) {
    return 0.0F;  // the first layer, or the last
  }
  const auto shown = ShownPartners(all, frame.suggestions, kMostPartners);
  std::string words = reads_it ? "is read by" : "reads what these write";
  words += shown.empty() ? ": none clear of random weights" : "";
  DrawTextIn(*ui, {x, y, width, line}, words, Type::kSmall, colors.dim, width);
  float top = y + line;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::PushID(reads_it ? 1 : 0);
    DrawPartner(ui, {x, top, width, line}, *shown[i], reads_it, frame);
    ImGui::PopID();
    ImGui::PopID();
    top += line;
  }
  return top + ui->Px(4.0F) - y;
}

}  // namespace

float DrawAlike(Ui* ui, float x, float y, float width) {
  const AlikeState* const alike = AlikeInView(ui->state);
  if (alike == nullptr || alike->heads.empty()) {
    return 0.0F;
  }
  const float line = ui->Px(kKinLine);
  const float title =
      DrawTextIn(*ui, {x, y, width, line}, "Most alike", Type::kBold, ui->colors().text);
  DrawTextIn(*ui,
             {x + title + ui->Px(10.0F), y, 0.0F, line},
             "this text; mean divergence of the rows",
             Type::kSmall,
             ui->colors().dim,
             std::max(ui->Px(20.0F), width - title - ui->Px(10.0F)));
  const float top = y + line + ui->Px(6.0F);
  const float height = ui->Px(26.0F);
  float at = x;
  for (const AlikeHead& other : alike->heads) {
    const std::string name = fmt::format("{} {:.2f}", HeadName(other.head), other.divergence);
    const ButtonLook look{.text = name,
                          .tooltip =
                              "Jensen-Shannon divergence from this head's rows, in nats: 0 "
                              "where they look alike, 0.693 at most. Click goes there.",
                          .type = Type::kSmall};
    const float wide = ButtonWidth(*ui, look);
    if (at + wide > x + width) {
      break;
    }
    if (Button(ui, name.c_str(), {at, top, wide, height}, look)) {
      ui->Do(ClickHead{other.head});
    }
    at += wide + ui->Px(6.0F);
  }
  return top + height - y;
}

float DrawPartners(Ui* ui, float x, float y, float width, const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kKinLine);
  const PartnersState* const found = PartnersInView(ui->state);
  const float title = DrawTextIn(*ui, {x, y, width, line}, "Composition", Type::kBold, colors.text);
  DrawTextIn(*ui,
             {x + title + ui->Px(10.0F), y, 0.0F, line},
             found != nullptr ? "by the weights alone; line: random weights" : "after the scan",
             Type::kSmall,
             colors.dim,
             std::max(ui->Px(20.0F), width - title - ui->Px(10.0F)));
  float top = y + line + ui->Px(2.0F);
  if (found != nullptr && found->partners == nullptr) {
    top += DrawParagraph(*ui, x, top, width, found->fault, Type::kSmall, colors.muted);
  } else if (found != nullptr) {
    const CompositionPartners& partners = *found->partners;
    if (partners.reads.empty() && partners.read_by.empty()) {
      top += DrawParagraph(*ui,
                           x,
                           top,
                           width,
                           "The model has one layer: no head reads another.",
                           Type::kSmall,
                           colors.muted);
    }
    top += DrawPartnerRows(ui, x, top, width, partners.reads, false, frame);
    top += DrawPartnerRows(ui, x, top, width, partners.read_by, true, frame);
  }
  return top + ui->Px(10.0F) - y;
}

}  // namespace headscope
