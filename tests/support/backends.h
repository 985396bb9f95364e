// Every backend a test can run on.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "core/compute/backend.h"

namespace headscope::test {

inline std::vector<std::unique_ptr<Backend>> AllBackends() {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(MakeReferenceBackend(ReferenceForm::kPerHead));
  backends.push_back(MakeReferenceBackend(ReferenceForm::kStacked));
  Result<std::unique_ptr<Backend>> onednn = MakeOnednnBackend();
  if (!onednn) {
    throw std::runtime_error(onednn.error().message);
  }
  backends.push_back(std::move(*onednn));
  return backends;
}

}  // namespace headscope::test
