#include "core/io/annotated_text.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/io/annotated_lines.h"

namespace headscope {
namespace {

using Parse = Result<AnnotatedText> (*)(std::string_view,
                                        const std::string&,
                                        const std::stop_token&);

// Decides by the first line that is neither empty nor a comment.
Parse KindOf(std::string_view bytes) {
  annotated::LineCutter lines(bytes);
  while (const std::optional<annotated::Line> line = lines.Next()) {
    if (annotated::IsBlank(line->text) || line->text.starts_with('#')) {
      continue;
    }
    if (line->text.starts_with("ID\tText\tPronoun\t")) {
      return ParseGap;
    }
    if (line->text.find(']', std::min(line->text.find('['), line->text.size())) !=
        std::string_view::npos) {
      return ParseWinoBias;
    }
    const std::string_view first = line->text.substr(0, line->text.find('\t'));
    const bool is_row = first.size() < line->text.size() && !first.empty() &&
                        first.find_first_not_of("0123456789-.") == std::string_view::npos;
    return is_row ? ParseConllu : nullptr;
  }
  return nullptr;
}

}  // namespace

Result<AnnotatedText> ReadAnnotatedText(const std::filesystem::path& path,
                                        const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto file, MappedFile::Open(path));
  const std::string_view bytes = file.text();
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: line 1, column 1: is UTF-16, expected UTF-8; save it as UTF-8",
                            path.string()));
  }
  const Parse parse = path.extension() == ".conllu" ? ParseConllu
                      : path.extension() == ".tsv"  ? ParseGap
                                                    : KindOf(bytes);
  if (parse == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected annotated sentences (CoNLL-U, GAP's table or WinoBias' "
                            "lines), found another text",
                            path.string()));
  }
  return parse(bytes, path.string(), stop);
}

}  // namespace headscope
