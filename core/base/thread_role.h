// What a thread is for, so that work that takes long or waits for a disk can say that it does not
// belong on the one that draws.
//
// Errors   a violation is our own bug. Where the program is developed and tested (every build but
//          Release) it aborts and names the work; a Release build goes on: a frame that comes late
//          is better than a session that is lost.
// Threads  each has a role of its own; threads of OpenMP have none.
// Cost     a look at a thread's own variable.
#pragma once

namespace headscope {

enum class ThreadRole { kNone, kDrawing, kWorker, kErrands };

// The role of this thread while it lives; afterwards the one before.
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

// At the start of such work: "opening a model".
void CheckNotDrawing(const char* work);

// What a violation does in place of the above; null: that again. For tests, while one thread runs.
using DrawingViolation = void (*)(const char* work);
void SetDrawingViolation(DrawingViolation violation);

}  // namespace headscope
