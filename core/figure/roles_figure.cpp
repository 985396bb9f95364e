#include "core/figure/roles_figure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/figure/page_layout.h"
#include "core/heads/flags/role.h"
#include "core/heads/scan/roles.h"

namespace headscope {
namespace {

class RolesLayout final : public PageLayout {
 public:
  RolesLayout(const FigurePage& page, const RolesContent& content, TextSetter* setter)
      : PageLayout(page, {.maps = {}}, setter), content_(content) {}

  Status Place() override {
    wide_ = page_.size_px - 2.0 * style_.margin;
    double tall = 0.0;
    blocks_.clear();
    for (const HeadsOfOneRole& role : content_.roles) {
      Block block;
      block.heads = setter_.Wrap(role.heads, style_.table, wide_ - Left());
      block.evidence = setter_.Wrap(role.evidence, style_.caption, wide_ - Left());
      block.height = Line() * static_cast<double>(1 + block.heads.size() + block.evidence.size()) +
                     12.0 * style_.unit;
      tall += block.height;
      blocks_.push_back(std::move(block));
    }
    const double around = HeadingHeight(wide_) + 8.0 * style_.unit + footer_.Layout(wide_, "");
    return SetSize(wide_, page_.size_px, std::ceil(tall + around + 2.0 * style_.margin));
  }

 private:
  struct Block {
    std::vector<std::string> heads;
    std::vector<std::string> evidence;
    double height = 0.0;
  };

  [[nodiscard]] double Left() const { return 18.0 * style_.unit; }
  [[nodiscard]] double Line() const { return std::ceil(1.45 * style_.caption.size_px); }

  double DrawLines(Canvas* canvas,
                   double x,
                   double y,
                   const std::vector<std::string>& lines,
                   const TextStyle& style,
                   Rgb color) const {
    for (const std::string& words : lines) {
      canvas->Text(x, y, words, style, color);
      y += Line();
    }
    return y;
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    const ThemeColors& colors = ColorsOf(page_.theme);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const HeadsOfOneRole& role = content_.roles[i];
      const double middle = setter_.Measure(role.role, style_.label).height / 2.0;
      canvas->Circle(
          x + 5.0 * style_.unit, y + middle, 5.0 * style_.unit, 0.0, RgbOf(role.rgb), 1.0);
      canvas->Text(x + Left(), y, role.role, style_.label, colors.text);
      double at =
          DrawLines(canvas, x + Left(), y + Line(), blocks_[i].heads, style_.table, colors.text);
      DrawLines(canvas, x + Left(), at, blocks_[i].evidence, style_.caption, colors.muted);
      y += blocks_[i].height;
    }
    return y + 8.0 * style_.unit;
  }

  const RolesContent& content_;
  double wide_ = 0.0;
  std::vector<Block> blocks_;
};

// "L1H3, L1H5; borderline: L0H2; flagged: L0H1"
std::string HeadsInWords(const std::vector<std::string>& strong,
                         const std::vector<std::string>& borderline,
                         const std::vector<std::string>& flagged) {
  std::string words = fmt::format("{}", fmt::join(strong, ", "));
  if (!borderline.empty()) {
    words +=
        fmt::format("{}borderline: {}", words.empty() ? "" : "; ", fmt::join(borderline, ", "));
  }
  if (!flagged.empty()) {
    words += fmt::format("{}flagged: {}", words.empty() ? "" : "; ", fmt::join(flagged, ", "));
  }
  return words;
}

// A head that holds a role for several relations is named once, where it is surest.
HeadsOfOneRole HeadsOf(const Role& role, const ShownScores& shown) {
  HeadsOfOneRole one{.rgb = role.rgb, .role = std::string(role.id), .heads = {}, .evidence = {}};
  std::vector<std::string> strong;
  std::vector<std::string> borderline;
  std::vector<std::string> flagged;
  if (shown.roles != nullptr) {
    for (const Suggestion* const found : AllSuggestions(*shown.roles)) {
      if (found->role != role.id || !shown.Shows(found->head) ||
          FindRejection(shown.flags, found->head, role.id) != nullptr) {
        continue;
      }
      const std::string name = HeadName(found->head);
      if (one.evidence.empty()) {
        one.evidence = fmt::format("{}: {}.", name, found->why);
      }
      const auto is_named = [&name](const std::vector<std::string>& names) {
        return std::ranges::find(names, name) != names.end();
      };
      if (!is_named(strong) && !is_named(borderline)) {
        (found->verdict == Verdict::kStrong ? strong : borderline).push_back(name);
      }
    }
  }
  for (const HeadFlag& flag : shown.flags.flags) {
    if (flag.role == role.id) {
      flagged.push_back(HeadName(HeadOf(flag)));
    }
  }
  one.heads = HeadsInWords(strong, borderline, flagged);
  return one;
}

}  // namespace

std::vector<HeadsOfOneRole> HeadsByRole(const ShownScores& shown) {
  std::vector<HeadsOfOneRole> roles;
  for (const Role& role : kRoles) {
    HeadsOfOneRole one = HeadsOf(role, shown);
    if (!one.heads.empty()) {
      roles.push_back(std::move(one));
    }
  }
  return roles;
}

template <>
std::unique_ptr<PageLayout> RolesFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<RolesLayout>(page(), content(), setter);
}
template class PageFigure<RolesContent>;

}  // namespace headscope
