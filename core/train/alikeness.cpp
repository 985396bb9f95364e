#include "core/train/alikeness.h"

#include <cmath>
#include <numeric>

namespace headscope {

double CountAlikePairs(std::int64_t heads, std::int64_t length) {
  return static_cast<double>(heads * (heads - 1) / 2 * (length - 1));
}

template <typename T>
void Alikeness<T>::Set(const T* maps, std::int64_t heads, std::int64_t length) {
  length_ = length;
  inverse_norms_.assign(static_cast<std::size_t>(heads * length), T(0));
  unit_sums_.assign(static_cast<std::size_t>(length * length), T(0));
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t query = 1; query < length; ++query) {
      const T* row = maps + (head * length + query) * length;
      const T inverse = T(1) / std::sqrt(std::inner_product(row, row + query + 1, row, T(0)));
      inverse_norms_[static_cast<std::size_t>(head * length + query)] = inverse;
      T* sums = unit_sums_.data() + query * length;
      for (std::int64_t key = 0; key <= query; ++key) {
        sums[key] += row[key] * inverse;
      }
    }
  }
  // The square of a sum of rows has each pair twice, and each row with itself, which is 1.
  sum_ = 0.0;
  for (std::int64_t query = 1; query < length; ++query) {
    const T* sums = unit_sums_.data() + query * length;
    const T square = std::inner_product(sums, sums + query + 1, sums, T(0));
    sum_ += (static_cast<double>(square) - static_cast<double>(heads)) / 2.0;
  }
}

template <typename T>
void Alikeness<T>::AddGradient(const T* maps, std::int64_t head, T factor, T* gradient) const {
  for (std::int64_t query = 1; query < length_; ++query) {
    const T* row = maps + (head * length_ + query) * length_;
    const T inverse = inverse_norms_[static_cast<std::size_t>(head * length_ + query)];
    const T* sums = unit_sums_.data() + query * length_;
    T* to = gradient + query * length_;
    // What the other heads' rows have along this one does not count: its length does not matter.
    const T along = std::inner_product(sums, sums + query + 1, row, T(0)) * inverse;
    for (std::int64_t key = 0; key <= query; ++key) {
      to[key] += factor * inverse * (sums[key] - along * row[key] * inverse);
    }
  }
}

template class Alikeness<float>;
template class Alikeness<double>;

}  // namespace headscope
