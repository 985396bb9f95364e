#include "core/io/text_file.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/base/mapped_file.h"

namespace headscope {

Result<std::string> ReadTextFile(const std::filesystem::path& path, std::uint64_t most_bytes) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 && !error) {
    return std::string();
  }
  HEADSCOPE_TRY(const auto file, MappedFile::Open(path));
  std::string_view text = file.text();
  if (text.size() > most_bytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: {} bytes of text, at most {} MB are read; cut it into parts",
                            path.string(),
                            text.size(),
                            most_bytes >> 20U));
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is UTF-16, expected UTF-8; save it as UTF-8", path.string()));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  // Editors end the last line with a newline that is not part of the text.
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

}  // namespace headscope
