#include "app/state/work_under_way.h"

#include <algorithm>
#include <tuple>

#include "app/state/work.h"

namespace headscope {
namespace {

template <typename Job>
void Add(std::vector<Work>* all) {
  for (Work work : WorksOf<Job>()) {
    work.turn = Job::kRule.turn;
    all->push_back(work);
  }
}

template <typename... Jobs>
std::vector<Work> AllOf(const std::variant<Jobs...>* /*request*/) {
  std::vector<Work> all;
  (Add<Jobs>(&all), ...);
  return all;
}

}  // namespace

const std::vector<Work>& Works() {
  static const std::vector<Work> kAll = AllOf(static_cast<const Request*>(nullptr));
  return kAll;
}

std::vector<WorkUnderWay> AllWork(const AppState& state) {
  std::vector<WorkUnderWay> all;
  if (!state.loading_session.empty()) {
    all.push_back({.turn = -1, .progress = {0, 0, "reading the session"}, .is_long = false});
  }
  for (const Work& work : Works()) {
    const Asking& asked = work.of(state);
    if (asked.request != 0) {
      const Progress told{asked.progress.done, asked.progress.total, work.words};
      all.push_back({.turn = work.turn,
                     .request = asked.request,
                     .progress = work.progress != nullptr ? work.progress(state) : told,
                     .is_long = work.is_long});
    }
  }
  std::ranges::sort(all, {}, [](const WorkUnderWay& work) {
    return std::tuple(work.turn, work.request);  // of equals the oldest goes first
  });
  return all;
}

bool Busy(const AppState& state) {
  return !AllWork(state).empty();
}

}  // namespace headscope
