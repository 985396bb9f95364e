#include "core/heads/session_file.h"

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
#include "core/io/json.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kVersionKey = "headscope_session";
constexpr std::size_t kMaxBytes = 64'000'000;
constexpr std::int64_t kMaxIndex = 1'000'000;
constexpr std::array<std::string_view, 11> kKeys = {kVersionKey,
                                                    "model_path",
                                                    "model_name",
                                                    "model_fingerprint",
                                                    "text",
                                                    "pair",
                                                    "target",
                                                    "selected_part",
                                                    "selected_layer",
                                                    "selected_head",
                                                    "flags"};
constexpr std::array<std::string_view, 8> kFlagKeys = {
    "layer", "head", "role", "colour", "note", "part", "evidence", "rejected"};

// Takes values out of an object and keeps the first error, so that a reader is one list of members.
class SessionReader {
 public:
  explicit SessionReader(const JsonObject& object) : object_(object) {}

  void Take(std::string_view key, std::string& member) { Store(object_.String(key, ""), member); }
  void Take(std::string_view key, std::int64_t& member) {
    Store(object_.Integer(key, 0, kMaxIndex, 0), member);
  }
  void Take(std::string_view key, ModelPart& member) { Store(PartAt(key), member); }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  [[nodiscard]] Result<ModelPart> PartAt(std::string_view key) const {
    const Result<std::string> text = object_.String(key, "");
    HEADSCOPE_TRY(text);
    if (text->empty()) {
      return ModelPart::kWhole;
    }
    for (const ModelPart part : {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
      if (*text == PartName(part)) {
        return part;
      }
    }
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected \"{}\" to be encoder, decoder or cross, found {}",
                            object_.name(),
                            key,
                            Quoted(*text)));
  }

  template <typename T>
  void Store(Result<T> value, T& member) {
    if (value) {
      member = std::move(*value);
    } else if (status_) {
      status_ = PassOn(std::move(value.error()));
    }
  }

  const JsonObject& object_;
  Status status_;
};

std::string UnknownKeys(const JsonObject& object, std::span<const std::string_view> known) {
  Json unknown = Json::object();
  for (const JsonField& entry : object.Fields()) {
    if (std::ranges::find(known, entry.key) == known.end()) {
      unknown[std::string(entry.key)] = Json::parse(entry.value.Minified(), nullptr, false);
    }
  }
  return unknown.empty() ? "" : unknown.dump();
}

bool IsColour(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.substr(1).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

Result<HeadFlag> ParseFlag(JsonValue value, const std::string& name) {
  const std::optional<JsonObject> object = JsonObject::Of(value, name);
  if (!object) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: expected an object", name));
  }
  HeadFlag flag;
  if (!object->Has("layer") || !object->Has("head")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected \"layer\" and \"head\", found fewer", name));
  }
  SessionReader reader(*object);
  reader.Take("layer", flag.layer);
  reader.Take("head", flag.head);
  reader.Take("role", flag.role);
  reader.Take("colour", flag.colour);
  reader.Take("note", flag.note);
  reader.Take("part", flag.part);
  reader.Take("evidence", flag.evidence);
  HEADSCOPE_TRY(reader.status());
  if (!flag.colour.empty() && !IsColour(flag.colour)) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: expected a \"colour\" such as \"#56B4E9\", found another text", name));
  }
  const Result<std::optional<JsonArray>> rejected = object->Array("rejected");
  HEADSCOPE_TRY(rejected);
  for (JsonValue each : *rejected ? **rejected : JsonArray()) {
    const std::optional<JsonObject> one = JsonObject::Of(each, name);
    if (!one) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: expected \"rejected\" to hold objects", name));
    }
    RejectedRole role;
    SessionReader parts(*one);
    parts.Take("role", role.role);
    parts.Take("reason", role.reason);
    HEADSCOPE_TRY(parts.status());
    flag.rejected.push_back(std::move(role));
  }
  flag.unknown_json = UnknownKeys(*object, kFlagKeys);
  return flag;
}

Status CheckVersion(const JsonObject& root) {
  if (!root.Has(kVersionKey)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a Headscope session, found JSON without \"{}\"",
                            root.name(),
                            kVersionKey));
  }
  const Result<std::int64_t> version =
      root.Integer(kVersionKey, 1, std::numeric_limits<std::int64_t>::max());
  HEADSCOPE_TRY(version);
  if (*version > kVersion) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected a session of version {}, found version {}; open it with "
                            "a newer Headscope",
                            root.name(),
                            kVersion,
                            *version));
  }
  return {};
}

void AddPart(const char* key, ModelPart part, Json& object) {
  if (part != ModelPart::kWhole) {
    object[key] = PartName(part);
  }
}

void AddUnknownKeys(const std::string& unknown_json, Json& object) {
  const Json unknown = Json::parse(unknown_json, nullptr, false);
  if (!unknown.is_object()) {
    return;
  }
  for (const auto& [key, value] : unknown.items()) {
    if (!object.contains(key)) {
      object[key] = value;
    }
  }
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
    Json object = {{"layer", flag.layer},
                   {"head", flag.head},
                   {"role", flag.role},
                   {"colour", flag.colour},
                   {"note", flag.note}};
    AddPart("part", flag.part, object);
    if (!flag.evidence.empty()) {
      object["evidence"] = flag.evidence;
    }
    for (const RejectedRole& rejected : flag.rejected) {
      object["rejected"].push_back({{"role", rejected.role}, {"reason", rejected.reason}});
    }
    AddUnknownKeys(flag.unknown_json, object);
    root["flags"].push_back(std::move(object));
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
  SessionReader reader(*root);
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
  const Result<std::optional<JsonArray>> flags = root->Array("flags");
  HEADSCOPE_TRY(flags);
  if (flags->has_value()) {
    for (const JsonValue value : **flags) {
      Result<HeadFlag> flag =
          ParseFlag(value, fmt::format("{}: flag {}", name, session.flags.size()));
      HEADSCOPE_TRY(flag);
      session.flags.push_back(std::move(*flag));
    }
  }
  std::ranges::stable_sort(session.flags, {}, [](const HeadFlag& flag) {
    return std::tuple(flag.part, flag.layer, flag.head);
  });
  session.unknown_json = UnknownKeys(*root, kKeys);
  return session;
}

Result<SessionFile> LoadSession(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  HEADSCOPE_TRY(file);
  const std::span<const std::byte> bytes = file->bytes();
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
