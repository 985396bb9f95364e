// Which special tokens go around a text, or around and between the two texts of a pair.
//
// Errors   parsing: kFormat, kUnsupported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"

namespace headscope::text {

// One of the texts (0 or 1), or special tokens.
struct TemplateItem {
  std::int32_t sequence = -1;     // -1: special tokens
  std::vector<std::int32_t> ids;  // ids of the special tokens
  std::int32_t segment = 0;
};

using Template = std::vector<TemplateItem>;

struct PostProcessor {
  Template single = {{.sequence = 0, .ids = {}, .segment = 0}};
  Template pair = {{.sequence = 0, .ids = {}, .segment = 0},
                   {.sequence = 1, .ids = {}, .segment = 1}};
};

// A single text becomes first A last; a pair becomes first A last, between B last. Each may be
// empty.
struct Surroundings {
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> last;
  std::vector<std::int32_t> between;  // before the second text
};

[[nodiscard]] PostProcessor Surround(const Surroundings& surroundings);

// Reads TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel (which only trims offsets,
// so it does nothing here), or a Sequence with one of them.
[[nodiscard]] Result<PostProcessor> ParsePostProcessor(const JsonObject& object);

}  // namespace headscope::text
