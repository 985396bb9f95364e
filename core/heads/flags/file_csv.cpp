// Files of flags as tables.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/heads/flags/file.h"
#include "core/heads/flags/file_parts.h"
#include "core/heads/flags/json.h"
#include "core/heads/measure/head_name.h"
#include "core/io/csv_table.h"

namespace headscope {
namespace {

constexpr std::string_view kYes = "yes";

std::string RejectedText(const std::vector<RejectedRole>& rejected) {
  std::string text;
  for (const RejectedRole& one : rejected) {
    std::string reason = one.reason;
    std::ranges::replace(reason, '\n', ' ');
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", one.role, reason);
  }
  return text;
}

std::vector<RejectedRole> RejectedOf(std::string_view text) {
  std::vector<RejectedRole> rejected;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view reason = line.substr(std::min(colon + 1, line.size()));
    reason.remove_prefix(std::min(reason.find_first_not_of(' '), reason.size()));
    if (colon > 0) {
      rejected.push_back({std::string(line.substr(0, colon)), std::string(reason)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rejected;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      words.emplace_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return words;
}

// What a table says of a head, and of the file that it is of.
class FlagRowReader {
 public:
  FlagRowReader(const CsvTable& table, const std::string& name) : table_(table), name_(name) {}

  [[nodiscard]] std::string At(const CsvRow& row, std::string_view column) const {
    const auto place = table_.Column(column);
    return place ? row[*place].text : "";
  }

  [[nodiscard]] Result<HeadFlag> Flag(const CsvRow& row) const {
    const CsvField& head = row[*table_.Column("head")];
    const std::optional<HeadIndex> index = ParseHeadName(head.text);
    if (!index) {
      return FailAt(head, fmt::format("expected a head such as L5H1, found {}", Quoted(head.text)));
    }
    HeadFlag flag;
    flag.layer = index->layer;
    flag.head = index->head;
    flag.part = index->part;
    flag.role = At(row, "role");
    flag.colour = At(row, "colour");
    flag.note = At(row, "note");
    flag.evidence = At(row, "evidence");
    flag.author = At(row, "author");
    flag.date = At(row, "date");
    flag.rejected = RejectedOf(At(row, "rejected"));
    if (!flag.colour.empty() && !IsColour(flag.colour)) {
      return FailAt(
          row[*table_.Column("colour")],
          fmt::format("expected a colour such as #56B4E9, found {}", Quoted(flag.colour)));
    }
    return flag;
  }

  // The same in each row; empty where there is no such column.
  [[nodiscard]] Result<std::string> OfFile(std::string_view column) const {
    const auto place = table_.Column(column);
    if (!place || table_.rows.empty()) {
      return std::string();
    }
    const CsvField& first = table_.rows.front()[*place];
    for (const CsvRow& row : table_.rows) {
      if (row[*place].text != first.text) {
        return FailAt(row[*place],
                      fmt::format("expected the same {} in each row, found {} after {}",
                                  column,
                                  Quoted(row[*place].text),
                                  Quoted(first.text)));
      }
    }
    return first.text;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> FailAt(const CsvField& field,
                                             const std::string& words) const {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {}: {}", name_, PlaceWords(field.place), words));
  }

  const CsvTable& table_;
  const std::string& name_;
};

}  // namespace

std::string FlagFileCsv(const FlagFile& file) {
  std::string csv =
      "head,role,note,author,date,evidence,rejected,colour,model,fingerprint,scan,blind,id,from\n";
  for (const HeadFlag& flag : file.flags) {
    const std::array<std::string, 14> fields = {HeadName(HeadOf(flag)),
                                                flag.role,
                                                flag.note,
                                                flag.author,
                                                flag.date,
                                                flag.evidence,
                                                RejectedText(flag.rejected),
                                                flag.colour,
                                                file.model_name,
                                                file.model_fingerprint,
                                                file.scan,
                                                file.is_blind ? std::string(kYes) : "no",
                                                file.id,
                                                fmt::format("{}", fmt::join(file.from, " "))};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      csv += (i == 0 ? "" : ",") + CsvText(fields[i]);
    }
    csv += "\n";
  }
  return csv;
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
  const FlagRowReader reader(table, name);
  FlagFile file;
  std::string blind;
  std::string from;
  for (const auto& [column, member] : {std::pair("model", &file.model_name),
                                       std::pair("fingerprint", &file.model_fingerprint),
                                       std::pair("scan", &file.scan),
                                       std::pair("id", &file.id),
                                       std::pair("blind", &blind),
                                       std::pair("from", &from)}) {
    HEADSCOPE_TRY(auto value, reader.OfFile(column));
    *member = std::move(value);
  }
  file.is_blind = blind == kYes;
  file.from = Words(from);
  for (const CsvRow& row : table.rows) {
    HEADSCOPE_TRY(auto flag, reader.Flag(row));
    // Whose the file is: whoever flagged last in it.
    if (flag.date >= file.date && !flag.author.empty()) {
      file.author = flag.author;
      file.date = flag.date;
    }
    file.flags.push_back(std::move(flag));
    file.places.push_back(row[*table.Column("head")].place);
  }
  HEADSCOPE_TRY(SortFlags(name, &file));
  return file;
}

}  // namespace headscope
