// Tables of scores as files of numbers. For core/figure/kinds only.
//
// Errors   kIo.
// Threads  as core/base/atomic_file.h.
#pragma once

#include <array>

#include "core/base/atomic_file.h"
#include "core/figure/figure_kind.h"
#include "core/io/table.h"

namespace headscope {

// .csv, .tex and .md of the table that `TableOf` makes of a subject; `start`: how the first begins.
using TableOfSubject = Result<Table> (*)(const FigureSubject& subject);

template <TableOfSubject TableOf, std::string (*Text)(const Table& table)>
Status WriteTable(const std::filesystem::path& path, const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto table, TableOf(subject));
  return WriteFileAtomically(path, Text(table));
}

template <TableOfSubject TableOf>
constexpr std::array<NumbersFormat, 3> TableFormats(std::string_view start) {
  return {
      {{.ending = ".csv", .name = "CSV", .start = start, .write = WriteTable<TableOf, TableCsv>},
       {.ending = ".tex",
        .name = "LaTeX",
        .start = kTexStart,
        .write = WriteTable<TableOf, TableTex>},
       {.ending = ".md",
        .name = "Markdown",
        .start = kMarkdownStart,
        .write = WriteTable<TableOf, TableMarkdown>}}};
}

}  // namespace headscope
