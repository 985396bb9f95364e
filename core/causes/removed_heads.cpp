#include "core/causes/removed_heads.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/compute/rows.h"

namespace headscope {
namespace {

std::size_t HeadWidth(const Forward& forward, HeadIndex head) {
  const StackDescription& stack = StackOf(forward.model().description(), head.part);
  return static_cast<std::size_t>(stack.WidthsAt(head.layer).value);
}

}  // namespace

void RemovedHeads::Remove(HeadIndex head, std::vector<float> replacement) {
  if (replacement.empty()) {
    replacement.resize(HeadWidth(forward_, head));
  }
  heads_[head] = std::move(replacement);
}

Status RemovedHeads::ChangeContext(LayerId layer, Activations* context) {
  std::vector<float> all;
  for (const auto& [head, replacement] : heads_) {
    if (LayerId{head.part, head.layer} != layer) {
      continue;
    }
    if (all.empty()) {
      all = ReadRows(forward_.backend(), *context);
    }
    const std::size_t width = HeadWidth(forward_, head);
    const auto cols = static_cast<std::size_t>(context->cols());
    std::size_t from = 0;
    for (std::size_t first = static_cast<std::size_t>(head.head) * width; first < all.size();
         first += cols) {
      std::copy_n(replacement.begin() + static_cast<std::ptrdiff_t>(from),
                  width,
                  all.begin() + static_cast<std::ptrdiff_t>(first));
      from = (from + width) % replacement.size();
    }
  }
  if (!all.empty()) {
    forward_.backend().Load(all, context);
  }
  return {};
}

}  // namespace headscope
