// JSON from strangers: simdjson under a size cap, and small accessors whose errors name the file
// and the key. simdjson itself stays within json.cpp: its header takes seconds to compile.
//
// Errors   kIo (missing), kFormat (not JSON, wrong type, absurd value; nested over 1,024 deep), as
//          config.json: "n_layer" is "twelve", expected a whole number from 1 to 1000
// Threads  a document belongs to one thread at a time.
// Cost     one pass; the text is copied once with padding, and the parsed form takes about eight
//          bytes for each of the text. Elements and fields are 16 and 32 bytes each.
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

// A place in a document, which must outlive it; texts point into the document, too. Empty where the
// value is of another kind. A default one is null.
class JsonValue {
 public:
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] std::optional<std::string_view> Text() const;
  // 12, but not 12.0 and nothing past 64 bits.
  [[nodiscard]] std::optional<std::int64_t> Integer() const;
  [[nodiscard]] std::optional<std::uint64_t> Unsigned() const;
  [[nodiscard]] std::optional<double> Number() const;
  [[nodiscard]] std::optional<bool> Boolean() const;
  [[nodiscard]] std::optional<JsonArray> Array() const;
  [[nodiscard]] std::optional<JsonFields> Object() const;
  [[nodiscard]] bool is_object() const;
  // The first field of that key, null included; empty if there is none, or this is no object.
  [[nodiscard]] std::optional<JsonValue> Find(std::string_view key) const;
  // As JSON again, without blanks.
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

// A JSON object of which keys are asked for by name. A missing key and a null are both "not there";
// the first of equal keys counts. It points into its document, which must outlive it.
class JsonObject {
 public:
  // Empty if the value is no object. `name` is for errors.
  [[nodiscard]] static std::optional<JsonObject> Of(JsonValue value, std::string name);
  [[nodiscard]] static Result<JsonObject> Root(const JsonDocument& document);

  [[nodiscard]] bool Has(std::string_view key) const;
  // Empty where the key is missing or null.
  [[nodiscard]] std::optional<JsonValue> Value(std::string_view key) const;
  // The key is there and its value is null.
  [[nodiscard]] bool IsNull(std::string_view key) const;
  // Whole number in [least, most] (12.0 is one); `fallback` if not there; an error if it is there
  // and wrong.
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
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  JsonObject(JsonValue value, std::string name) : value_(value), name_(std::move(name)) {}
  JsonValue value_;   // an object
  std::string name_;  // "config.json", or "config.json: rope_scaling"
};

}  // namespace headscope
