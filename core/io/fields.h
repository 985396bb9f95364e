// Lists once which fields a stored type has; reading and writing its JSON follow from the list.
//
// The list is a function beside the type. It shows a visitor each key with its member, in the order in
// which they are written:
//
//   void EachField(FieldsOf<Person> auto& person, auto& visit) {
//     visit("name", person.name);
//     visit("age", person.age, {.most = 150});
//     visit.Others(person.unknown_json);
//   }
//
// A member is a text, a number, an enumeration with names, another such type, or a vector of one of these.
//
// Errors   kFormat, as core/io/json.h: a member of another type or out of its range.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/io/json_text.h"

namespace headscope {

template <typename T, typename Of>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Of>;

template <typename T>
concept ArithmeticField = std::is_arithmetic_v<T>;
template <typename T>
concept ClassField = std::is_class_v<T>;

struct FieldRule {
  double least = 0.0;  // bounds of a number
  double most = 1'000'000.0;
  bool skips_empty = false;  // leaves out a member that has its default value
  bool is_needed = false;    // a missing key is an error; else the member keeps its value
  bool (*is_right)(std::string_view text) = nullptr;  // checks a text that is not empty
  // The error about a text that is not right, or about a list entry that is no object.
  std::string_view wrong = "expected an object";
};
inline constexpr FieldRule kSkipsEmpty = {.skips_empty = true};

// Names an enumeration's values in a file. `wrong` is the error about another name; {key} and {found} in it
// stand for the key and that name. With an empty `wrong` the member keeps its value.
template <typename T, std::size_t kCount>
struct FieldNames {
  std::array<std::pair<T, std::string_view>, kCount> all;
  std::string_view wrong;
};

// Returns what an error begins with: the file, and the place in it. `path` is "/flags/3/role", or "" for
// the root.
using FieldPlace = std::function<std::string(std::string_view path)>;

// Reads an object, up to the first error.
class FieldReader {
 public:
  // `path` leads to the value. `wrong` is the error if it is no object.
  FieldReader(JsonValue value,
              FieldPlace place,
              std::string path = {},
              std::string_view wrong = "expected an object");

  void operator()(std::string_view key, std::string& member, const FieldRule& rule = {});
  // A value that is no such number gives 0.
  void operator()(std::string_view key, std::uint64_t& member, const FieldRule& rule = {});
  template <ArithmeticField T>
  void operator()(std::string_view key, T& member, const FieldRule& rule = {}) {
    const auto object = At(key);
    if (!object) {
      return;
    }
    if constexpr (std::is_same_v<T, bool>) {
      Store(object->Boolean(key, member), member);
    } else if constexpr (std::is_integral_v<T>) {
      const auto fallback = rule.is_needed ? std::nullopt : std::optional<std::int64_t>(member);
      const auto least = static_cast<std::int64_t>(rule.least);
      Store(object->Integer(key, least, static_cast<std::int64_t>(rule.most), fallback), member);
    } else {
      const auto fallback = rule.is_needed ? std::nullopt : std::optional<double>(member);
      Store(object->Number(key, rule.least, rule.most, fallback), member);
    }
  }
  template <typename T>
  void operator()(std::string_view key, std::optional<T>& member, const FieldRule& rule = {}) {
    if (const auto object = At(key); object && object->Has(key)) {
      (*this)(key, member.emplace(), rule);
    }
  }
  // An entry that is no text is an error where texts are needed, and an empty text elsewhere.
  void operator()(std::string_view key,
                  std::vector<std::string>& member,
                  const FieldRule& rule = {});

  template <typename T, std::size_t kCount>
  void operator()(std::string_view key,
                  T& member,
                  const FieldNames<T, kCount>& names,
                  const FieldRule& rule = {}) {
    std::string name;
    (*this)(key, name);
    if (!status_ || (name.empty() && !rule.is_needed)) {
      return;
    }
    const auto found = std::ranges::find(names.all, name, [](auto& each) { return each.second; });
    if (found == names.all.end()) {
      WrongName(key, name, names.wrong);
    } else {
      member = found->first;
    }
  }

