// A value of one of many types, like std::variant, but made for about a hundred of them: compile
// time grows with the number of types, where a variant's grows with its square in every file that
// makes one. Values cannot be compared.
//
// Threads  immutable.
// Cost     one allocation to make; copies share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace headscope {

template <typename... Kinds>
class OneOf {
 public:
  template <typename Kind>
  requires(std::is_same_v<Kind, Kinds> || ...) OneOf(Kind what)  // implicit, as in std::variant
      : held_(std::make_shared<const Kind>(std::move(what))), kind_(PlaceOf<Kind>()) {}

  // Returns null where it holds another type.
  template <typename Kind>
  [[nodiscard]] const Kind* As() const {
    return kind_ == PlaceOf<Kind>() ? static_cast<const Kind*>(held_.get()) : nullptr;
  }

  // Calls `visitor` with what it holds.
  template <typename Visitor>
  void Visit(Visitor&& visitor) const {
    using Call = void (*)(const void* held, Visitor& visitor);
    static constexpr std::array<Call, sizeof...(Kinds)> kCalls = {
        [](const void* held, Visitor& of) { of(*static_cast<const Kinds*>(held)); }...};
    kCalls[kind_](held_.get(), visitor);
  }

 private:
  template <typename Kind>
  static consteval std::size_t PlaceOf() {
    constexpr std::array<bool, sizeof...(Kinds)> kIs = {std::is_same_v<Kind, Kinds>...};
    return static_cast<std::size_t>(std::find(kIs.begin(), kIs.end(), true) - kIs.begin());
  }

  std::shared_ptr<const void> held_;
  std::size_t kind_;
};

}  // namespace headscope
