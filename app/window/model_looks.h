// Reads what the lists say of models that are not open, without making the window wait.
//
// Threads  UI thread; files are read on a thread of its own. The destructor waits for the model that
//          is being read, not for the others.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "app/window/errands.h"

namespace headscope {

class ModelLooks {
 public:
  explicit ModelLooks(std::function<void()> wake);
  ~ModelLooks();
  ModelLooks(const ModelLooks&) = delete;
  ModelLooks& operator=(const ModelLooks&) = delete;

  // Answers with one ModelsLookedAt a folder.
  void Look(const std::vector<std::filesystem::path>& folders);
  [[nodiscard]] Errands& errands() { return errands_; }

 private:
  std::stop_source stop_;
  Errands errands_;
};

}  // namespace headscope
