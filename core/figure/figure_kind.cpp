#include "core/figure/figure_kind.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "core/figure/figure_format.h"

#define HEADSCOPE_ENTRY(name) extern const FigureKind k##name##Figure;
namespace headscope {
#include "registry/figures.inc"
}
#undef HEADSCOPE_ENTRY

namespace headscope {

std::span<const FigureKind* const> AllFigureKinds() {
#define HEADSCOPE_ENTRY(name) &k##name##Figure,
  static const auto kKinds = [] {
    std::array all = {
#include "registry/figures.inc"
    };
    std::ranges::sort(all, {}, [](const FigureKind* kind) {
      return std::tuple(kind->of, kind->view != kPlainView, kind->view);
    });
    return all;
  }();
#undef HEADSCOPE_ENTRY
  return kKinds;
}

const FigureKind* FindFigureKind(FigureOf of, std::string_view view) {
  const auto kinds = AllFigureKinds();
  const auto found = std::ranges::find_if(
      kinds, [&](const FigureKind* kind) { return kind->of == of && kind->view == view; });
  return found == kinds.end() ? nullptr : *found;
}

std::vector<std::string_view> ViewsOf(FigureOf of) {
  std::vector<std::string_view> views;
  for (const FigureKind* kind : AllFigureKinds()) {
    if (kind->of == of) {
      views.push_back(kind->view);
    }
  }
  return views;
}

const NumbersFormat* NumbersFormatOf(const FigureKind& kind, const std::filesystem::path& path) {
  const auto found =
      std::ranges::find(kind.numbers, path.extension().string(), &NumbersFormat::ending);
  return found == kind.numbers.end() ? nullptr : &*found;
}

std::string EndingsOf(const FigureKind& kind) {
  std::vector<std::string_view> others;
  for (const NumbersFormat& format : kind.numbers) {
    others.push_back(format.ending);
  }
  return FigureEndings(others);
}

Status WriteFigure(const std::filesystem::path& path,
                   const FigureKind& kind,
                   const FigureSubject& subject,
                   const std::stop_token& stop) {
  if (const NumbersFormat* const format = NumbersFormatOf(kind, path)) {
    return format->write(path, subject);
  }
  HEADSCOPE_TRY(const auto figure, kind.make(subject));
  figure->SetLook(subject.context.look);
  return WriteFigure(path, figure.get(), stop);
}

Result<std::shared_ptr<const ShownScores>> ScoresOf(const FigureSubject& subject) {
  if (subject.scores == nullptr || !HasReport(*subject.scores)) {
    return Fail(ErrorCode::kInput, "there are no scores to draw");
  }
  return subject.scores;
}

Result<std::shared_ptr<const LayerAttention>> LayerOf(const FigureSubject& subject) {
  const auto found = std::ranges::find_if(subject.layers, [&](const auto& layer) {
    return layer != nullptr && layer->layer() == subject.head.layer;
  });
  if (found == subject.layers.end()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("layer {} is asked for, which this model does not have", subject.head.layer));
  }
  return *found;
}

}  // namespace headscope
