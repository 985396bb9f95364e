// The one owner of OpenGL objects: move-only, 0 is empty, deletes what it holds.
//
// Threads  UI thread, with the context current; destroyed before the window.
#pragma once

#include <utility>

namespace headscope::gl {

template <typename Traits>  // Traits::Create() -> unsigned, Traits::Delete(unsigned)
class Handle {
 public:
  Handle() = default;
  explicit Handle(unsigned id) noexcept : id_(id) {}
  ~Handle() { Reset(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, 0U)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      Reset();
      id_ = std::exchange(other.id_, 0U);
    }
    return *this;
  }

  [[nodiscard]] static Handle Create() { return Handle(Traits::Create()); }

  [[nodiscard]] unsigned id() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ != 0U; }

 private:
  void Reset() noexcept {
    if (id_ != 0U) {
      Traits::Delete(id_);
    }
    id_ = 0U;
  }

  unsigned id_ = 0U;
};

}  // namespace headscope::gl
