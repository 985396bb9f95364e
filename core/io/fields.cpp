#include "core/io/fields.h"

#include <optional>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {

using Json = nlohmann::ordered_json;

FieldReader::FieldReader(JsonValue value,
                         FieldPlace place,
                         std::string path,
                         std::string_view wrong)
    : object_(value), place_(std::move(place)), path_(std::move(path)) {
  if (!value.is_object()) {
    Wrong("", wrong);
  }
}

std::string FieldReader::Path(std::string_view key) const {
  return key.empty() ? path_ : fmt::format("{}/{}", path_, key);
}

std::optional<JsonObject> FieldReader::At(std::string_view key) {
  known_.push_back(key);
  return status_ ? JsonObject::Of(object_, place_(Path(key))) : std::nullopt;
}

void FieldReader::Take(Status status) {
  if (status_) {
    status_ = std::move(status);
  }
}

void FieldReader::Wrong(std::string_view key, std::string_view what) {
  Take(Fail(ErrorCode::kFormat, fmt::format("{}: {}", place_(Path(key)), what)));
}

void FieldReader::WrongName(std::string_view key, const std::string& name, std::string_view wrong) {
  if (wrong.empty()) {
    return;
  }
  Wrong(key,
        fmt::format(fmt::runtime(wrong), fmt::arg("key", key), fmt::arg("found", Quoted(name))));
}

void FieldReader::operator()(std::string_view key, std::string& member, const FieldRule& rule) {
  if (const auto object = At(key)) {
    Store(object->String(key, rule.is_needed ? std::nullopt : std::optional(member)), member);
    if (rule.is_right != nullptr && !member.empty() && !rule.is_right(member)) {
      Wrong(key, rule.wrong);
    }
  }
}

void FieldReader::operator()(std::string_view key, std::uint64_t& member, const FieldRule&) {
  if (const auto object = At(key); object && object->Has(key)) {
    member = object->Value(key)->Unsigned().value_or(0);
  }
}

void FieldReader::operator()(std::string_view key,
                             std::vector<std::string>& member,
                             const FieldRule& rule) {
  for (const JsonValue value : Array(key)) {
    if (rule.is_needed && !value.Text()) {
      Wrong(key, rule.wrong);
    }
    member.emplace_back(value.Text().value_or(""));
  }
}

JsonArray FieldReader::Array(std::string_view key) {
  std::optional<JsonArray> array;
  if (const auto object = At(key)) {
    Store(object->Array(key), array);
  }
  return std::move(array).value_or(JsonArray());
}

void FieldReader::Needs(std::initializer_list<std::string_view> keys) {
  const auto has = [this](std::string_view key) {
    const auto value = object_.Find(key);
    return value && !value->is_null();
  };
  if (!std::ranges::all_of(keys, has)) {
    Wrong("", fmt::format("expected \"{}\", found fewer", fmt::join(keys, "\" and \"")));
  }
}

void FieldReader::Raw(std::string_view key, std::string& json) {
  known_.push_back(key);
  const std::optional<JsonValue> value = object_.Find(key);
  const Json parsed =
      value && value->is_object() ? Json::parse(value->Minified(), nullptr, false) : Json();
  json = parsed.is_object() && !parsed.empty() ? parsed.dump() : "";
}

void FieldReader::Others(std::string& unknown_json) {
  Json unknown = Json::object();
  for (const JsonField& entry : object_.Object().value_or(JsonFields())) {
    if (std::ranges::find(known_, entry.key) == known_.end()) {
      const std::string text = entry.value.Minified();
      const Json value = Json::parse(text, nullptr, false);
      // Numbers that JSON does not know are kept as their text.
      unknown[std::string(entry.key)] = value.is_discarded() ? Json(text) : value;
    }
  }
  unknown_json = unknown.empty() ? "" : unknown.dump();
}

void FieldWriter::Raw(std::string_view key, const std::string& json) {
  if (Json object = Json::parse(json, nullptr, false); object.is_object()) {
    object_[std::string(key)] = std::move(object);
  }
}

void FieldWriter::Others(const std::string& unknown_json) {
  const Json unknown = Json::parse(unknown_json, nullptr, false);
  if (!unknown.is_object()) {
    return;
  }
  for (const auto& [key, value] : unknown.items()) {
    if (!object_.contains(key)) {
      object_[key] = value;
    }
  }
}

}  // namespace headscope
