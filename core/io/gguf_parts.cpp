#include "core/io/gguf_parts.h"

#include <system_error>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/io/gguf.h"

namespace headscope {

std::optional<NumberedPart> PartOfName(std::string_view stem) {
  constexpr std::size_t kDigits = 5;
  constexpr std::string_view kOf = "-of-";
  constexpr std::size_t kEnding = 1 + kDigits + kOf.size() + kDigits;  // "-00002-of-00003"
  if (stem.size() <= kEnding) {
    return std::nullopt;
  }
  NumberedPart part{.name = stem.substr(0, stem.size() - kEnding)};
  const std::string_view ending = stem.substr(part.name.size());
  const auto number = [](std::string_view digits, std::int64_t* value) {
    *value = ParseAs<std::int64_t>(digits).value_or(0);
    return *value > 0;
  };
  const bool is_part = ending.front() == '-' && ending.substr(1 + kDigits).starts_with(kOf) &&
                       number(ending.substr(1, kDigits), &part.number) &&
                       number(ending.substr(kEnding - kDigits), &part.count) &&
                       part.number <= part.count;
  return is_part ? std::optional(part) : std::nullopt;
}

std::filesystem::path GgufPart(const std::filesystem::path& path, std::int64_t number) {
  const std::string stem = path.stem().string();
  const auto part = PartOfName(stem);
  return part ? path.parent_path() / fmt::format("{}-{:05}-of-{:05}{}",
                                                 part->name,
                                                 number,
                                                 part->count,
                                                 path.extension().string())
              : path;
}

std::filesystem::path FirstGgufPart(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path first = GgufPart(path, 1);
  return std::filesystem::exists(first, error) ? first : path;
}

bool IsGgufBesideModel(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  const auto parsed = file ? ParseGgufBytes(file->bytes(), path.string())
                           : Result<GgufContents>(PassOn(Error(file.error())));
  if (!parsed) {
    return path.filename().string().find("mmproj") != std::string::npos;
  }
  const auto type = parsed->metadata.String("general.type", "model");
  const auto architecture = parsed->metadata.String("general.architecture", "");
  return (type && *type != "model") || (architecture && *architecture == "clip");
}

}  // namespace headscope
