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
struct TemplateItem {
  std::int32_t sequence = -1;     // -1: special tokens
  std::vector<std::int32_t> ids;  // of the special tokens
  std::int32_t segment = 0;
};

using Template = std::vector<TemplateItem>;

struct PostProcessor {
  Template single = {{.sequence = 0, .ids = {}, .segment = 0}};
  Template pair = {{.sequence = 0, .ids = {}, .segment = 0},
                   {.sequence = 1, .ids = {}, .segment = 1}};
};

// Around each text what its place asks for: first A last, and for a pair first A last, between,
// then B last. Empty ids put nothing there.
struct Surroundings {
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> last;
  std::vector<std::int32_t> between;  // before the second text
};

[[nodiscard]] PostProcessor Surround(const Surroundings& surroundings);

// TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel (which only trims offsets:
// nothing here), Sequence with one of them.
[[nodiscard]] Result<PostProcessor> ParsePostProcessor(const JsonObject& object);

}  // namespace headscope::text
