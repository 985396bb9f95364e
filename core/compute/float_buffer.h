// Aligned float32 buffers for reuse: a forward makes and drops activations of every length many
// times, and fresh pages cost more than the arithmetic on short texts.
//
// Errors   std::bad_alloc from Take.
// Threads  one thread; buffers may outlive the pool.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace headscope {

class FloatBuffer {
 public:
  // Large buffers use large pages: fewer faults when they are filled, and weights stream through
  // the caches a few per cent faster. The last, partly used large page is left out, or it would be
  // resident as a whole.
  explicit FloatBuffer(std::size_t count) : count_(count) {
    const std::size_t bytes = count * sizeof(float);
    if (bytes >= kLargePage) {
      alignment_ = std::align_val_t{kLargePage};
    }
    if (count > 0) {
      data_ = static_cast<float*>(::operator new[](bytes, alignment_));
    }
    if (bytes >= kLargePage) {
      madvise(data_, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
    }
  }
  ~FloatBuffer() {
    if (data_ != nullptr) {
      ::operator delete[](data_, alignment_);
    }
  }
  FloatBuffer(const FloatBuffer&) = delete;
  FloatBuffer& operator=(const FloatBuffer&) = delete;
  [[nodiscard]] float* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  static constexpr std::size_t kLargePage = std::size_t{1} << 21;
  std::size_t count_;
  std::align_val_t alignment_{64};
  float* data_ = nullptr;
};

class FloatPool {
 public:
  // Returns a buffer of at least `count` numbers with undefined content.
  [[nodiscard]] std::unique_ptr<FloatBuffer> Take(std::size_t count) {
    std::size_t best = kept_.size();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const std::size_t size = kept_[i]->size();
      if (size >= count && size / 2 <= count &&
          (best == kept_.size() || size < kept_[best]->size())) {
        best = i;
      }
    }
    if (best == kept_.size()) {
      return std::make_unique<FloatBuffer>(count);
    }
    std::unique_ptr<FloatBuffer> found = std::move(kept_[best]);
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(best));
    kept_floats_ -= found->size();
    return found;
  }

  void Give(std::unique_ptr<FloatBuffer> buffer) {
    constexpr std::size_t kMostFloats = std::size_t{1} << 24;
    kept_floats_ += buffer->size();
    kept_.push_back(std::move(buffer));
    while (kept_floats_ > kMostFloats) {
      kept_floats_ -= kept_.front()->size();
      kept_.erase(kept_.begin());
    }
  }

 private:
  std::vector<std::unique_ptr<FloatBuffer>> kept_;
  std::size_t kept_floats_ = 0;
};

}  // namespace headscope
