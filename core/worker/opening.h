// Which opening of a model or of a file of attention a request is about.
//
// Threads  any.
#pragma once

#include <memory>

namespace headscope {

// Identifies one opening of a model or of a file of attention, distinct from every other opening,
// even of the same folder. It keeps neither in memory. A default one stands for whatever is open.
class Opening {
 public:
  Opening() = default;
  explicit Opening(const std::shared_ptr<const void>& opened) : opened_(opened) {}

  [[nodiscard]] bool IsOf(const std::shared_ptr<const void>& opened) const {
    const auto is_owned_by = [this](const auto& other) {
      return !opened_.owner_before(other) && !other.owner_before(opened_);
    };
    return is_owned_by(opened) || is_owned_by(std::weak_ptr<const void>{});
  }

 private:
  std::weak_ptr<const void> opened_;
};

}  // namespace headscope
