#include "core/heads/flags/session_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/base/mapped_file.h"
#include "core/base/quote.h"
#include "core/heads/flags/json.h"
#include "core/io/json.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kVersionKey = "headscope_session";
constexpr std::size_t kMaxBytes = 64'000'000;
constexpr std::array<std::string_view, 12> kKeys = {kVersionKey,
                                                    "model_path",
                                                    "model_name",
                                                    "model_fingerprint",
                                                    "text",
                                                    "pair",
                                                    "target",
                                                    "selected_part",
                                                    "selected_layer",
                                                    "selected_head",
                                                    "flags",
                                                    "shared"};
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

constexpr std::array<std::pair<SharedBy, std::string_view>, 3> kSharedBy = {
    {{SharedBy::kExport, "export"},
     {SharedBy::kImport, "import"},
     {SharedBy::kOtherModel, "other model"}}};

Json SharedToJson(const SharedFlags& shared) {
  const auto by =
      std::ranges::find(kSharedBy, shared.by, [](const auto& each) { return each.first; });
  Json object = {{"id", shared.id},
                 {"by", by->second},
                 {"file", shared.file},
                 {"author", shared.author},
                 {"date", shared.date},
                 {"model_name", shared.model_name},
                 {"flags", Json::array()}};
  for (const HeadFlag& flag : shared.flags) {
    object["flags"].push_back(FlagToJson(flag));
  }
  return object;
}

Result<SharedFlags> SharedFromJson(JsonValue value, const std::string& place) {
  const std::optional<JsonObject> object = JsonObject::Of(value, place);
  if (!object) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: expected an object", place));
  }
  const auto where = [&place](std::string_view) { return place; };
  SharedFlags shared;
  std::string by;
  ObjectReader reader(value, where);
  reader.Take("id", shared.id);
  reader.Take("by", by);
  reader.Take("file", shared.file);
  reader.Take("author", shared.author);
  reader.Take("date", shared.date);
  reader.Take("model_name", shared.model_name);
  HEADSCOPE_TRY(reader.status());
  const auto known = std::ranges::find(kSharedBy, by, [](const auto& each) { return each.second; });
  if (known == kSharedBy.end()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected \"by\" to be export, import or other model, found {}",
                            place,
                            Quoted(by)));
  }
  shared.by = known->first;
  HEADSCOPE_TRY(const auto flags, object->Array("flags"));
  for (const JsonValue each : flags ? *flags : JsonArray()) {
    HEADSCOPE_TRY(auto flag, FlagFromJson(each, where));
    shared.flags.push_back(std::move(flag));
  }
  return shared;
}

}  // namespace

std::string SessionText(const SessionFile& session) {
  Json root = {{kVersionKey, kVersion},
               {"model_path", session.model_path},
               {"model_name", session.model_name},
               {"model_fingerprint", session.model_fingerprint},
               {"text", session.text},
               {"pair", session.pair},
               {"selected_layer", session.selected_layer},
               {"selected_head", session.selected_head}};
  if (!session.target.empty()) {
    root["target"] = session.target;
  }
  AddPart("selected_part", session.selected_part, root);
  root["flags"] = Json::array();
  for (const HeadFlag& flag : session.flags) {
    root["flags"].push_back(FlagToJson(flag));
  }
  for (const SharedFlags& shared : session.shared) {
    root["shared"].push_back(SharedToJson(shared));
  }
  AddUnknownKeys(session.unknown_json, root);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
  ObjectReader reader(document->root(), [&name](std::string_view) { return name; });
  reader.Take("model_path", session.model_path);
  reader.Take("model_name", session.model_name);
  reader.Take("model_fingerprint", session.model_fingerprint);
  reader.Take("text", session.text);
  reader.Take("pair", session.pair);
  reader.Take("target", session.target);
  reader.Take("selected_part", session.selected_part);
  reader.Take("selected_layer", session.selected_layer);
  reader.Take("selected_head", session.selected_head);
  HEADSCOPE_TRY(reader.status());
  HEADSCOPE_TRY(const auto flags, root->Array("flags"));
  if (flags.has_value()) {
    for (const JsonValue value : *flags) {
      const std::string place = fmt::format("{}: flag {}", name, session.flags.size());
      HEADSCOPE_TRY(auto flag, FlagFromJson(value, [&place](std::string_view) { return place; }));
      session.flags.push_back(std::move(flag));
    }
  }
  std::ranges::stable_sort(session.flags, {}, [](const HeadFlag& flag) {
    return std::tuple(flag.part, flag.layer, flag.head);
  });
  HEADSCOPE_TRY(const auto shared, root->Array("shared"));
  for (const JsonValue value : shared ? *shared : JsonArray()) {
    const std::string place = fmt::format("{}: shared {}", name, session.shared.size());
    HEADSCOPE_TRY(auto one, SharedFromJson(value, place));
    session.shared.push_back(std::move(one));
  }
  session.unknown_json = UnknownKeys(root->Fields(), kKeys);
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
