// Tables with a header: comma-separated values (RFC 4180), as spreadsheets write them.
//
// The separator is a comma, semicolon or tab, whichever comes first in the header. Fields may be
// quoted, with "" for a quote inside; lines end in LF or CRLF; a byte order mark may come first.
// Empty lines are skipped.
//
// Units    lines and columns from 1, columns in characters.
// Errors   kFormat, with line and column: an unclosed quote, a row whose number of fields differs
//          from the header's, a column name that occurs twice.
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
  std::vector<CsvRow> rows;  // each with as many fields as the header

  [[nodiscard]] std::optional<std::size_t> Column(std::string_view name) const;
};

[[nodiscard]] Result<CsvTable> ParseCsv(std::string_view text, const std::string& name);

// A field as it is written: quoted where it has to be.
[[nodiscard]] std::string CsvText(std::string_view field);

}  // namespace headscope