  // The object must be there.
  template <ClassField T>
  void operator()(std::string_view key, T& member, const FieldRule& rule = {}) {
    FieldReader reader(object_.Find(key).value_or(JsonValue()), place_, Path(key), rule.wrong);
    known_.push_back(key);
    EachField(member, reader);
    Take(reader.status());
  }
  template <typename T>
  void operator()(std::string_view key, std::vector<T>& members, const FieldRule& rule = {}) {
    for (const JsonValue value : Array(key)) {
      // Entries of a list in the root have places of their own; deeper ones share that of their list.
      FieldReader reader(value,
                         place_,
                         path_.empty() ? fmt::format("/{}/{}", key, members.size()) : Path(key),
                         rule.wrong);
      EachField(members.emplace_back(), reader);
      Take(reader.status());
    }
  }
  [[nodiscard]] JsonArray Array(std::string_view key);

  void Needs(std::initializer_list<std::string_view> keys);
  // This key is read elsewhere.
  void Knows(std::string_view key) { known_.push_back(key); }
  // Keeps an object as its JSON, or "" where there is none.
  void Raw(std::string_view key, std::string& json);
  // Keeps all fields whose keys were not asked for so far, as a JSON object, or "".
  void Others(std::string& unknown_json);

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  [[nodiscard]] std::string Path(std::string_view key) const;
  [[nodiscard]] std::optional<JsonObject> At(std::string_view key);
  void Wrong(std::string_view key, std::string_view what);
  void WrongName(std::string_view key, const std::string& name, std::string_view wrong);
  void Take(Status status);
  template <typename T, typename U>
  void Store(Result<T> value, U& member) {
    if (value) {
      member = static_cast<U>(std::move(*value));
    } else {
      Take(PassOn(std::move(value.error())));
    }
  }

  JsonValue object_;
  FieldPlace place_;
  std::string path_;
  std::vector<std::string_view> known_;
  Status status_;
};

template <typename T>
[[nodiscard]] nlohmann::ordered_json FieldsToJson(const T& thing);

class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::ordered_json* object) : object_(*object) {}

  template <typename T>
  void operator()(std::string_view key, const T& member, const FieldRule& rule = {}) {
    if (rule.skips_empty && member == T{}) {
      return;
    }
    if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
      object_[std::string(key)] = FieldsToJson(member);
    } else {
      object_[std::string(key)] = member;
    }
  }
  // A missing value is written as null.
  template <typename T>
  void operator()(std::string_view key,
                  const std::optional<T>& member,
                  const FieldRule& rule = {}) {
    if (member) {
      (*this)(key, *member);
    } else if (!rule.skips_empty) {
      object_[std::string(key)] = nullptr;
    }
  }
  template <typename T, std::size_t kCount>
  void operator()(std::string_view key,
                  const T& member,
                  const FieldNames<T, kCount>& names,
                  const FieldRule& rule = {}) {
    const auto found = std::ranges::find(names.all, member, [](auto& each) { return each.first; });
    if (!rule.skips_empty || member != T{}) {
      object_[std::string(key)] = found->second;
    }
  }
  void operator()(std::string_view key,
                  const std::vector<std::string>& texts,
                  const FieldRule& = {}) {
    object_[std::string(key)] = texts;
  }
  template <typename T>
  void operator()(std::string_view key, const std::vector<T>& members, const FieldRule& rule = {}) {
    if (rule.skips_empty && members.empty()) {
      return;
    }
    nlohmann::ordered_json& list = object_[std::string(key)] = nlohmann::ordered_json::array();
    for (const T& member : members) {
      list.push_back(FieldsToJson(member));
    }
  }
  void Needs(std::initializer_list<std::string_view>) const {}
  void Raw(std::string_view key, const std::string& json);
  void Others(const std::string& unknown_json);

 private:
  nlohmann::ordered_json& object_;
};

template <typename T>
nlohmann::ordered_json FieldsToJson(const T& thing) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  FieldWriter writer(&object);
  EachField(thing, writer);
  return object;
}

}  // namespace headscope
