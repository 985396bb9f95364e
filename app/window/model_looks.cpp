#include "app/window/model_looks.h"

#include <utility>

#include "core/model/model_summary.h"

namespace headscope {

ModelLooks::ModelLooks(std::function<void()> wake) : errands_(std::move(wake)) {}

ModelLooks::~ModelLooks() {
  stop_.request_stop();
}

void ModelLooks::Look(const std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : folders) {
    errands_.Send([folder, stop = stop_.get_token()]() -> std::vector<Action> {
      if (stop.stop_requested()) {
        return {};
      }
      return {ModelsLookedAt{{{folder, InWords(SummariseModel(folder, stop))}}}};
    });
  }
}

}  // namespace headscope
