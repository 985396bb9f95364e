#include "core/io/json.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/base/quote.h"

namespace headscope {
namespace {

using simdjson::dom::element;

// What a value is, for "found ...".
std::string Found(element value) {
  std::string_view text;
  switch (value.type()) {
    case simdjson::dom::element_type::STRING:
      return value.get(text) == simdjson::SUCCESS ? Quoted(text) : "a string";
    case simdjson::dom::element_type::ARRAY:
      return "a list";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    default:
      return simdjson::minify(value);
  }
}

tl::unexpected<Error> Wrong(const std::string& name,
                            std::string_view key,
                            std::string_view expected,
                            element found) {
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: {} is {}, expected {}", name, Quoted(key), Found(found), expected));
}

tl::unexpected<Error> Missing(const std::string& name,
                              std::string_view key,
                              std::string_view expected) {
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: {} is missing, expected {}", name, Quoted(key), expected));
}

// Not there or null: empty.
std::optional<element> Get(simdjson::dom::object object, std::string_view key) {
  element value;
  if (object.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) {
    return std::nullopt;
  }
  return value;
}

// 12 and 12.0, as Python writers mix them.
std::optional<std::int64_t> WholeNumber(element value) {
  std::int64_t whole = 0;
  if (value.get(whole) == simdjson::SUCCESS) {
    return whole;
  }
  double number = 0.0;
  constexpr double kExact = 9007199254740992.0;
  if (value.is_double() && value.get(number) == simdjson::SUCCESS && std::abs(number) <= kExact &&
      std::nearbyint(number) == number) {
    return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

}  // namespace

Result<JsonDocument> JsonDocument::Read(const std::filesystem::path& path,
                                        std::uint64_t max_bytes) {
  Result<MappedFile> file = MappedFile::Open(path);
  if (!file) {
    return PassOn(std::move(file.error()));
  }
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > max_bytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected at most {} bytes of JSON, found {}",
                            path.string(),
                            max_bytes,
                            bytes.size()));
  }
  return Parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

Result<JsonDocument> JsonDocument::Parse(std::string_view text, std::string name) {
  JsonDocument document;
  document.name_ = std::move(name);
  document.parser_ = std::make_unique<simdjson::dom::parser>();
  const simdjson::padded_string padded(text);
  if (padded.size() != text.size()) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("{}: there is no memory for {} bytes", document.name_, text.size()));
  }
  const simdjson::error_code error = document.parser_->parse(padded).get(document.root_);
  if (error != simdjson::SUCCESS) {
    const bool is_memory = error == simdjson::MEMALLOC || error == simdjson::CAPACITY;
    return Fail(
        is_memory ? ErrorCode::kOutOfMemory : ErrorCode::kFormat,
        fmt::format("{}: expected JSON, found {} bytes that are not ({}); is the file whole?",
                    document.name_,
                    text.size(),
                    simdjson::error_message(error)));
  }
  return document;
}

Result<JsonObject> JsonObject::Root(const JsonDocument& document) {
  simdjson::dom::object object;
  if (document.root().get(object) != simdjson::SUCCESS) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: expected a JSON object, found {}", document.name(), Found(document.root())));
  }
  return JsonObject(object, document.name());
}

bool JsonObject::Has(std::string_view key) const {
  return Get(object_, key).has_value();
}

Result<std::int64_t> JsonObject::Integer(std::string_view key,
                                         std::int64_t least,
                                         std::int64_t most,
                                         std::optional<std::int64_t> fallback) const {
  const auto expected = [&] { return fmt::format("a whole number from {} to {}", least, most); };
  const std::optional<element> value = Get(object_, key);
  if (!value) {
    return fallback ? Result<std::int64_t>(*fallback) : Missing(name_, key, expected());
  }
  const std::optional<std::int64_t> number = WholeNumber(*value);
  if (!number || *number < least || *number > most) {
    return Wrong(name_, key, expected(), *value);
  }
  return *number;
}

Result<double> JsonObject::Number(std::string_view key,
                                  double least,
                                  double most,
                                  std::optional<double> fallback) const {
  const auto expected = [&] { return fmt::format("a number from {} to {}", least, most); };
  const std::optional<element> value = Get(object_, key);
  if (!value) {
    return fallback ? Result<double>(*fallback) : Missing(name_, key, expected());
  }
  double number = 0.0;
  if (value->get(number) != simdjson::SUCCESS || !(number >= least && number <= most)) {
    return Wrong(name_, key, expected(), *value);
  }
  return number;
}

Result<bool> JsonObject::Boolean(std::string_view key, std::optional<bool> fallback) const {
  const std::optional<element> value = Get(object_, key);
  if (!value) {
    return fallback ? Result<bool>(*fallback) : Missing(name_, key, "true or false");
  }
  bool flag = false;
  if (value->get(flag) != simdjson::SUCCESS) {
    return Wrong(name_, key, "true or false", *value);
  }
  return flag;
}

Result<std::string> JsonObject::String(std::string_view key,
                                       std::optional<std::string> fallback) const {
  const std::optional<element> value = Get(object_, key);
  if (!value) {
    return fallback ? Result<std::string>(std::move(*fallback)) : Missing(name_, key, "a string");
  }
  std::string_view text;
  if (value->get(text) != simdjson::SUCCESS) {
    return Wrong(name_, key, "a string", *value);
  }
  return std::string(text);
}

Result<std::optional<JsonObject>> JsonObject::Object(std::string_view key) const {
  const std::optional<element> value = Get(object_, key);
  if (!value) {
    return std::nullopt;
  }
  simdjson::dom::object object;
  if (value->get(object) != simdjson::SUCCESS) {
    return Wrong(name_, key, "an object", *value);
  }
  return JsonObject(object, fmt::format("{}: {}", name_, key));
}

Result<std::optional<simdjson::dom::array>> JsonObject::Array(std::string_view key) const {
  const std::optional<element> value = Get(object_, key);
  if (!value) {
    return std::nullopt;
  }
  simdjson::dom::array array;
  if (value->get(array) != simdjson::SUCCESS) {
    return Wrong(name_, key, "a list", *value);
  }
  return array;
}

}  // namespace headscope
