// Writes the file of --frame-log: one line per drawn frame with the seconds since the program's
// start, the milliseconds of the window's thread that the frame took, and what was redrawn.
//
// Units    wall time from the events to the swap, including all their consequences, plus that of
//          preceding turns without a frame: all the time in which the window accepted no input.
//          After what was redrawn comes the same in processor time, which other programs do not
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
  double turn_processor_ms_ = 0.0;  // of this thread, at the start of the turn
  double earlier_ms_ = 0.0;         // of turns without a frame
  double earlier_processor_ms_ = 0.0;
};

}  // namespace headscope
