#include "core/model/plain_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {
namespace {

// Parts of a name that wrappers insert, at any place.
constexpr std::array<std::string_view, 5> kWrappers = {"_orig_mod.",
                                                       "module.",
                                                       "_fsdp_wrapped_module.",
                                                       "_checkpoint_wrapped_module.",
                                                       "_forward_module."};
// Outer models' prefixes, which may be repeated.
constexpr std::array<std::string_view, 3> kOuter = {"model.", "language_model.", "text_model."};
// Endings of norms in old files.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOldEndings = {
    {{".gamma", ".weight"}, {".beta", ".bias"}}};

std::string WithoutWrappers(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot == std::string_view::npos ? dot : dot + 1);
    if (std::ranges::find(kWrappers, part) == kWrappers.end()) {
      plain += part;
    }
    name.remove_prefix(part.size());
  }
  return plain;
}

std::string_view WithoutOuter(std::string_view name) {
  const auto* outer = kOuter.end();
  const auto is_before = [&](std::string_view one) { return name.starts_with(one); };
  while ((outer = std::ranges::find_if(kOuter, is_before)) != kOuter.end()) {
    name.remove_prefix(outer->size());
  }
  return name;
}

}  // namespace

PlainNames::PlainNames(const WeightStore& weights, std::span<const std::string_view> prefixes)
    : weights_(weights) {
  for (const std::string_view prefix : prefixes) {
    if (const std::string_view own = WithoutOuter(prefix); !own.empty()) {
      prefixes_.push_back(own);
    }
  }
  for (const auto& [full, tensor] : weights.tensors()) {
    full_of_[Plain(full)].push_back(full);
  }
}

std::string PlainNames::Plain(std::string_view full) const {
  const std::string unwrapped = WithoutWrappers(full);
  std::string_view plain = WithoutOuter(unwrapped);
  const auto own = std::ranges::find_if(
      prefixes_, [&](std::string_view prefix) { return plain.starts_with(prefix); });
  if (own != prefixes_.end()) {
    plain.remove_prefix(own->size());
  }
  for (const auto& [old_ending, ending] : kOldEndings) {
    if (plain.ends_with(old_ending)) {
      return std::string(plain.substr(0, plain.size() - old_ending.size())) + std::string(ending);
    }
  }
  return std::string(plain);
}

const std::vector<std::string>& PlainNames::Find(std::string_view plain) const {
  static const std::vector<std::string> kNone;
  const auto found = full_of_.find(plain);
  return found == full_of_.end() ? kNone : found->second;
}

void PlainNames::Add(std::string_view plain, const std::string& full) {
  full_of_[std::string(plain)].push_back(full);
}

bool PlainNames::PutFirst(std::string_view plain) {
  const std::vector<std::string>& all = Find(plain);
  const auto first =
      std::ranges::find_if(all, [&](const std::string& full) { return full.ends_with(plain); });
  if (first == all.end()) {
    return false;
  }
  prefix_ = first->substr(0, first->size() - plain.size());
  for (auto& [name, found] : full_of_) {
    const std::string first_name = prefix_ + name;
    std::stable_partition(
        found.begin(), found.end(), [&](const std::string& full) { return full == first_name; });
  }
  return true;
}

bool PlainNames::has_class_prefix() const {
  return !WithoutWrappers(prefix_).empty();
}

}  // namespace headscope
