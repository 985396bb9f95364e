// JSON from strangers: simdjson under a size cap, and small accessors whose errors name the file
// and the key.
//
// Errors   kIo (missing), kFormat (not JSON, wrong type, absurd value; nested over 1,024 deep), as
//          config.json: "n_layer" is "twelve", expected a whole number from 1 to 1000
// Threads  a document belongs to one thread at a time.
// Cost     one pass; the text is copied once with padding, and the parsed form takes about eight
//          bytes for each of the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "core/base/error.h"

namespace headscope {

class JsonDocument {
 public:
  // max_bytes: config 4 MB, tokenizer 128 MB (DESIGN.md section 9).
  [[nodiscard]] static Result<JsonDocument> Read(const std::filesystem::path& path,
                                                 std::uint64_t max_bytes);
  [[nodiscard]] static Result<JsonDocument> Parse(std::string_view text, std::string name);

  [[nodiscard]] simdjson::dom::element root() const { return root_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element root_;
};

// A JSON object of which keys are asked for by name. A missing key and a null are both "not there";
// the first of equal keys counts. It points into its document, which must outlive it.
class JsonObject {
 public:
  JsonObject(simdjson::dom::object object, std::string name)
      : object_(object), name_(std::move(name)) {}
  [[nodiscard]] static Result<JsonObject> Root(const JsonDocument& document);

  [[nodiscard]] bool Has(std::string_view key) const;
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
  [[nodiscard]] Result<std::optional<simdjson::dom::array>> Array(std::string_view key) const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] simdjson::dom::object raw() const { return object_; }

 private:
  simdjson::dom::object object_;
  std::string name_;  // "config.json", or "config.json: rope_scaling"
};

}  // namespace headscope
