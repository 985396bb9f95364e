// The file of --frame-log: a line per drawn frame with the seconds since the program's start, the
// milliseconds from its events to its swap, and what was redrawn.
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

  void FrameBegins();                        // when WaitEvents has returned
  void FrameEnds(std::string_view redrawn);  // when Swap has returned; commas become semicolons

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<std::FILE, CloseFile> file_;
  Clock::time_point start_;
  Clock::time_point frame_;
};

}  // namespace headscope
