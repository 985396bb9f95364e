#include "app/window/train_orders.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "app/files/user_folders.h"
#include "core/train/kept_runs.h"

namespace headscope {
namespace {

// Steps that are opened and not saved.
std::filesystem::path OpenedStepsFolder() {
  const std::filesystem::path cache = OwnCacheFolder();
  std::error_code error;
  return cache.empty() ? std::filesystem::temp_directory_path(error) / "headscope-trained"
                       : cache / "trained";
}

}  // namespace

std::filesystem::path TrainShelf() {
  const std::filesystem::path state = StateFolder();
  return state.empty() ? state : state / "trainings";
}

void FindKeptRuns(const std::filesystem::path& shelf, Errands* errands) {
  if (!shelf.empty()) {
    errands->Send(
        [shelf]() -> std::vector<Action> { return {KeptRunsFound{ListKeptRuns(shelf)}}; });
  }
}

void DoTrainOrder(const TrainOrder& order,
                  const std::filesystem::path& shelf,
                  TrainCrew* crew,
                  Errands* errands) {
  switch (order.kind) {
    case TrainOrder::Kind::kBegin:
      return crew->Begin(order.run, order.settings, {shelf, order.name});
    case TrainOrder::Kind::kResume:
      return crew->Resume(order.run, order.folder, order.trains);
    case TrainOrder::Kind::kDiscard:
      return errands->Send([shelf, folder = order.folder]() -> std::vector<Action> {
        const Status status = DiscardKeptRun(folder);
        return {KeptRunsFound{ListKeptRuns(shelf), status ? "" : status.error().message}};
      });
    case TrainOrder::Kind::kPause:
      return crew->Pause(order.run);
    case TrainOrder::Kind::kGoOn:
      return crew->GoOn(order.run);
    case TrainOrder::Kind::kStepOnce:
      return crew->StepOnce(order.run);
    case TrainOrder::Kind::kGoBack:
      return crew->GoBack(order.run, order.step);
    case TrainOrder::Kind::kLook:
      return crew->Look(order.run, order.step);
    case TrainOrder::Kind::kEnd:
      return crew->End(order.run);
    case TrainOrder::Kind::kWriteStep:
      return crew->WriteStep(order.run, order.step, OpenedStepsFolder() / order.name);
    case TrainOrder::Kind::kWriteAll:
      return crew->WriteAll(order.run, order.folder / order.name);
  }
}

}  // namespace headscope
