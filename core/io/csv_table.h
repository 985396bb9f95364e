// Tables with a header: comma-separated values (RFC 4180), as spreadsheets write them.
//
// Reads commas, semicolons or tabs, whichever comes first in the header; quotes around fields, with
// "" for a quote in them; LF and CRLF; with or without a byte order mark. Empty lines are skipped.
//
// Units    lines and columns from 1, columns in characters.
// Errors   kFormat: a quote that nothing closes, a row with another number of fields than the
//          header, a column that stands twice; with line and column.
// Threads  plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/text_place.h"

namespace headscope {

struct CsvField {
  std::string text;
  TextPlace place;
};
using CsvRow = std::vector<CsvField>;

struct CsvTable {
  CsvRow header;
  std::vector<CsvRow> rows;  // each as long as the header

  [[nodiscard]] std::optional<std::size_t> Column(std::string_view name) const;
};

[[nodiscard]] Result<CsvTable> ParseCsv(std::string_view text, const std::string& name);

// A field as it is written: quoted where it has to be.
[[nodiscard]] std::string CsvText(std::string_view field);

}  // namespace headscope
