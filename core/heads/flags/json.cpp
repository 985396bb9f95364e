#include "core/heads/flags/json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxIndex = 1'000'000;
constexpr std::array<std::string_view, 10> kFlagKeys = {
    "layer", "head", "role", "colour", "note", "part", "evidence", "rejected", "author", "date"};

Result<ModelPart> PartAt(const JsonObject& object, std::string_view key) {
  HEADSCOPE_TRY(const auto text, object.String(key, ""));
  if (text.empty()) {
    return ModelPart::kWhole;
  }
  for (const ModelPart part : {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
    if (text == PartName(part)) {
      return part;
    }
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: expected \"{}\" to be encoder, decoder or cross, found {}",
                          object.name(),
                          key,
                          Quoted(text)));
}

}  // namespace

template <typename T>
void ObjectReader::Store(Result<T> value, T& member) {
  if (value) {
    member = std::move(*value);
  } else if (status_) {
    status_ = PassOn(std::move(value.error()));
  }
}

void ObjectReader::Take(std::string_view key, std::string& member) {
  if (const auto object = JsonObject::Of(object_, where_(key))) {
    Store(object->String(key, ""), member);
  }
}
void ObjectReader::Take(std::string_view key, std::int64_t& member) {
  if (const auto object = JsonObject::Of(object_, where_(key))) {
    Store(object->Integer(key, 0, kMaxIndex, 0), member);
  }
}
void ObjectReader::Take(std::string_view key, bool& member) {
  if (const auto object = JsonObject::Of(object_, where_(key))) {
    Store(object->Boolean(key, false), member);
  }
}
void ObjectReader::Take(std::string_view key, ModelPart& member) {
  if (const auto object = JsonObject::Of(object_, where_(key))) {
    Store(PartAt(*object, key), member);
  }
}

void AddPart(const char* key, ModelPart part, Json& object) {
  if (part != ModelPart::kWhole) {
    object[key] = PartName(part);
  }
}

std::string UnknownKeys(const JsonFields& fields, std::span<const std::string_view> known) {
  Json unknown = Json::object();
  for (const JsonField& entry : fields) {
    if (std::ranges::find(known, entry.key) == known.end()) {
      const std::string text = entry.value.Minified();
      const Json value = Json::parse(text, nullptr, false);
      // Numbers that JSON does not know are kept as their text.
      unknown[std::string(entry.key)] = value.is_discarded() ? Json(text) : value;
    }
  }
  return unknown.empty() ? "" : unknown.dump();
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

bool IsColour(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.substr(1).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

Json FlagToJson(const HeadFlag& flag) {
  Json object = {{"layer", flag.layer},
                 {"head", flag.head},
                 {"role", flag.role},
                 {"colour", flag.colour},
                 {"note", flag.note}};
  AddPart("part", flag.part, object);
  const auto add = [&object](const char* key, const std::string& text) {
    if (!text.empty()) {
      object[key] = text;
    }
  };
  add("evidence", flag.evidence);
  add("author", flag.author);
  add("date", flag.date);
  for (const RejectedRole& rejected : flag.rejected) {
    object["rejected"].push_back({{"role", rejected.role}, {"reason", rejected.reason}});
  }
  AddUnknownKeys(flag.unknown_json, object);
  return object;
}

Result<HeadFlag> FlagFromJson(JsonValue value, const JsonWhere& where) {
  const std::optional<JsonObject> object = JsonObject::Of(value, where(""));
  if (!object) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: expected an object", where("")));
  }
  HeadFlag flag;
  if (!object->Has("layer") || !object->Has("head")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected \"layer\" and \"head\", found fewer", where("")));
  }
  ObjectReader reader(value, where);
  reader.Take("layer", flag.layer);
  reader.Take("head", flag.head);
  reader.Take("role", flag.role);
  reader.Take("colour", flag.colour);
  reader.Take("note", flag.note);
  reader.Take("part", flag.part);
  reader.Take("evidence", flag.evidence);
  reader.Take("author", flag.author);
  reader.Take("date", flag.date);
  HEADSCOPE_TRY(reader.status());
  if (!flag.colour.empty() && !IsColour(flag.colour)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a \"colour\" such as \"#56B4E9\", found another text",
                            where("colour")));
  }
  HEADSCOPE_TRY(const auto rejected, JsonObject::Of(value, where("rejected"))->Array("rejected"));
  const auto in_rejected = [&where](std::string_view) { return where("rejected"); };
  for (JsonValue each : rejected ? *rejected : JsonArray()) {
    if (!each.is_object()) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: expected \"rejected\" to hold objects", where("rejected")));
    }
    RejectedRole role;
    ObjectReader parts(each, in_rejected);
    parts.Take("role", role.role);
    parts.Take("reason", role.reason);
    HEADSCOPE_TRY(parts.status());
    flag.rejected.push_back(std::move(role));
  }
  flag.unknown_json = UnknownKeys(object->Fields(), kFlagKeys);
  return flag;
}

}  // namespace headscope
