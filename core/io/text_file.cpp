#include "core/io/text_file.h"

#include <string_view>

#include <fmt/format.h>

#include "core/base/mapped_file.h"

namespace headscope {

Result<std::string> ReadTextFile(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  HEADSCOPE_TRY(file);
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (text.size() > kMaxTextFileBytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: {} bytes of text, at most {} are read; cut it into parts",
                            path.string(),
                            text.size(),
                            kMaxTextFileBytes));
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is UTF-16, expected UTF-8; save it as UTF-8", path.string()));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  // Editors end the last line; that end is not part of the text.
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

}  // namespace headscope
