// Random draws that are the same on every machine and library: a 64-bit Mersenne twister with our
// own distributions (std::normal_distribution differs between standard libraries).
//
// Units    Uniform is in [0,1); Normal has mean 0 and variance 1 (Box and Muller 1958).
// Threads  one per thread.
#pragma once

#include <cstdint>
#include <random>

namespace headscope {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] double Uniform();
  [[nodiscard]] double Normal();
  // An integer in [0, bound), without bias; bound >= 1.
  [[nodiscard]] std::uint64_t Below(std::uint64_t bound);

 private:
  std::mt19937_64 engine_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace headscope
