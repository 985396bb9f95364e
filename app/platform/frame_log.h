// The file of --frame-log: a line per drawn frame with the seconds since the program's start, the
// milliseconds of the window's thread that it took, and what was redrawn.
//
// Units    wall time from the events to the swap, what followed from them included, and that of
//          turns without a frame before it: all the time in which the window took no input. Behind
//          what was redrawn stands the processor time of the same, which other programs do not
//          lengthen.
//
// Errors   kIo, naming the file.
// Threads  UI thread.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/error.h"

namespace headscope {

class FrameLog {
 public:
  [[nodiscard]] static Result<FrameLog> Open(const std::filesystem::path& path);

  void TurnBegins();                         // when WaitEvents has returned
  void TurnEnds();                           // nothing was drawn: the next frame counts it
  void FrameEnds(std::string_view redrawn);  // before the next wait; commas become semicolons

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<std::FILE, CloseFile> file_;
  Clock::time_point start_;
  Clock::time_point turn_;
  double turn_processor_ms_ = 0.0;  // of this thread, when the turn began
  double earlier_ms_ = 0.0;         // of turns without a frame
  double earlier_processor_ms_ = 0.0;
};

}  // namespace headscope
