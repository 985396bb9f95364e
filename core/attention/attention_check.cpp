#include "core/attention/attention_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/half.h"
#include "core/base/mapped_file.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsChecked = std::int64_t{1} << 15U;
constexpr std::size_t kWorthReleasing = std::size_t{1} << 20U;

// Keeps the first place, or the one further from what it should be.
void Note(const FaultPlace& place, Fault* fault) {
  if (fault->count++ == 0) {
    fault->place = place;
  }
}

void NoteWorst(const FaultPlace& place, double expected, Fault* fault) {
  const auto distance = [expected](const FaultPlace& each) {
    const double off = std::abs(each.value - expected);
    return std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
  };
  if (fault->count++ == 0 || distance(place) > distance(fault->place)) {
    fault->place = place;
  }
}

void Join(const Fault& other, double expected, bool keeps_worst, Fault* fault) {
  if (other.count == 0) {
    return;
  }
  const std::int64_t count = fault->count + other.count;
  if (keeps_worst) {
    NoteWorst(other.place, expected, fault);
  } else {
    Note(other.place, fault);
  }
  fault->count = count;
}

// Checks one map, row by row.
class MapCheck {
 public:
  MapCheck(const GivenPart& part, std::int64_t layer, std::int64_t head)
      : part_(part), is_square_(part.queries == part.keys) {
    at_.layer = layer;
    at_.head = head;
    tolerance_ = RowTolerance(part.tensors.front().type);
  }

  void Run(const std::stop_token& stop) {
    const TensorView& weights = part_.tensors[static_cast<std::size_t>(at_.layer)];
    const std::int64_t keys = part_.keys;
    const std::int64_t block = std::max<std::int64_t>(1, kCellsChecked / keys);
    std::vector<float> rows(static_cast<std::size_t>(std::min(block, part_.queries) * keys));
    for (std::int64_t query = 0; query < part_.queries; query += block) {
      if (stop.stop_requested()) {
        return;
      }
      const std::int64_t count = std::min(block, part_.queries - query);
      const std::span<float> own(rows.data(), static_cast<std::size_t>(count * keys));
      ConvertToFloat(weights, (at_.head * part_.queries + query) * keys, own);
      std::vector<float> sinks(static_cast<std::size_t>(count));
      if (part_.sinks) {
        ConvertToFloat(
            *part_.sinks, (at_.layer * part_.heads + at_.head) * part_.queries + query, sinks);
      }
      for (std::int64_t i = 0; i < count; ++i) {
        Row(query + i,
            static_cast<double>(sinks[static_cast<std::size_t>(i)]),
            own.subspan(static_cast<std::size_t>(i * keys), static_cast<std::size_t>(keys)));
      }
    }
    findings.rows = part_.queries;
    findings.maps = 1;
    if (ahead_.count > 0) {
      findings.looks_ahead = {1, ahead_.place};
    }
  }

  PartFindings findings;
  std::int64_t reach = 0;

 private:
  // `sink` is what the row's sink takes.
  void Row(std::int64_t query, double sink, std::span<const float> row) {
    at_.query = query;
    double sum = sink;
    float least = 0.0F;
    float most = 0.0F;
    for (const float weight : row) {
      sum += static_cast<double>(weight);
      least = std::min(least, weight);
      most = std::max(most, weight);
    }
    if (!(std::abs(sum - 1.0) <= tolerance_)) {
      NoteWorst(At(-1, sum), 1.0, &findings.sums);
    }
    // Almost no row has any of these: only a row that has is searched for the cell.
    if (least < 0.0F || static_cast<double>(most) > 1.0 + tolerance_ || !std::isfinite(sum)) {
      Cells(row);
    }
    if (is_square_) {
      const auto after = row.subspan(static_cast<std::size_t>(query) + 1);
      const auto ahead = std::ranges::find_if(after, [](float weight) { return weight != 0.0F; });
      if (ahead != after.end() && ahead_.count == 0) {
        Note(At(query + 1 + (ahead - after.begin()), static_cast<double>(*ahead)), &ahead_);
      }
      const auto first = std::ranges::find_if(row, [](float weight) { return weight != 0.0F; });
      reach = std::max(reach, query - static_cast<std::int64_t>(first - row.begin()));
    }
  }

