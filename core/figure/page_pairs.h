// The maps of matched heads, for a page of a comparison: both sides on the same rows and columns, so
// that a cell of one is the same cell of the other.
//
// Units    weights have 16 bits: 0 to 1 in steps of 1/65534; 65535: masked, or not there.
// Errors   kCancelled.
// Cost     every row of every pair; the page takes three bytes for each cell of a side.
// Source   assets/page/page.html.
#pragma once

#include <string>

#include "core/compare/compared_pair.h"
#include "core/figure/color_scale.h"
#include "core/io/json_text.h"

namespace headscope {

// Adds "queries", "keys", "pairs" and "pair_weights"; each of "heads" that has a partner gets "pair", its
// place. Where that is more than `most` cells it adds nothing but a note that says so.
[[nodiscard]] Status AddPairsToPage(const ComparedPair& pair,
                                    const Comparison& comparison,
                                    const ColorScale& scale,
                                    std::int64_t most,
                                    nlohmann::ordered_json* json);

// Bytes as letters, for a page.
[[nodiscard]] std::string Base64Of(const void* bytes, std::size_t size);

}  // namespace headscope
