#include "core/heads/flags/file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/digest.h"
#include "core/heads/flags/fields.h"
#include "core/heads/flags/file_parts.h"
#include "core/heads/measure/head_name.h"
#include "core/io/json.h"
#include "core/io/json_places.h"
#include "core/io/text_file.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFlagFileVersion = 1;
constexpr std::string_view kFlagFileVersionKey = "headscope_flags";
constexpr std::uint64_t kMostBytes = 16'000'000;

Json FlagsJson(const FlagFile& file) {
  Json flags = Json::array();
  for (const HeadFlag& flag : file.flags) {
    Json object = {{"name", HeadName(HeadOf(flag))}};
    object.update(FieldsToJson(flag));
    flags.push_back(std::move(object));
  }
  return flags;
}

Status CheckHead(const JsonObject& root, const FieldPlace& place) {
  if (!root.Has(kFlagFileVersionKey)) {
    const char* const what =
        root.Has("headscope_session") ? "a session; open it, and export its flags" : "other JSON";
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a file of flags with \"{}\", found {}",
                            place(""),
                            kFlagFileVersionKey,
                            what));
  }
  HEADSCOPE_TRY(const auto version,
                root.Integer(kFlagFileVersionKey, 1, std::numeric_limits<std::int64_t>::max()));
  if (version > kFlagFileVersion) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected flags of version {}, found version {}; open them with a "
                            "newer Headscope",
                            place(fmt::format("/{}", kFlagFileVersionKey)),
                            kFlagFileVersion,
                            version));
  }
  return {};
}

}  // namespace

void EachField(FieldsOf<FlagFile> auto& file, auto& visit) {
  visit("id", file.id);
  visit("from", file.from);
  visit("model_name", file.model_name);
  visit("model_fingerprint", file.model_fingerprint);
  visit("author", file.author);
  visit("date", file.date);
  visit("scan", file.scan);
  visit("blind", file.is_blind);
}

Status SortFlags(const std::string& name, FlagFile* file) {
  std::map<HeadIndex, std::size_t> order;
  for (std::size_t i = 0; i < file->flags.size(); ++i) {
    const HeadIndex head = HeadOf(file->flags[i]);
    const auto [at, is_first] = order.emplace(head, i);
    if (!is_first) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {}: {} stands here and in {}; a head has one flag",
                              name,
                              PlaceWords(file->places[i]),
                              HeadName(head),
                              PlaceWords(file->places[at->second])));
    }
  }
  std::vector<std::pair<HeadFlag, TextPlace>> sorted;
  for (std::size_t i = 0; i < file->flags.size(); ++i) {
    sorted.emplace_back(std::move(file->flags[i]), file->places[i]);
  }
  std::ranges::sort(sorted, {}, [](const auto& each) { return FlagOrder(each.first); });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    file->flags[i] = std::move(sorted[i].first);
    file->places[i] = sorted[i].second;
  }
  return {};
}

FlagFile WithId(FlagFile file) {
  // Files with equal flags have the same id.
  file.id = DigestOf(file.model_fingerprint + file.author + JsonText(FlagsJson(file)));
  return file;
}

std::string FlagFileJson(const FlagFile& file) {
  Json root = {{kFlagFileVersionKey, kFlagFileVersion}};
  FieldWriter writer(&root);
  EachField(file, writer);
  root["flags"] = FlagsJson(file);
  return JsonText(root, 2) + "\n";
}

Result<FlagFile> ParseFlagJson(std::string_view text, const std::string& name) {
  const JsonPlaces places(text);
  const FieldPlace place = [&](std::string_view path) {
    return fmt::format("{}: {}", name, PlaceWords(places.At(path)));
  };
  const Result<JsonDocument> document = JsonDocument::Parse(text, name);
  if (!document) {
    return Fail(document.error().code,
                fmt::format("{}: {}: expected JSON, found something else; is the file whole?",
                            name,
                            PlaceWords(places.fault().value_or(PlaceAt(text, text.size())))));
  }
  const std::optional<JsonObject> root = JsonObject::Of(document->root(), place(""));
  if (!root) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a file of flags, found other JSON", place("")));
  }
  HEADSCOPE_TRY(CheckHead(*root, place));
  FlagFile file;
  FieldReader reader(document->root(), place);
  EachField(file, reader);
  for (const JsonValue each : reader.Array("flags")) {
    const std::string path = fmt::format("/flags/{}", file.flags.size());
    HeadFlag& flag = file.flags.emplace_back();
    FieldReader fields(each, place, path);
    fields.Knows("name");  // for people; layer and head say the same
    EachField(flag, fields);
    HEADSCOPE_TRY(fields.status());
    if (flag.author.empty()) {
      flag.author = file.author;
    }
    file.places.push_back(places.At(path));
  }
  HEADSCOPE_TRY(reader.status());
  HEADSCOPE_TRY(SortFlags(name, &file));
  return file;
}

Status WriteFlagFile(const std::filesystem::path& path, const FlagFile& file) {
  const std::string ending = path.extension().string();
  if (ending != ".json" && ending != ".csv") {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: expected a name that ends in .json or .csv", path.string()));
  }
  return WriteFileAtomically(path, ending == ".csv" ? FlagFileCsv(file) : FlagFileJson(file));
}

Result<FlagFile> ReadFlagFile(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto text, ReadTextFile(path, kMostBytes));
  const std::string name = path.filename().string();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  return is_json || path.extension() == ".json" ? ParseFlagJson(text, name)
                                                : ParseFlagCsv(text, name);
}

bool LooksLikeFlagFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::array<char, 64> start{};
  stream.read(start.data(), start.size());
  const std::string_view text(start.data(), static_cast<std::size_t>(stream.gcount()));
  return text.find(kFlagFileVersionKey) != std::string_view::npos || text.starts_with("head,role,");
}

Status CheckHeads(const FlagFile& file,
                  const std::vector<PartHeads>& parts,
                  const std::string& name) {
  for (std::size_t i = 0; i < file.flags.size(); ++i) {
    const HeadIndex head = HeadOf(file.flags[i]);
    const auto part = std::ranges::find(parts, head.part, &PartHeads::part);
    if (part == parts.end() || !part->HasLayer(head.layer) || head.head >= part->heads) {
      const PartHeads& has = part == parts.end() ? parts.front() : *part;
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: {}: there is no {} in this model, whose heads are {} to {}",
                              name,
                              PlaceWords(file.places[i]),
                              HeadName(head),
                              HeadName({has.layers.empty() ? 0 : has.layers.front(), 0, has.part}),
                              HeadName({std::max<std::int64_t>(0, has.end_layer() - 1),
                                        std::max<std::int64_t>(0, has.heads - 1),
                                        has.part})));
    }
  }
  return {};
}

}  // namespace headscope
