#include "app/state/text/samples.h"

#include <algorithm>

#include "core/model/model_series.h"

namespace headscope {

bool AreOfOneFamily(const std::string& a, const std::string& b) {
  const std::string first = a.substr(0, a.find('/'));
  const std::string second = b.substr(0, b.find('/'));
  const auto member_a = ParseFamilyMember(first);
  const auto member_b = ParseFamilyMember(second);
  return first == second || (member_a && member_b && member_a->family == member_b->family);
}

const Sample* SampleFor(const std::vector<Sample>& samples, const std::string& model) {
  const auto find = [&samples](const auto& fits) {
    const auto found = std::ranges::find_if(samples, fits);
    return found != samples.end() ? &*found : nullptr;
  };
  if (const auto* own = find([&](const Sample& sample) { return sample.model == model; })) {
    return own;
  }
  if (const auto* own = find([&](const Sample& sample) {
        return !sample.model.empty() && AreOfOneFamily(sample.model, model);
      })) {
    return own;
  }
  return find([](const Sample& sample) { return !sample.only_model; });
}

bool IsMadeFor(const Sample& sample, const ModelInfo* model) {
  return model != nullptr && model->takes_text && !sample.model.empty() &&
         sample.model == model->name;
}

std::string AboutSample(const Sample& sample, const ModelInfo* model) {
  return IsMadeFor(sample, model) && !sample.of_model.empty() ? sample.about + " " + sample.of_model
                                                              : sample.about;
}

}  // namespace headscope
