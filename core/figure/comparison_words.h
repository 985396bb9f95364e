// What every figure of a comparison says.
//
// Threads  plain functions; what writes, any that may wait for a disk.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/compare/comparison.h"
#include "core/figure/figure_context.h"
#include "core/figure/figure_kind.h"

namespace headscope {

// With title, both models, the text, the convention and what the numbers are.
[[nodiscard]] FigurePage ComparisonPage(const FigureContext& context,
                                        const Comparison& comparison,
                                        std::string_view convention);

// As core/compare/compare_export.h writes them. kInput: there is no comparison.
[[nodiscard]] Status WriteComparisonNumbers(const std::filesystem::path& path,
                                            const FigureSubject& subject);
inline constexpr std::array<NumbersFormat, 2> kComparisonNumbers = {{
    {.ending = ".json", .name = "JSON", .start = "{\n  \"a\": ", .write = WriteComparisonNumbers},
    // Eight bytes say how long the header is, which begins with the metadata.
    {.ending = ".safetensors",
     .name = "safetensors",
     .start = R"({"__metadata__":{"a":")",
     .start_at = 8,
     .write = WriteComparisonNumbers},
}};

// "0.0123", short enough for a label.
[[nodiscard]] std::string ShortDivergence(double nats);

}  // namespace headscope
