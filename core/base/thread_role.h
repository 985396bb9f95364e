// What a thread is for, so that work that takes long or waits for a disk can check that it is not
// on the drawing thread.
//
// Errors   a violation is our own bug. Builds for development and tests (every build but Release)
//          abort and name the work; a Release build goes on, since a late frame is better than a
//          lost session.
// Threads  each has its own role; OpenMP's threads have none.
// Cost     reads one thread-local variable.
#pragma once

namespace headscope {

enum class ThreadRole { kNone, kDrawing, kWorker, kErrands };

// Sets this thread's role while it exists, and restores the previous one afterwards.
class InThreadRole {
 public:
  explicit InThreadRole(ThreadRole role);
  ~InThreadRole();
  InThreadRole(const InThreadRole&) = delete;
  InThreadRole& operator=(const InThreadRole&) = delete;

 private:
  ThreadRole before_;
};

[[nodiscard]] ThreadRole CurrentThreadRole();

// Call it at the start of such work, with a name for it: "opening a model".
void CheckNotDrawing(const char* work);

// Replaces what a violation does; null restores the default. For tests, while only one thread runs.
using DrawingViolation = void (*)(const char* work);
void SetDrawingViolation(DrawingViolation violation);

}  // namespace headscope
