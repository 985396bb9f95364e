#include "core/figure/figure_kind.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "core/figure/figure_format.h"
#include "core/figure/head_color.h"
#include "core/figure/map_scale.h"
#include "core/figure/theme.h"

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

Result<NamedHead> SubjectHead(const FigureSubject& subject) {
  const auto layer = LayerOf(subject);
  const std::int64_t head = subject.head.head;
  if (!layer || head < 0 || head >= (*layer)->shape().heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{} is asked for, which this model does not have", HeadName(subject.head)));
  }
  const FigureContext& context = subject.context;
  const ModelPart part = (*layer)->part();
  return NamedHead{.map = {.layer = *layer, .head = head},
                   .query_tokens = HasTargetQueries(part) ? context.target_tokens : context.tokens,
                   .key_tokens = HasTargetKeys(part)          ? context.target_tokens
                                 : context.key_tokens.empty() ? context.tokens
                                                              : context.key_tokens};
}

std::vector<std::string> NamesOrNumbers(std::vector<std::string> names, std::int64_t count) {
  if (std::ssize(names) != count) {
    names.clear();
    for (std::int64_t token = 0; token < count; ++token) {
      names.push_back(fmt::format("{}", token));
    }
  }
  return names;
}

Result<DrawnHeads> SubjectHeads(const FigureSubject& subject) {
  HEADSCOPE_TRY(const NamedHead selected, SubjectHead(subject));
  const FigureContext& context = subject.context;
  const std::shared_ptr<const LayerAttention>& layer = selected.map.layer;
  const std::int64_t all = layer->shape().heads;
  DrawnHeads drawn{.maps = {}, .inks = {}, .title = HeadName(subject.head)};
  for (const std::int64_t head : subject.heads) {
    if (head < 0 || head >= all) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("head {} is asked for, but the layer has heads 0 to {}", head, all - 1));
    }
    drawn.maps.push_back({layer, head});
  }
  if (drawn.maps.empty()) {
    drawn.maps = {selected.map};
  }
  const bool is_one = drawn.maps.size() == 1;
  for (const MapView& map : drawn.maps) {
    drawn.inks.push_back({.color = is_one ? ColorsOf(context.theme).accent
                                          : ColorOfHead(map.head, all, context.theme),
                          .scale = ScaleOfMap(context.scale, map, subject.layers)});
  }
  const HeadIndex first{layer->layer(), drawn.maps.front().head, layer->part()};
  drawn.title =
      is_one ? HeadName(first)
             : fmt::format(
                   "{}, {} heads", LayerWords({layer->part(), layer->layer()}), drawn.maps.size());
  return drawn;
}

std::vector<NamedInk> LegendOf(const DrawnHeads& heads) {
  std::vector<NamedInk> legend;
  for (std::size_t i = 0; i < heads.maps.size() && heads.maps.size() > 1; ++i) {
    const MapView& map = heads.maps[i];
    legend.push_back({.color = heads.inks[i].color,
                      .name = HeadName({map.layer->layer(), map.head, map.layer->part()})});
  }
  return legend;
}

}  // namespace headscope
