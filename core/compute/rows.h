// Rows of numbers on their way through a backend: what callers do around Make, Load, Apply and Read.
//
// Errors   the backend's.
// Threads  the backend's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"

namespace headscope {

[[nodiscard]] inline Result<std::unique_ptr<Activations>> MakeRows(Backend* backend,
                                                                   std::span<const float> values,
                                                                   std::int64_t cols) {
  auto made = backend->Make(std::ssize(values) / cols, cols);
  if (made) {
    backend->Load(values, made->get());
  }
  return made;
}

[[nodiscard]] inline std::vector<float> ReadRows(const Backend& backend, const Activations& from) {
  std::vector<float> values(static_cast<std::size_t>(from.rows() * from.cols()));
  backend.Read(from, values);
  return values;
}

// Applies the product and reads its result.
[[nodiscard]] inline Result<std::vector<float>> Multiplied(Backend* backend,
                                                           const Linear& linear,
                                                           const Activations& in,
                                                           const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto out, backend->Make(in.rows(), linear.out()));
  HEADSCOPE_TRY(backend->Apply(linear, in, out.get(), stop));
  return ReadRows(*backend, *out);
}

}  // namespace headscope
