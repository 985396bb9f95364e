#include "core/io/csv_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr std::string_view kCsvTableByteOrderMark = "\xEF\xBB\xBF";

// Walks through a text and tracks its position.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with(kCsvTableByteOrderMark)) {
      text_.remove_prefix(kCsvTableByteOrderMark.size());
    }
    const std::size_t separator = text_.find_first_of(",;\t\n");
    if (separator != std::string_view::npos && text_[separator] != '\n') {
      separator_ = text_[separator];
    }
  }

  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }

  Result<CsvRow> Row() {
    CsvRow row;
    while (true) {
      HEADSCOPE_TRY(auto field, Field());
      row.push_back(std::move(field));
      if (is_at_end() || text_[at_] != separator_) {
        break;
      }
      Step();
    }
    if (!is_at_end() && text_[at_] == '\r') {
      Step();
    }
    if (!is_at_end()) {
      Step();  // the end of the line
    }
    return row;
  }

 private:
  void Step() {
    const bool is_end = text_[at_] == '\n';
    const bool is_inside = !StartsCharacter(text_[at_]);
    ++at_;
    place_.line += is_end ? 1 : 0;
    place_.column = is_end ? 1 : place_.column + (is_inside ? 0 : 1);
  }

  [[nodiscard]] bool EndsField() const {
    return is_at_end() || text_[at_] == separator_ || text_[at_] == '\n' ||
           text_.substr(at_).starts_with("\r\n");
  }

  Result<CsvField> Field() {
    CsvField field{.text = {}, .place = place_};
    if (is_at_end() || text_[at_] != '"') {
      while (!EndsField()) {
        field.text += text_[at_];
        Step();
      }
      return field;
    }
    Step();
    while (true) {
      if (is_at_end()) {
        return Fail(ErrorCode::kFormat,
                    fmt::format("{}: {}: expected a field that ends with a quote, found the end of "
                                "the file; is the file whole?",
                                name_,
                                PlaceWords(field.place)));
      }
      if (text_[at_] == '"') {
        Step();
        if (is_at_end() || text_[at_] != '"') {
          break;
        }
      }
      field.text += text_[at_];
      Step();
    }
    if (!EndsField()) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {}: expected the end of the field after its quote, found other "
                              "characters; a quote within a field is written twice",
                              name_,
                              PlaceWords(place_)));
    }
    return field;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  TextPlace place_;
  char separator_ = ',';
};

}  // namespace

std::optional<std::size_t> CsvTable::Column(std::string_view name) const {
  const auto found = std::ranges::find(header, name, &CsvField::text);
  return found != header.end() ? std::optional(static_cast<std::size_t>(found - header.begin()))
                               : std::nullopt;
}

Result<CsvTable> ParseCsv(std::string_view text, const std::string& name) {
  CsvReader reader(text, name);
  CsvTable table;
  while (!reader.is_at_end()) {
    HEADSCOPE_TRY(auto row, reader.Row());
    if (row.size() == 1 && row.front().text.empty()) {
      continue;
    }
    if (table.header.empty()) {
      for (auto field = row.begin(); field != row.end(); ++field) {
        if (std::ranges::find(row.begin(), field, field->text, &CsvField::text) != field) {
          return Fail(ErrorCode::kFormat,
                      fmt::format("{}: {}: the column {} stands twice; name each column once",
                                  name,
                                  PlaceWords(field->place),
                                  Quoted(field->text)));
        }
      }
      table.header = std::move(row);
      continue;
    }
    if (row.size() != table.header.size()) {
      const CsvField& where =
          row.size() > table.header.size() ? row[table.header.size()] : row.back();
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {}: expected {} as the header has, found {}",
                              name,
                              PlaceWords(where.place),
                              Counted(table.header.size(), "field"),
                              row.size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string CsvText(std::string_view field) {
  const bool is_plain = field.find_first_of(",;\t\"\r\n") == std::string_view::npos;
  if (is_plain) {
    return std::string(field);
  }
  std::string quoted = "\"";
  for (const char c : field) {
    quoted += c;
    quoted += c == '"' ? "\"" : "";
  }
  return quoted + "\"";
}

}  // namespace headscope
