// Reads untrusted JSON: simdjson under a size cap, and small accessors whose errors name the file
// and the key. Only json.cpp includes simdjson, whose header takes seconds to compile.
//
// Errors   kIo (missing), kFormat (not JSON, wrong type, absurd value, nested more than 1,024
//          deep), such as: config.json: "n_layer" is "twelve", expected a whole number from 1 to
//          1000
// Threads  a document belongs to one thread at a time.
// Cost     one pass; the text is copied once with padding, and the parsed form takes about eight
//          bytes per byte of text. Elements take 16 bytes each, fields 32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

class JsonValue;
struct JsonField;
using JsonArray = std::vector<JsonValue>;
using JsonFields = std::vector<JsonField>;  // in the order of the text, equal keys included

// A value in a document, which must outlive it; texts point into the document, too. Accessors
// return empty for a value of another type. A default-constructed value is null.
class JsonValue {
 public:
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] std::optional<std::string_view> Text() const;
  // Accepts 12, but not 12.0 and nothing beyond 64 bits.
  [[nodiscard]] std::optional<std::int64_t> Integer() const;
  [[nodiscard]] std::optional<std::uint64_t> Unsigned() const;
  [[nodiscard]] std::optional<double> Number() const;
  [[nodiscard]] std::optional<bool> Boolean() const;
  [[nodiscard]] std::optional<JsonArray> Array() const;
  [[nodiscard]] std::optional<JsonFields> Object() const;
  [[nodiscard]] bool is_object() const;
  // Returns the first field with that key, even if null; empty if there is none, or if this is not
  // an object.
  [[nodiscard]] std::optional<JsonValue> Find(std::string_view key) const;
  // Writes the value as JSON without blanks.
  [[nodiscard]] std::string Minified() const;

 private:
  friend class JsonDocument;
  friend struct JsonAccess;  // in json.cpp: to and from simdjson's element, which has this shape
  const void* document_ = nullptr;
  std::size_t index_ = 0;
};

struct JsonField {
  std::string_view key;
  JsonValue value;
};

class JsonDocument {
 public:
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();

  // max_bytes: config 4 MB, tokenizer 128 MiB (docs/reference.md, "Limits").
  [[nodiscard]] static Result<JsonDocument> Read(const std::filesystem::path& path,
                                                 std::uint64_t max_bytes);
  [[nodiscard]] static Result<JsonDocument> Parse(std::string_view text, std::string name);

  [[nodiscard]] JsonValue root() const { return root_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct Parser;
  JsonDocument();
  std::string name_;
  std::unique_ptr<Parser> parser_;
  JsonValue root_;
};

// A JSON object for lookup by key. A missing key and null are the same; of equal keys the first
// counts. It points into its document, which must outlive it.
class JsonObject {
 public:
  // Returns empty if the value is not an object. `name` is for error messages.
  [[nodiscard]] static std::optional<JsonObject> Of(JsonValue value, std::string name);
  [[nodiscard]] static Result<JsonObject> Root(const JsonDocument& document);

  [[nodiscard]] bool Has(std::string_view key) const;
  // Returns empty if the key is missing or null.
  [[nodiscard]] std::optional<JsonValue> Value(std::string_view key) const;
  // Whether the key exists and its value is null.
  [[nodiscard]] bool IsNull(std::string_view key) const;
  // A whole number in [least, most] (12.0 is one); `fallback` if the key is missing or null; an
  // error if the value is wrong.
  [[nodiscard]] Result<std::int64_t> Integer(
      std::string_view key,
      std::int64_t least,
      std::int64_t most,
      std::optional<std::int64_t> fallback = std::nullopt) const;
  [[nodiscard]] Result<double> Number(std::string_view key,
                                      double least,
                                      double most,
                                      std::optional<double> fallback = std::nullopt) const;
  [[nodiscard]] Result<bool> Boolean(std::string_view key,
                                     std::optional<bool> fallback = std::nullopt) const;
  [[nodiscard]] Result<std::string> String(
      std::string_view key, std::optional<std::string> fallback = std::nullopt) const;
  [[nodiscard]] Result<std::optional<JsonObject>> Object(std::string_view key) const;
  [[nodiscard]] Result<std::optional<JsonArray>> Array(std::string_view key) const;
  [[nodiscard]] JsonFields Fields() const { return value_.Object().value_or(JsonFields()); }
  // Makes the error of a value that the program cannot use: config.json: "n_head" is 5, expected a
  // multiple of 4
  [[nodiscard]] tl::unexpected<Error> Refuse(std::string_view key,
                                             std::string_view expected,
                                             ErrorCode code = ErrorCode::kUnsupported) const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] JsonValue value() const { return value_; }

 private:
  JsonObject(JsonValue value, std::string name) : value_(value), name_(std::move(name)) {}
  JsonValue value_;   // an object
  std::string name_;  // "config.json", or "config.json: rope_scaling"
};

}  // namespace headscope
