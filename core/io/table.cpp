#include "core/io/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8.h"
#include "core/io/csv_table.h"

namespace headscope {
namespace {

std::string TexText(std::string_view words) {
  std::string tex;
  for (const auto& [begin, end, code] : Characters(words)) {
    switch (code) {
      case U'&':
      case U'%':
      case U'$':
      case U'#':
      case U'_':
      case U'{':
      case U'}':
        tex += fmt::format("\\{}", words[begin]);
        break;
      case U'~':
        tex += "\\textasciitilde{}";
        break;
      case U'^':
        tex += "\\textasciicircum{}";
        break;
      case U'\\':
        tex += "\\textbackslash{}";
        break;
      case U'<':
        tex += "$<$";
        break;
      case U'>':
        tex += "$>$";
        break;
      case U'\u2192':
        tex += "$\\rightarrow$";
        break;
      case U'\u00b1':
        tex += "$\\pm$";
        break;
      case U'\u00d7':
        tex += "$\\times$";
        break;
      case U'\u2013':
        tex += "--";
        break;
      case U'\u201c':
        tex += "``";
        break;
      case U'\u201d':
        tex += "''";
        break;
      case U'\n':
        tex += ' ';
        break;
      case kBadCharacter:
        tex += "?";
        break;
      default:
        tex += words.substr(begin, end - begin);
    }
  }
  return tex;
}

std::string MarkdownText(std::string_view words) {
  std::string text;
  for (const char letter : words) {
    if (letter == '|' || letter == '*' || letter == '_' || letter == '<' || letter == '\\' ||
        letter == '`') {
      text += '\\';
    }
    text += letter == '\n' ? ' ' : letter;
  }
  return text;
}

template <typename TextOf>
std::string JoinCells(const std::vector<TableCell>& row, std::string_view between, TextOf text) {
  std::string line;
  for (const TableCell& cell : row) {
    line += (&cell == &row.front() ? "" : std::string(between)) + text(cell.words);
  }
  return line;
}

std::vector<TableCell> NamesOf(const Table& table) {
  std::vector<TableCell> names;
  for (const TableColumn& column : table.columns) {
    names.push_back({column.name});
  }
  return names;
}

}  // namespace

std::string TableCsv(const Table& table) {
  std::string csv;
  for (const TableColumn& column : table.columns) {
    csv += (&column == &table.columns.front() ? "" : ",") + CsvText(column.key);
  }
  csv += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string words = table.columns[i].is_number ? "" : row[i].words;
      csv += i > 0 ? "," : "";
      csv += row[i].number ? fmt::format("{}", *row[i].number) : CsvText(words);
    }
    csv += "\n";
  }
  return csv;
}

std::string TableTabs(const Table& table) {
  std::string text;
  for (const TableColumn& column : table.columns) {
    text += (&column == &table.columns.front() ? "" : "\t") + column.name;
  }
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string words = row[i].number                ? fmt::format("{}", *row[i].number)
                          : table.columns[i].is_number ? std::string()
                                                       : row[i].words;
      std::ranges::replace_if(
          words, [](char letter) { return letter == '\t' || letter == '\n'; }, ' ');
      text += (i > 0 ? "\t" : "") + words;
    }
    text += "\n";
  }
  return text;
}

std::string TableTex(const Table& table) {
  std::string places;
  for (const TableColumn& column : table.columns) {
    places += column.is_number ? 'r' : 'l';
  }
  std::string tex = fmt::format(
      "{}\n\\begin{{table}}\n\\centering\n\\caption{{{}. {}}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n",
      kTexStart,
      TexText(table.title),
      TexText(table.caption),
      places);
  tex += JoinCells(NamesOf(table), " & ", TexText) + " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) {
    tex += JoinCells(row, " & ", TexText) + " \\\\\n";
  }
  return tex + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

std::string TableMarkdown(const Table& table) {
  std::string text = fmt::format("{}{}**\n\n", kMarkdownStart, MarkdownText(table.title));
  text += "| " + JoinCells(NamesOf(table), " | ", MarkdownText) + " |\n|";
  for (const TableColumn& column : table.columns) {
    text += column.is_number ? " ---: |" : " :--- |";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text += "| " + JoinCells(row, " | ", MarkdownText) + " |\n";
  }
  return text + "\n" + MarkdownText(table.caption) + "\n";
}

}  // namespace headscope
