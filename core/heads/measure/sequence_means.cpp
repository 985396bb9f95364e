#include "core/heads/measure/sequence_means.h"

#include <algorithm>

namespace headscope {

bool KeepsSequence(const ProbeCorpus& corpus, std::size_t place, std::size_t heads) {
  const std::vector<ProbeSequence>& all = corpus.sequences;
  const std::size_t each = all.size() > 1 && all[1].is_control ? 2 : 1;  // with its control
  const std::size_t most = std::max<std::size_t>(kMostKeptMeans / heads, 1);
  const std::size_t step = std::max<std::size_t>((all.size() / each + most - 1) / most, 1);
  return place / each % step == 0;
}

}  // namespace headscope
