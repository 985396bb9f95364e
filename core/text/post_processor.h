// Which special tokens go around a text, or around and between the two of a pair.
//
// Errors   parsing: kFormat, kUnsupported.
// Threads  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"

namespace headscope::text {

// A text of the pair (0 or 1), or special tokens.
struct TemplatePart {
  std::int32_t sequence = -1;     // -1: special tokens
  std::vector<std::int32_t> ids;  // of the special tokens
  std::int32_t segment = 0;
};

using Template = std::vector<TemplatePart>;

struct PostProcessor {
  Template single = {{.sequence = 0, .ids = {}, .segment = 0}};
  Template pair = {{.sequence = 0, .ids = {}, .segment = 0},
                   {.sequence = 1, .ids = {}, .segment = 1}};
};

// TemplateProcessing, ByteLevel (which only trims offsets: nothing here), Sequence of them.
[[nodiscard]] Result<PostProcessor> ParsePostProcessor(const JsonObject& object);

}  // namespace headscope::text
