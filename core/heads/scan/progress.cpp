#include "core/heads/scan/progress.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace headscope {

Status ScanProgress::Append(const std::string& text, bool anew) const {
  errno = 0;
  std::ofstream file(path_, std::ios::binary | (anew ? std::ios::trunc : std::ios::app));
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
  if (!file) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: the scan's progress cannot be kept: {}",
                            path_.string(),
                            errno != 0 ? std::strerror(errno) : "it cannot be written"));
  }
  return {};
}

Result<ScanProgress> ScanProgress::Open(const std::filesystem::path& out,
                                        bool resume,
                                        ScanPart* part) {
  ScanProgress progress(out.string() + ".progress");
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(progress.path_, error);
  if (resume && !error && size > 0) {
    constexpr const char* kWayOut = "delete it, or leave --resume out to begin anew";
    Result<ScanPart> before = ReadPart(progress.path_);
    if (!before && before.error().code == ErrorCode::kFormat) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: not the progress of a scan as it was written, so that nothing "
                              "can go on from it; {}",
                              progress.path_.string(),
                              kWayOut));
    }
    HEADSCOPE_TRY(before);
    if (Status merged = MergePart(std::move(*before), progress.path_.string(), part); !merged) {
      merged.error().message += fmt::format("; {}", kWayOut);
      return PassOn(std::move(merged.error()));
    }
  }
  // Anew, so that a line that was cut short is gone.
  HEADSCOPE_TRY(progress.Append(PartText(*part), true));
  return progress;
}

Status ScanProgress::Keep(std::int64_t batch, const BatchSums& sums) const {
  return Append(BatchText(batch, sums), false);
}

void ScanProgress::Remove() const {
  std::error_code error;
  std::filesystem::remove(path_, error);
}

ScanClock::ScanClock(const ScanPart& part, std::int64_t shard, std::int64_t shards)
    : had_(std::ssize(part.done)),
      total_((part.about.batches - shard + shards - 1) / shards * (1 + part.about.twins)) {}

std::string ScanClock::Words(const ScanPart& part) const {
  const std::int64_t done = std::ssize(part.done);
  std::string words = fmt::format("{} of {} batches", done, total_);
  if (done == had_) {
    return words;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const double left =
      spent.count() / static_cast<double>(done - had_) * static_cast<double>(total_ - done);
  return left < 60.0 ? fmt::format("{}, {:.0f} s left", words, left)
                     : fmt::format("{}, {:.0f} min left", words, left / 60.0);
}

}  // namespace headscope
