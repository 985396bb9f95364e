#include "core/io/json.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "core/base/counted.h"
#include "core/base/mapped_file.h"
#include "core/base/quote.h"
#include "core/io/python_json.h"

namespace headscope {

using simdjson::dom::element;

struct JsonAccess {
  static_assert(sizeof(element) == sizeof(JsonValue) && std::is_trivially_copyable_v<element> &&
                    std::is_trivially_copyable_v<JsonValue>,
                "an element of simdjson is a document and a place in it");
  static JsonValue Of(element value) { return std::bit_cast<JsonValue>(value); }
  // Returns empty for a default-constructed value, which is in no document.
  static std::optional<element> Element(const JsonValue& value) {
    return value.document_ == nullptr ? std::nullopt : std::optional(std::bit_cast<element>(value));
  }
  template <typename T>
  static std::optional<T> Get(const JsonValue& value) {
    const std::optional<element> place = Element(value);
    T got = {};
    return place && place->get(got) == simdjson::SUCCESS ? std::optional(got) : std::nullopt;
  }
};

namespace {

// Returns the text of a number that JSON does not allow or 64 bits cannot hold.
std::optional<std::string_view> OddNumber(const JsonValue& value) {
  const auto text = JsonAccess::Get<std::string_view>(value);
  return text && text->starts_with(kNumberMark) ? std::optional(text->substr(kNumberMark.size()))
                                                : std::nullopt;
}

// Returns empty for NaN and infinity.
std::optional<double> FiniteNumber(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Describes a value for "found ...".
std::string Found(JsonValue value) {
  constexpr std::size_t kLongest = 60;
  if (const auto text = value.Text()) {
    return Quoted(*text);
  }
  if (JsonAccess::Get<simdjson::dom::array>(value)) {
    return "a list";
  }
  if (value.is_object()) {
    return "an object";
  }
  const std::string text = value.Minified();
  return text.size() <= kLongest
             ? text
             : fmt::format(
                   "{}... ({})", text.substr(0, kLongest / 2), Counted(text.size(), "character"));
}

// Returns a field as `read` gives it: `fallback` if it is missing, an error if it is neither there
// nor right. `expected()` says what it should be.
template <typename T, typename Expected, typename Read>
Result<T> Field(const JsonObject& object,
                std::string_view key,
                std::optional<T> fallback,
                const Expected& expected,
                const Read& read) {
  const std::optional<JsonValue> value = object.Value(key);
  if (!value && fallback) {
    return *std::move(fallback);
  }
  std::optional<T> found = value ? read(*value) : std::nullopt;
  return found ? Result<T>(*std::move(found)) : object.Refuse(key, expected(), ErrorCode::kFormat);
}

// Accepts 12 and 12.0: Python programs write both.
std::optional<std::int64_t> WholeNumber(JsonValue value) {
  if (const auto whole = value.Integer()) {
    return whole;
  }
  const auto number = value.Number();
  constexpr double kExact = 9007199254740992.0;
  if (number && std::abs(*number) <= kExact && std::nearbyint(*number) == *number) {
    return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

}  // namespace

bool JsonValue::is_null() const {
  const std::optional<element> place = JsonAccess::Element(*this);
  return !place || place->is_null();
}

bool JsonValue::is_object() const {
  return JsonAccess::Get<simdjson::dom::object>(*this).has_value();
}

std::optional<std::string_view> JsonValue::Text() const {
  return OddNumber(*this) ? std::nullopt : JsonAccess::Get<std::string_view>(*this);
}

std::optional<std::int64_t> JsonValue::Integer() const {
  return JsonAccess::Get<std::int64_t>(*this);
}

std::optional<std::uint64_t> JsonValue::Unsigned() const {
  return JsonAccess::Get<std::uint64_t>(*this);
}

std::optional<double> JsonValue::Number() const {
  const std::optional<std::string_view> odd = OddNumber(*this);
  return odd ? FiniteNumber(*odd) : JsonAccess::Get<double>(*this);
}

std::optional<bool> JsonValue::Boolean() const {
  return JsonAccess::Get<bool>(*this);
}

std::optional<JsonArray> JsonValue::Array() const {
  const auto array = JsonAccess::Get<simdjson::dom::array>(*this);
  if (!array) {
    return std::nullopt;
  }
  JsonArray values;
  values.reserve(array->size());
  for (const element one : *array) {
    values.push_back(JsonAccess::Of(one));
  }
  return values;
}

std::optional<JsonFields> JsonValue::Object() const {
  const auto object = JsonAccess::Get<simdjson::dom::object>(*this);
  if (!object) {
    return std::nullopt;
  }
  JsonFields fields;
  fields.reserve(object->size());
  for (const simdjson::dom::key_value_pair field : *object) {
    fields.push_back({field.key, JsonAccess::Of(field.value)});
  }
  return fields;
}

std::optional<JsonValue> JsonValue::Find(std::string_view key) const {
  const auto object = JsonAccess::Get<simdjson::dom::object>(*this);
  element value;
  if (!object || object->at_key(key).get(value) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return JsonAccess::Of(value);
}

std::string JsonValue::Minified() const {
  const std::optional<element> place = JsonAccess::Element(*this);
  std::string text = place ? simdjson::minify(*place) : "null";
  // Writes odd numbers as they are in the file.
  static const std::string kMark = "\"\\u0000" + std::string(kNumberMark.substr(1));
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at)) {
    text.erase(at, kMark.size());
    at = text.find('"', at);
    text.erase(at, 1);
  }
  return text;
}

struct JsonDocument::Parser {
  simdjson::dom::parser parser;
};

JsonDocument::JsonDocument() : parser_(std::make_unique<Parser>()) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::Read(const std::filesystem::path& path,
                                        std::uint64_t max_bytes) {
  HEADSCOPE_TRY(auto file, MappedFile::Open(path));
  if (file.text().size() > max_bytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected at most {} bytes of JSON, found {}",
                            path.string(),
                            max_bytes,
                            file.text().size()));
  }
  return Parse(file.text(), path.string());
}

Result<JsonDocument> JsonDocument::Parse(std::string_view text, std::string name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  JsonDocument document;
  document.name_ = std::move(name);
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  element root;
  const auto parse = [&](std::string_view json) -> simdjson::error_code {
    const simdjson::padded_string padded(json);
    return padded.size() != json.size() ? simdjson::MEMALLOC
                                        : document.parser_->parser.parse(padded).get(root);
  };
  simdjson::error_code error = parse(text);
  const bool is_memory = error == simdjson::MEMALLOC || error == simdjson::CAPACITY;
  if (error != simdjson::SUCCESS && !is_memory) {
    if (const std::optional<std::string> marked = MarkOddNumbers(text)) {
      error = parse(*marked);
    }
  }
  if (error != simdjson::SUCCESS) {
    return Fail(
        is_memory ? ErrorCode::kOutOfMemory : ErrorCode::kFormat,
        is_memory
            ? fmt::format(
                  "{}: there is no memory for {}", document.name_, Counted(text.size(), "byte"))
            : fmt::format("{}: expected JSON, found {} of something else ({}); is the file whole?",
                          document.name_,
                          Counted(text.size(), "byte"),
                          simdjson::error_message(error)));
  }
  document.root_ = JsonAccess::Of(root);
  return document;
}

std::optional<JsonObject> JsonObject::Of(JsonValue value, std::string name) {
  return value.is_object() ? std::optional(JsonObject(value, std::move(name))) : std::nullopt;
}

Result<JsonObject> JsonObject::Root(const JsonDocument& document) {
  if (std::optional<JsonObject> object = Of(document.root(), document.name())) {
    return std::move(*object);
  }
  return Fail(
      ErrorCode::kFormat,
      fmt::format("{}: expected a JSON object, found {}", document.name(), Found(document.root())));
}

bool JsonObject::Has(std::string_view key) const {
  return Value(key).has_value();
}

std::optional<JsonValue> JsonObject::Value(std::string_view key) const {
  const std::optional<JsonValue> value = value_.Find(key);
  return value && !value->is_null() ? value : std::nullopt;
}

bool JsonObject::IsNull(std::string_view key) const {
  const std::optional<JsonValue> value = value_.Find(key);
  return value && value->is_null();
}

Result<std::int64_t> JsonObject::Integer(std::string_view key,
                                         std::int64_t least,
                                         std::int64_t most,
                                         std::optional<std::int64_t> fallback) const {
  const auto expected = [&] { return fmt::format("a whole number from {} to {}", least, most); };
  return Field(*this, key, fallback, expected, [&](JsonValue value) {
    const std::optional<std::int64_t> number = WholeNumber(value);
    return number && *number >= least && *number <= most ? number : std::nullopt;
  });
}

Result<double> JsonObject::Number(std::string_view key,
                                  double least,
                                  double most,
                                  std::optional<double> fallback) const {
  const auto expected = [&] { return fmt::format("a number from {} to {}", least, most); };
  return Field(*this, key, fallback, expected, [&](JsonValue value) {
    const std::optional<double> number = value.Number();
    return number && *number >= least && *number <= most ? number : std::nullopt;
  });
}

Result<bool> JsonObject::Boolean(std::string_view key, std::optional<bool> fallback) const {
  const auto expected = [] { return "true or false"; };
  return Field(*this, key, fallback, expected, [](JsonValue value) { return value.Boolean(); });
}

Result<std::string> JsonObject::String(std::string_view key,
                                       std::optional<std::string> fallback) const {
  const auto expected = [] { return "a string"; };
  return Field(*this, key, std::move(fallback), expected, [](JsonValue value) {
    const std::optional<std::string_view> text = value.Text();
    return text ? std::optional(std::string(*text)) : std::nullopt;
  });
}

Result<std::optional<JsonObject>> JsonObject::Object(std::string_view key) const {
  const std::optional<JsonValue> value = Value(key);
  if (!value) {
    return std::nullopt;
  }
  std::optional<JsonObject> object = Of(*value, fmt::format("{}: {}", name_, key));
  if (!object) {
    return Refuse(key, "an object", ErrorCode::kFormat);
  }
  return object;
}

Result<std::optional<JsonArray>> JsonObject::Array(std::string_view key) const {
  const std::optional<JsonValue> value = Value(key);
  if (!value) {
    return std::nullopt;
  }
  std::optional<JsonArray> array = value->Array();
  if (!array) {
    return Refuse(key, "a list", ErrorCode::kFormat);
  }
  return array;
}

tl::unexpected<Error> JsonObject::Refuse(std::string_view key,
                                         std::string_view expected,
                                         ErrorCode code) const {
  const std::optional<JsonValue> value = Value(key);
  return Fail(code,
              fmt::format("{}: {} is {}, expected {}",
                          name_,
                          Quoted(key),
                          value ? Found(*value) : std::string("missing"),
                          expected));
}

}  // namespace headscope
