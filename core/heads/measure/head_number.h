// What a number of a head is: how it is called, what it means, how its values are written and where it stands in lists.
// Each says so once, in the file that describes it (core/heads/decide/numbers.h lists them all); whoever shows, writes or
// explains a number reads it here.
//
// Threads  immutable; any thread reads.
// Source   docs/reference.md, "score"; each number's own.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/model_part.h"

namespace headscope {

struct NumberWords {
  std::string_view about;              // "the share of attention on the token before"
  std::string_view formula;            // as it can be checked by hand
  std::string_view chance;             // what chance is here
  std::string_view control = {};       // what it is held against besides; empty: nothing
  std::string_view control_name = {};  // in a sentence: "the same distance with the wrong token"
  std::string_view source;
  std::string_view pitfall;
  std::string_view needs;  // why it may have no row: "a model that looks ahead"
};

enum class NumberGroup {
  kMetric,   // a share of rows, or another number of them: a role may rest on its threshold
  kMeasure,  // decides no role; comes after the scan and stands apart
  kOther,    // its roles are decided in a way of its own
};

enum class NumberScale {
  kPlain,
  kShare,   // from 0 to 1, and more of it is better
  kSigned,  // above 0 it says one thing, below 0 the opposite
};

// How values are written: "0.80", "+1.23", "83 %".
struct NumberForm {
  int digits = 2;           // after the point
  bool has_plus = false;    // where they are above 0
  bool is_percent = false;  // of a share
};

struct HeadNumber {
  std::string id;    // in files: "previous_token"
  std::string name;  // on screen: "previous token"
  int place = 0;     // in lists; of equal ones the one with more cases comes first
  NumberGroup group = NumberGroup::kOther;
  NumberScale scale = NumberScale::kPlain;
  NumberForm form = {};
  std::string_view noun = "row";  // one case of it, and many where an "s" is not enough
  std::string_view nouns = {};
  NumberWords words;
  std::string_view brief = {};    // in lists; empty: the target, or what it is about
  std::string_view hint = {};     // where a person points at it; empty: all of its words
  std::string target = {};        // of a share, in a sentence: "the previous token"
  std::string cross_target = {};  // the same of cross-attention, where it is another
  // A role that a high value is evidence for (core/heads/flags/role.h), and the value that makes it so.
  std::string_view role = {};
  double threshold = 0.0;
  bool is_of_repeats = false;   // it speaks from repeats, where there are any
  bool is_of_words = false;     // of pairs of annotated words: its control is the best of several
  bool is_far = false;          // one of many alike: listed where a head keeps to it
  bool is_awaited = false;      // listed before it has a score
  bool is_chance_zero = false;  // chance is 0 whatever the rows are, and is not told
  // Many numbers of one kind, which `id` names together: what the id of each begins with, and what each is called.
  std::string_view prefix = {};
  std::string (*name_of)(std::string_view id) = nullptr;
  std::string (*label_of)(std::string_view id) = nullptr;  // where there is little room

  [[nodiscard]] bool is_share() const { return scale == NumberScale::kShare; }
  [[nodiscard]] bool Has(std::string_view number) const {
    return prefix.empty() ? number == id : number.starts_with(prefix);
  }
  [[nodiscard]] std::string NameOf(std::string_view number) const {
    return name_of != nullptr ? name_of(number) : name;
  }
  [[nodiscard]] std::string LabelOf(std::string_view number) const {
    return label_of != nullptr ? label_of(number) : name;
  }
  [[nodiscard]] const std::string& TargetIn(ModelPart part) const {
    return part == ModelPart::kCross && !cross_target.empty() ? cross_target : target;
  }
};

// What several files describe, in the order of their places.
template <typename Number>
[[nodiscard]] std::vector<Number> InPlaces(std::initializer_list<std::vector<Number> (*)()> files) {
  std::vector<Number> all;
  for (const auto& file : files) {
    std::ranges::move(file(), std::back_inserter(all));
  }
  std::ranges::stable_sort(all, {}, [](const Number& one) { return one.place; });
  return all;
}

// Null: there is none.
template <typename Number>
[[nodiscard]] const Number* FindById(std::span<const Number> all, std::string_view id) {
  const auto found = std::ranges::find_if(all, [id](const Number& one) { return one.Has(id); });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace headscope
