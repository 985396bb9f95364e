// Files of flags as tables.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/heads/flags/fields.h"
#include "core/heads/flags/file.h"
#include "core/heads/flags/file_parts.h"
#include "core/heads/measure/head_name.h"
#include "core/io/csv_table.h"

namespace headscope {
namespace {

constexpr std::string_view kYes = "yes";

// The columns that follow "head", in the order in which they are written. Those of the file are the same in
// each row.
void EachFlagColumn(auto&& flag, const auto& visit) {
  visit("role", flag.role);
  visit("note", flag.note);
  visit("author", flag.author);
  visit("date", flag.date);
  visit("evidence", flag.evidence);
  visit("rejected", flag.rejected);
  visit("colour", flag.colour);
}

void EachFileColumn(auto&& file, const auto& visit) {
  visit("model", file.model_name);
  visit("fingerprint", file.model_fingerprint);
  visit("scan", file.scan);
  visit("blind", file.is_blind);
  visit("id", file.id);
  visit("from", file.from);
}

// TextOf makes the text of a CSV field, and Take reads it again.
std::string TextOf(const std::string& text) {
  return text;
}
std::string TextOf(bool value) {
  return std::string(value ? kYes : "no");
}
std::string TextOf(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}
std::string TextOf(const std::vector<RejectedRole>& rejected) {
  std::string text;
  for (const RejectedRole& one : rejected) {
    std::string reason = one.reason;
    std::ranges::replace(reason, '\n', ' ');
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", one.role, reason);
  }
  return text;
}

void Take(const std::string& text, std::string* to) {
  *to = text;
}
void Take(const std::string& text, bool* to) {
  *to = text == kYes;
}
void Take(const std::string& text, std::vector<std::string>* words) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      words->emplace_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
}

void Take(std::string_view text, std::vector<RejectedRole>* rejected) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view reason = line.substr(std::min(colon + 1, line.size()));
    reason.remove_prefix(std::min(reason.find_first_not_of(' '), reason.size()));
    if (colon > 0) {
      rejected->push_back({std::string(line.substr(0, colon)), std::string(reason)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string FlagFileCsv(const FlagFile& file) {
  std::string csv = "head";
  const auto add_name = [&](std::string_view column, auto&) { csv += fmt::format(",{}", column); };
  const auto add_value = [&](std::string_view, auto& value) {
    csv += "," + CsvText(TextOf(value));
  };
  EachFlagColumn(HeadFlag(), add_name);
  EachFileColumn(file, add_name);
  for (const HeadFlag& flag : file.flags) {
    csv += "\n" + CsvText(HeadName(HeadOf(flag)));
    EachFlagColumn(flag, add_value);
    EachFileColumn(file, add_value);
  }
  return csv + "\n";
}

Result<FlagFile> ParseFlagCsv(std::string_view text, const std::string& name) {
  HEADSCOPE_TRY(const auto table, ParseCsv(text, name));
  for (const char* const column : {"head", "role"}) {
    if (!table.Column(column)) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: line 1, column 1: expected a table of flags, whose header names "
                              "the columns head and role; found none that is called {}",
                              name,
                              column));
    }
  }
  const auto fail = [&name](const CsvField& field, const std::string& words) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {}: {}", name, PlaceWords(field.place), words));
  };
  FlagFile file;
  Status status;
  EachFileColumn(file, [&](std::string_view column, auto& member) {
    const auto place = table.Column(column);
    if (!place || table.rows.empty() || !status) {
      return;
    }
    const std::string& first = table.rows.front()[*place].text;
    const auto other = std::ranges::find_if(
        table.rows, [&](const CsvRow& row) { return row[*place].text != first; });
    if (other != table.rows.end()) {
      const CsvField& field = (*other)[*place];
      status = fail(field,
                    fmt::format("expected the same {} in each row, found {} after {}",
                                column,
                                Quoted(field.text),
                                Quoted(first)));
    }
    Take(first, &member);
  });
  HEADSCOPE_TRY(status);
  for (const CsvRow& row : table.rows) {
    const CsvField& head = row[*table.Column("head")];
    const std::optional<HeadIndex> index = ParseHeadName(head.text);
    if (!index) {
      return fail(head, fmt::format("expected a head such as L5H1, found {}", Quoted(head.text)));
    }
    HeadFlag flag{.layer = index->layer, .head = index->head, .part = index->part};
    EachFlagColumn(flag, [&](std::string_view column, auto& member) {
      if (const auto place = table.Column(column)) {
        Take(row[*place].text, &member);
      }
    });
    if (!flag.colour.empty() && !IsColour(flag.colour)) {
      return fail(row[*table.Column("colour")],
                  fmt::format("expected a colour such as #56B4E9, found {}", Quoted(flag.colour)));
    }
    // Whoever flagged last in the file is its author.
    if (flag.date >= file.date && !flag.author.empty()) {
      file.author = flag.author;
      file.date = flag.date;
    }
    file.flags.push_back(std::move(flag));
    file.places.push_back(head.place);
  }
  HEADSCOPE_TRY(SortFlags(name, &file));
  return file;
}

}  // namespace headscope
