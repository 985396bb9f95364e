#include "core/worker/film_kept.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace headscope {

void FilmKept::Begin(const InputText& input, std::size_t steps) {
  if (!(input == input_) || !input.embeddings.empty()) {
    steps_.clear();
    input_ = input;
  }
  asked_ = steps;
}

std::shared_ptr<const FilmStepRun> FilmKept::Find(const std::filesystem::path& folder) const {
  const auto found =
      std::ranges::find_if(steps_, [&](const auto& step) { return step->folder == folder; });
  std::error_code failed;
  return found != steps_.end() &&
                 (*found)->written == std::filesystem::last_write_time(folder, failed) && !failed
             ? *found
             : nullptr;
}

bool FilmKept::HasRoom(const ModelDescription& model,
                       std::int64_t tokens,
                       std::int64_t target_tokens) const {
  const std::int64_t most = std::max(tokens, target_tokens);
  const std::int64_t side = std::min(most, kThumbnailSize);
  std::int64_t floats = 0;
  for (const ModelPart part : PartsOf(model)) {
    const StackDescription& stack = StackOf(model, part);
    for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
      const std::int64_t of_head = 2 * most * (stack.WidthsAt(layer).key + 1) + 2 * side * side;
      floats += stack.heads * of_head;
    }
  }
  return floats * 4 * static_cast<std::int64_t>(std::max(asked_, steps_.size())) <= kMostFilmBytes;
}

std::shared_ptr<const HeadScanReport> FilmKept::FindScan(const std::string& fingerprint,
                                                         const HeadScanSettings& settings) const {
  const auto found = scans_.find(fingerprint);
  return found != scans_.end() && settings == settings_ ? found->second : nullptr;
}

void FilmKept::KeepScan(const std::string& fingerprint,
                        const HeadScanSettings& settings,
                        std::shared_ptr<const HeadScanReport> report) {
  if (!(settings == settings_)) {
    scans_.clear();
    settings_ = settings;
  }
  scans_[fingerprint] = std::move(report);
}

void FilmKept::Keep(std::shared_ptr<const FilmStepRun> step) {
  std::erase_if(steps_, [&](const auto& other) { return other->folder == step->folder; });
  steps_.push_back(std::move(step));
}

}  // namespace headscope
