#include "core/heads/decide/numbers.h"

#include <algorithm>

#include "core/heads/measure/measure.h"
#include "core/heads/measure/metric.h"

#define HEADSCOPE_ENTRY(name) std::vector<HeadNumber> name##Numbers();
namespace headscope {
#include "registry/numbers.inc"
}
#undef HEADSCOPE_ENTRY

namespace headscope {

std::span<const HeadNumber* const> AllNumbers() {
#define HEADSCOPE_ENTRY(name) name##Numbers,
  static const std::vector<HeadNumber> kOthers = InPlaces<HeadNumber>({
#include "registry/numbers.inc"
  });
#undef HEADSCOPE_ENTRY
  static const std::vector<const HeadNumber*> kAll = [] {
    std::vector<const HeadNumber*> all;
    const auto add = [&all](const auto& numbers) {
      for (const HeadNumber& number : numbers) {
        all.push_back(&number);
      }
    };
    add(AllMetrics());
    add(AllMeasures());
    add(kOthers);
    return all;
  }();
  return kAll;
}

const HeadNumber* FindNumber(std::string_view id) {
  const auto all = AllNumbers();
  const auto found =
      std::ranges::find_if(all, [id](const HeadNumber* number) { return number->Has(id); });
  return found != all.end() ? *found : nullptr;
}

}  // namespace headscope
