// What a part of a scan says first: what was asked.
//
// Errors   kFormat, kUnsupported (a newer format), naming the file.
// Source   core/heads/scan/part.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/heads/scan/part.h"
#include "core/io/json.h"

namespace headscope {

inline constexpr std::int64_t kMostCount = std::int64_t{1} << 53U;  // of rows, batches, sequences

// The file is no such part, or not whole.
[[nodiscard]] tl::unexpected<Error> Damaged(const std::string& name, std::string_view what);

[[nodiscard]] Result<ScanAbout> ReadAbout(const JsonObject& json);

}  // namespace headscope
