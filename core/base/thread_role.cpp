#include "core/base/thread_role.h"

#include <atomic>
#include <utility>

#include "core/base/check.h"

namespace headscope {
namespace {

thread_local ThreadRole current = ThreadRole::kNone;
std::atomic<DrawingViolation> in_place = nullptr;

}  // namespace

InThreadRole::InThreadRole(ThreadRole role) : before_(std::exchange(current, role)) {}

InThreadRole::~InThreadRole() {
  current = before_;
}

ThreadRole CurrentThreadRole() {
  return current;
}

void CheckNotDrawing(const char* work) {
  if (current != ThreadRole::kDrawing) {
    return;
  }
  if (const DrawingViolation violation = in_place.load()) {
    violation(work);
    return;
  }
#ifdef HEADSCOPE_GUARDS_DRAWING
  CheckFailed("not on the thread that draws", work, __FILE__, __LINE__);
#endif
}

void SetDrawingViolation(DrawingViolation violation) {
  in_place = violation;
}

}  // namespace headscope
