#include "app/platform/frame_log.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

// Returns how long this process has run, by the kernel's count (in hundredths of a second).
double SecondsSinceProcessStart() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // the name may contain spaces
  if (name_end == std::string::npos) {
    return 0.0;
  }
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) {
    fields >> skipped;
  }
  double start_ticks = 0.0;
  std::timespec now{};
  if (!(fields >> start_ticks) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) {
    return 0.0;
  }
  const double seconds = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return std::max(0.0, seconds - start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

double ProcessorMilliseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Result<FrameLog> FrameLog::Open(const std::filesystem::path& path) {
  FrameLog log;
  log.file_.reset(std::fopen(path.c_str(), "w"));
  if (!log.file_) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: the frame log cannot be written ({}); name a file in a folder "
                            "that exists and may be written to",
                            path.string(),
                            std::generic_category().message(errno)));
  }
  log.start_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(SecondsSinceProcessStart()));
  log.TurnBegins();
  return log;
}

void FrameLog::TurnBegins() {
  turn_ = Clock::now();
  turn_processor_ms_ = ProcessorMilliseconds();
}

void FrameLog::TurnEnds() {
  earlier_ms_ += std::chrono::duration<double, std::milli>(Clock::now() - turn_).count();
  earlier_processor_ms_ += ProcessorMilliseconds() - turn_processor_ms_;
}

void FrameLog::FrameEnds(std::string_view redrawn) {
  TurnEnds();
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string what(redrawn);
  std::replace(what.begin(), what.end(), ',', ';');
  const std::string line = fmt::format("{:.4f},{:.3f},{} {:.3f} ms of the processor\n",
                                       seconds,
                                       std::exchange(earlier_ms_, 0.0),
                                       what,
                                       std::exchange(earlier_processor_ms_, 0.0));
  // A full disk must not stop the window: the line is lost instead.
  std::fwrite(line.data(), 1, line.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace headscope
