#include "core/heads/row_sums.h"

#include <algorithm>
#include <cstddef>

namespace headscope {

void MetricSums::Add(const MetricSums& other) {
  rows += other.rows;
  control_rows += other.control_rows;
  sequences += other.sequences;
  heads.resize(std::max(heads.size(), other.heads.size()));
  for (std::size_t head = 0; head < other.heads.size(); ++head) {
    heads[head].Add(other.heads[head]);
  }
}

void AddSums(const ScanSums& from, ScanSums* to) {
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t metric = 0; metric < from.size(); ++metric) {
    (*to)[metric].resize(std::max((*to)[metric].size(), from[metric].size()));
    for (std::size_t group = 0; group < from[metric].size(); ++group) {
      (*to)[metric][group].Add(from[metric][group]);
    }
  }
}

}  // namespace headscope