  void Cells(std::span<const float> row) {
    for (std::size_t key = 0; key < row.size(); ++key) {
      const FaultPlace place = At(static_cast<std::int64_t>(key), static_cast<double>(row[key]));
      if (!std::isfinite(row[key])) {
        Note(place, &findings.not_finite);
      } else if (row[key] < 0.0F) {
        Note(place, &findings.negative);
      } else if (place.value > 1.0 + tolerance_) {
        NoteWorst(place, 1.0, &findings.above_one);
      }
    }
  }

  [[nodiscard]] FaultPlace At(std::int64_t key, double value) const {
    FaultPlace place = at_;
    place.key = key;
    place.value = value;
    return place;
  }

  const GivenPart& part_;
  bool is_square_;
  double tolerance_ = 0.0;
  FaultPlace at_;
  Fault ahead_;
};

void Join(const PartFindings& map, PartFindings* all) {
  all->rows += map.rows;
  all->maps += map.maps;
  Join(map.sums, 1.0, true, &all->sums);
  Join(map.negative, 0.0, false, &all->negative);
  Join(map.not_finite, 0.0, false, &all->not_finite);
  Join(map.above_one, 1.0, true, &all->above_one);
  Join(map.looks_ahead, 0.0, false, &all->looks_ahead);
}

std::string Number(double value) {
  return std::isnan(value)   ? "NaN"
         : std::isinf(value) ? (value > 0 ? "infinity" : "-infinity")
                             : fmt::format("{:.5g}", value);
}

}  // namespace

double RowTolerance(DataType type) {
  switch (type) {
    case DataType::kF16:
      return 2e-3;
    case DataType::kBf16:
      return 1e-2;
    default:
      return 1e-4;
  }
}

Result<PartFindings> CheckPart(const GivenPart& part, const std::stop_token& stop) {
  PartFindings all;
  const auto layers = static_cast<std::int64_t>(part.tensors.size());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    std::vector<MapCheck> maps;
    maps.reserve(static_cast<std::size_t>(part.heads));
    for (std::int64_t head = 0; head < part.heads; ++head) {
      maps.emplace_back(part, layer, head);
    }
#pragma omp parallel for schedule(dynamic) default(none) shared(maps, stop)
    for (std::size_t head = 0; head < maps.size(); ++head) {
      maps[head].Run(stop);
    }
    HEADSCOPE_TRY(CheckStop(stop));
    std::int64_t reach = 0;
    for (const MapCheck& map : maps) {
      Join(map.findings, &all);
      reach = std::max(reach, map.reach);
    }
    all.reach.push_back(reach);
    const TensorView& weights = part.tensors[static_cast<std::size_t>(layer)];
    if (weights.bytes.size() >= kWorthReleasing) {
      ReleasePages(weights.bytes);
    }
  }
  return all;
}

std::string GivenMapName(ModelPart part, std::int64_t layer, std::int64_t head) {
  return fmt::format("{}{}H{}", PartLetter(part), layer, head);
}

std::vector<std::string> FaultSentences(const GivenPart& part, const PartFindings& findings) {
  std::vector<std::string> sentences;
  const auto where = [&](const FaultPlace& place) {
    std::string text = fmt::format(
        "{} query {}",
        GivenMapName(part.part, part.layers[static_cast<std::size_t>(place.layer)], place.head),
        place.query);
    return place.key >= 0 ? text + fmt::format(" key {}", place.key) : text;
  };
  if (const Fault& fault = findings.sums; fault.count > 0) {
    sentences.push_back(fmt::format("{} of {} {} not sum to 1 within {}: the worst, {}, sums to {}",
                                    fault.count,
                                    Counted(findings.rows, "row"),
                                    fault.count == 1 ? "does" : "do",
                                    RowTolerance(part.tensors.front().type),
                                    where(fault.place),
                                    Number(fault.place.value)));
  }
  const auto add = [&](const Fault& fault, const char* what, const char* which, const char* drawn) {
    if (fault.count > 0) {
      sentences.push_back(fmt::format("{} {} {}, {} {} at {}{}",
                                      fault.count,
                                      fault.count == 1 ? "weight is" : "weights are",
                                      what,
                                      which,
                                      Number(fault.place.value),
                                      where(fault.place),
                                      drawn));
    }
  };
  add(findings.not_finite, "not finite", "first", "; drawn as 0");
  add(findings.negative, "below 0", "first", "; drawn as 0");
  add(findings.above_one, "above 1", "the largest", "");
  return sentences;
}

}  // namespace headscope
