// A backend of which one thing is changed or watched, and which owns the one that does the rest.
#pragma once

#include <memory>
#include <utility>

#include "core/compute/forwarding_backend.h"

namespace headscope::test {

class ForwardingBackend : public headscope::ForwardingBackend {
 public:
  explicit ForwardingBackend(std::unique_ptr<Backend> inner)
      : headscope::ForwardingBackend(inner.get()), owned_(std::move(inner)) {}

 private:
  std::unique_ptr<Backend> owned_;
};

}  // namespace headscope::test
