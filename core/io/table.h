// Tables that are written: with commas for programs, for LaTeX (booktabs), and as Markdown.
//
// A cell is words as people read them and, where it is a number, that number in full: only files with
// commas hold the latter.
//
// Threads  plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct TableCell {
  std::string words;
  std::optional<double> number = {};
};

struct TableColumn {
  std::string name;  // "best head"
  std::string key;   // the same for programs: "head"
  bool is_number = false;
};

struct Table {
  std::string title;    // a few words
  std::string caption;  // what its numbers are, in sentences
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;  // each as many cells as there are columns
};

// A header of keys, then a line a row. Words with a separator are quoted.
[[nodiscard]] std::string TableCsv(const Table& table);
// The same with tabs and names as people read them, for spreadsheets.
[[nodiscard]] std::string TableTabs(const Table& table);
// A table environment that needs the package booktabs; begins with kTexStart.
[[nodiscard]] std::string TableTex(const Table& table);
inline constexpr std::string_view kTexStart = "% needs \\usepackage{booktabs}";
// Begins with kMarkdownStart.
[[nodiscard]] std::string TableMarkdown(const Table& table);
inline constexpr std::string_view kMarkdownStart = "**";

}  // namespace headscope
