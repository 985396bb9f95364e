// The kinds of figures, one file each in core/figure/kinds. The window and the command line find
// them here, and nowhere else.
//
// A new kind is one file there: NAME.cpp defines `const FigureKind kNameFigure` and what it makes,
// a Figure that it measures and draws itself or one of those that several share (token_map.h,
// map_rows.h).
//
// Errors   kInput (a head or layer that is not there), and those of core/figure/figure.h.
// Threads  any that may compute.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/compare/compared_pair.h"
#include "core/figure/figure.h"
#include "core/figure/figure_context.h"
#include "core/headcount/split.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

// What figures are of: in the window what is on screen, on the command line what was asked for.
enum class FigureOf {
  kHead,        // render --head
  kLayer,       // render --layer
  kAll,         // render --all: all heads of one part of the model
  kCounts,      // split
  kComparison,  // compare
  kPair         // two heads of a comparison: in the window alone
};

// Two heads of a comparison, of the layer of one number.
struct HeadsBeside {
  std::shared_ptr<const ComparedPair> of;
  std::int64_t layer = 0;
  std::int64_t a = 0;
  std::int64_t b = 0;
  bool by_hand = false;  // chosen by a person, in place of the matching
};

// What was computed, and what of it was chosen.
struct FigureSubject {
  // Of one part; ranges are measured over them.
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HeadIndex head;                             // or only its layer
  std::shared_ptr<const SplitResult> counts;  // of kCounts alone
  FigureContext context;
  std::shared_ptr<const Comparison> comparison = {};  // of kComparison and kPair alone
  std::shared_ptr<const HeadsBeside> beside = {};     // of kPair alone
  std::map<std::string, std::string> metadata = {};   // that files of numbers carry, where they can
};

// A file of numbers that a figure's subject is written as in place of a picture.
struct NumbersFormat {
  std::string_view ending;  // ".json"
  std::string_view name;    // "JSON"
  std::string_view start;   // what every such file holds from `start_at` on
  std::size_t start_at = 0;
  Status (*write)(const std::filesystem::path& path, const FigureSubject& subject) = nullptr;
};

inline constexpr std::string_view kPlainView = "heatmap";

struct FigureKind {
  FigureOf of = FigureOf::kHead;
  std::string_view view = kPlainView;  // --view: how it is shown
  Result<std::unique_ptr<Figure>> (*make)(const FigureSubject& subject) = nullptr;
  std::span<const NumbersFormat> numbers = {};
};

// Whether it is of two things side by side.
[[nodiscard]] inline bool IsOfTwo(const FigureKind& kind) {
  return kind.of == FigureOf::kComparison || kind.of == FigureOf::kPair;
}

// In the order of FigureOf; of each the plain view first.
[[nodiscard]] std::span<const FigureKind* const> AllFigureKinds();
// Null: there is none.
[[nodiscard]] const FigureKind* FindFigureKind(FigureOf of, std::string_view view = kPlainView);
// The views that there are of it: "heatmap", and what else.
[[nodiscard]] std::vector<std::string_view> ViewsOf(FigureOf of);

// By the ending; null: the kind is not written as such numbers.
[[nodiscard]] const NumbersFormat* NumbersFormatOf(const FigureKind& kind,
                                                   const std::filesystem::path& path);
// ".png or .pdf", and what numbers the kind is written as.
[[nodiscard]] std::string EndingsOf(const FigureKind& kind);

// Made, drawn and written, as core/figure/figure.h has it; or its numbers, by the path's ending.
[[nodiscard]] Status WriteFigure(const std::filesystem::path& path,
                                 const FigureKind& kind,
                                 const FigureSubject& subject,
                                 const std::stop_token& stop = {});

// The subject's layer of that number, as kinds look for it.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> LayerOf(const FigureSubject& subject);

}  // namespace headscope
