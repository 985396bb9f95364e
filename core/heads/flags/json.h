// A flag as JSON, as it stands in sessions and in files of flags.
//
// Errors   kFormat: a member of another type, no layer or head, a colour or a part that is none.
// Threads  plain values.
// Source   our own format: one key for each member of HeadFlag; others are kept. "part" is of
//          encoder-decoders and left out elsewhere; so are author, date, evidence and rejected roles
//          that there are not.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/heads/flags/flags.h"
#include "core/io/json.h"

namespace headscope {

// What an error begins with, of a key: the file, and where in it.
using JsonWhere = std::function<std::string(std::string_view key)>;

// Takes values out of an object and keeps the first error, so that a reader is one list of members.
class ObjectReader {
 public:
  ObjectReader(JsonValue object, JsonWhere where) : object_(object), where_(std::move(where)) {}

  // What is not there stays empty, 0, or false.
  void Take(std::string_view key, std::string& member);
  void Take(std::string_view key, std::int64_t& member);
  void Take(std::string_view key, bool& member);
  void Take(std::string_view key, ModelPart& member);
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  template <typename T>
  void Store(Result<T> value, T& member);

  JsonValue object_;
  JsonWhere where_;
  Status status_;
};

[[nodiscard]] nlohmann::ordered_json FlagToJson(const HeadFlag& flag);
[[nodiscard]] Result<HeadFlag> FlagFromJson(JsonValue value, const JsonWhere& where);

// The fields of other keys, as a JSON object, or "".
[[nodiscard]] std::string UnknownKeys(const JsonFields& fields,
                                      std::span<const std::string_view> known);
void AddUnknownKeys(const std::string& unknown_json, nlohmann::ordered_json& object);
void AddPart(const char* key, ModelPart part, nlohmann::ordered_json& object);
[[nodiscard]] bool IsColour(std::string_view text);

}  // namespace headscope
