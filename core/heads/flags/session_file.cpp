#include "core/heads/flags/session_file.h"

#include <algorithm>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/base/mapped_file.h"
#include "core/heads/flags/fields.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kVersionKey = "headscope_session";
constexpr std::size_t kMaxBytes = 64'000'000;

Status CheckVersion(const JsonObject& root) {
  if (!root.Has(kVersionKey)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a Headscope session, found JSON without \"{}\"",
                            root.name(),
                            kVersionKey));
  }
  HEADSCOPE_TRY(const auto version,
                root.Integer(kVersionKey, 1, std::numeric_limits<std::int64_t>::max()));
  if (version > kVersion) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected a session of version {}, found version {}; open it with "
                            "a newer Headscope",
                            root.name(),
                            kVersion,
                            version));
  }
  return {};
}

constexpr FieldNames<SharedBy, 3> kSharedBy = {
    {{{SharedBy::kExport, "export"},
      {SharedBy::kImport, "import"},
      {SharedBy::kOtherModel, "other model"}}},
    "expected \"{key}\" to be export, import or other model, found {found}"};

// Returns "session.json", or "session.json: flag 3" for "/flags/3" and what it holds.
std::string PlaceIn(const std::string& name, std::string_view path) {
  const std::size_t number = path.find('/', 1);
  if (number == path.npos) {
    return name;
  }
  return fmt::format("{}: {} {}",
                     name,
                     path.starts_with("/flags") ? "flag" : "shared",
                     path.substr(number + 1, path.find('/', number + 1) - number - 1));
}

}  // namespace

void EachField(FieldsOf<SharedFlags> auto& shared, auto& visit) {
  visit("id", shared.id);
  visit("by", shared.by, kSharedBy, {.is_needed = true});
  visit("file", shared.file);
  visit("author", shared.author);
  visit("date", shared.date);
  visit("model_name", shared.model_name);
  visit("flags", shared.flags);
}

void EachField(FieldsOf<SessionFile> auto& session, auto& visit) {
  visit("model_path", session.model_path);
  visit("model_name", session.model_name);
  visit("model_fingerprint", session.model_fingerprint);
  visit("text", session.text);
  visit("pair", session.pair);
  visit("selected_layer", session.selected_layer);
  visit("selected_head", session.selected_head);
  visit("target", session.target, kSkipsEmpty);
  visit("selected_part", session.selected_part, kPartNames, kSkipsEmpty);
  visit("flags", session.flags);
  visit("shared", session.shared, kSkipsEmpty);
  visit.Raw("view", session.view_json);
  visit.Others(session.unknown_json);
}

std::string SessionText(const SessionFile& session) {
  Json root = {{kVersionKey, kVersion}};
  FieldWriter writer(&root);
  EachField(session, writer);
  return JsonText(root, 2) + "\n";
}

Result<SessionFile> ParseSession(std::string_view json, const std::string& name) {
  if (json.size() > kMaxBytes) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: expected a session of at most {} bytes, found {}", name, kMaxBytes, json.size()));
  }
  const Result<JsonDocument> document = JsonDocument::Parse(json, name);
  if (!document) {
    return Fail(document.error().code,
                fmt::format("{}: expected a Headscope session, found {} of no whole JSON; was the "
                            "file cut short?",
                            name,
                            Counted(json.size(), "byte")));
  }
  const Result<JsonObject> root = JsonObject::Root(*document);
  if (!root) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a Headscope session, found other JSON", name));
  }
  HEADSCOPE_TRY(CheckVersion(*root));
  SessionFile session;
  FieldReader reader(document->root(),
                     [&name](std::string_view path) { return PlaceIn(name, path); });
  reader.Knows(kVersionKey);
  EachField(session, reader);
  HEADSCOPE_TRY(reader.status());
  std::ranges::stable_sort(session.flags, {}, FlagOrder);
  return session;
}

Result<SessionFile> LoadSession(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto file, MappedFile::Open(path));
  const std::span<const std::byte> bytes = file.bytes();
  return ParseSession({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

Status SaveSession(const std::filesystem::path& path, const SessionFile& session) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    if (const Result<SessionFile> existing = LoadSession(path); !existing) {
      return Fail(existing.error().code,
                  existing.error().message +
                      "; the file is left as it is, save the session under another name");
    }
  }
  const std::string text = SessionText(session);
  if (text.size() > kMaxBytes) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: expected a session of at most {} bytes, found {}; shorten its text",
                    path.string(),
                    kMaxBytes,
                    text.size()));
  }
  return WriteFileAtomically(path, text);
}

std::string SessionFileName(const std::string& model_name, const std::string& fingerprint) {
  std::string name;
  for (const char c : model_name.substr(0, 60)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    name += plain ? c : '_';
  }
  return name + "-" + fingerprint.substr(0, 12) + ".json";
}

}  // namespace headscope
