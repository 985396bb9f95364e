// How many threads OpenMP gives.
//
// Threads  the setting is the calling thread's own.
#pragma once

#include <algorithm>
#include <omp.h>

namespace headscope {

// Makes parallel regions of this thread have so many threads, at most as many as OMP_THREAD_LIMIT
// allows (0: one for each processor), and returns how many. oneDNN divides its work among the
// threads that were asked for: given fewer, it leaves some of it undone.
inline int UseTeamOf(int threads) {
  const int given =
      std::min(threads > 0 ? threads : omp_get_num_procs(), std::max(omp_get_thread_limit(), 1));
  omp_set_dynamic(0);
  omp_set_num_threads(given);
  return given;
}

}  // namespace headscope
