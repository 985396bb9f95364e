#include "core/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/tensor_needs.h"

namespace headscope {
namespace {

bool AreSame(const TensorView& a, const TensorView& b) {
  return a.type == b.type && a.shape == b.shape && std::ranges::equal(a.bytes, b.bytes);
}

// The tensors of a file by the names of a family.
class Names {
 public:
  Names(const TensorMap& tensors, std::span<const std::string_view> prefixes)
      : tensors_(tensors), prefixes_(prefixes.begin(), prefixes.end()) {}

  // Every tensor that could be meant, the likeliest first.
  [[nodiscard]] std::vector<std::string> Find(const std::string& name) const {
    std::vector<std::string> found;
    for (const std::string_view prefix : prefixes_) {
      for (const std::string& spelt : Spellings(name)) {
        std::string full = std::string(prefix) + spelt;
        if (tensors_.contains(full)) {
          found.push_back(std::move(full));
        }
      }
    }
    return found;
  }

  [[nodiscard]] bool Has(const std::string& name) const { return !Find(name).empty(); }

  // The prefix of the tensor that no file lacks goes before the others, and stands in messages.
  void PutFirst(const TensorNeed& embedding) {
    const auto has = [&](std::string_view prefix) {
      const auto is_there = [&](const std::string& name) {
        return tensors_.contains(std::string(prefix) + name);
      };
      return is_there(embedding.name) || std::ranges::any_of(embedding.stand_ins, is_there);
    };
    const auto own = std::ranges::find_if(prefixes_, has);
    if (own != prefixes_.end()) {
      std::rotate(prefixes_.begin(), own, own + 1);
    }
    is_known_ = own != prefixes_.end();
  }

  // Whether any class of the family could have saved the file.
  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] std::string WithPrefix(const std::string& name) const {
    return is_known_ ? std::string(prefixes_.front()) + name : name;
  }
  // A tensor whose name ends like this one.
  [[nodiscard]] std::optional<std::string> EndingIn(const std::string& name) const {
    const auto found = std::ranges::find_if(
        tensors_, [&](const auto& entry) { return entry.first.ends_with("." + name); });
    return found == tensors_.end() ? std::nullopt : std::optional(found->first);
  }
  [[nodiscard]] const TensorView& At(const std::string& full) const {
    return tensors_.find(full)->second;
  }

 private:
  static std::vector<std::string> Spellings(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOld = {
        {{".weight", ".gamma"}, {".bias", ".beta"}}};
    std::vector<std::string> spellings = {name};
    for (const auto& [ending, old_ending] : kOld) {
      if (name.ends_with(ending)) {
        spellings.push_back(name.substr(0, name.size() - ending.size()) + std::string(old_ending));
      }
    }
    return spellings;
  }

  const TensorMap& tensors_;
  std::vector<std::string_view> prefixes_;
  bool is_known_ = false;
};

// One name of the file for one of ours; empty: it holds none.
Result<std::string> OneOf(const Names& names, const std::string& name, const std::string& file) {
  const std::vector<std::string> found = names.Find(name);
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (!AreSame(names.At(found.front()), names.At(found[i]))) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: holds {} and {}, which stand for one thing and differ; expected "
                              "one of them, save the model again",
                              file,
                              Quoted(found.front()),
                              Quoted(found[i])));
    }
  }
  return found.empty() ? std::string() : found.front();
}

// Tied tensors are one where the file holds one of them, or the same twice; where they differ each
// is its own, whatever the config says.
Status Rename(const Names& names, const std::string& file, TensorNeed* need) {
  auto own = OneOf(names, need->name, file);
  HEADSCOPE_TRY(own);
  for (const std::string& stand_in : need->stand_ins) {
    auto other = OneOf(names, stand_in, file);
    HEADSCOPE_TRY(other);
    const bool is_meant =
        !other->empty() && (own->empty() || AreSame(names.At(*own), names.At(*other)));
    if (is_meant) {
      own = std::move(other);
    }
    if (!own->empty()) {
      break;
    }
  }
  need->name = own->empty() ? names.WithPrefix(need->name) : std::move(*own);
  return {};
}

bool HoldsLayers(const Names& names, const StackDescription& stack) {
  return std::ranges::any_of(stack.layer.front().query_key_value.matrices,
                             [&](const auto& part) { return names.Has(part.weight.name); });
}

// An encoder that was saved alone is a model of one part.
void KeepStacks(const Names& names, ModelDescription* description) {
  if (description->decoder && !HoldsLayers(names, *description->decoder) &&
      HoldsLayers(names, *description)) {
    description->decoder.reset();
    description->generation.reset();
  }
}

void UseStored(const Names& names, StackDescription* stack) {
  if (stack->stored_sinusoids && names.Has(stack->stored_sinusoids->name)) {
    stack->position_scheme = PositionScheme::kLearned;
    stack->position_embedding = std::move(stack->stored_sinusoids);
  }
  stack->stored_sinusoids.reset();
}

// An output layer is read to generate a text only; many files hold none.
Status FindOutput(const Names& names, const std::string& file, ModelDescription* description) {
  if (!description->generation) {
    return {};
  }
  GenerationRule& rule = *description->generation;
  const auto is_there = [&](const std::string& name) { return names.Has(name); };
  if (!is_there(rule.output.name) && std::ranges::none_of(rule.output.stand_ins, is_there)) {
    description->generation.reset();
    return {};
  }
  if (rule.bias && names.Has(rule.bias->name)) {
    HEADSCOPE_TRY(Rename(names, file, &*rule.bias));
  } else {
    rule.bias.reset();
  }
  return Rename(names, file, &rule.output);
}

// The same of a model of one part. A tied one is the token embedding, unless the file holds both
// and they differ.
Status FindOutputLayer(const Names& names, const std::string& file, ModelDescription* description) {
  if (!description->output_layer) {
    return {};
  }
  OutputLayer& layer = *description->output_layer;
  if (names.Has(layer.weight.name)) {
    HEADSCOPE_TRY(Rename(names, file, &layer.weight));
  } else if (description->ties_embeddings) {
    layer.weight = description->token_embedding;
  } else {
    layer.is_stored = false;
  }
  if (layer.projection) {
    TensorNeed& projection = layer.projection->matrices.front().weight;
    layer.is_stored = layer.is_stored && names.Has(projection.name);
    HEADSCOPE_TRY(Rename(names, file, &projection));
  }
  if (names.Has(layer.bias->name)) {
    return Rename(names, file, &*layer.bias);
  }
  layer.bias.reset();
  return {};
}

// "model.", "transformer." or nothing
std::string PrefixList(std::span<const std::string_view> prefixes) {
  std::string list;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    list += i == 0 ? "" : i + 1 == prefixes.size() ? " or " : ", ";
    list += prefixes[i].empty() ? "nothing" : Quoted(prefixes[i]);
  }
  return list;
}

}  // namespace

Status UseNamesOf(const TensorMap& tensors,
                  std::span<const std::string_view> prefixes,
                  const std::string& file,
                  ModelDescription* description) {
  Names names(tensors, prefixes);
  names.PutFirst(description->token_embedding);
  if (const auto foreign = names.EndingIn(description->token_embedding.name);
      foreign && !names.is_known()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: tensor {} is missing, and the name of {} begins as no {} model's "
                            "does; expected {} before it",
                            file,
                            Quoted(description->token_embedding.name),
                            Quoted(*foreign),
                            description->family,
                            PrefixList(prefixes)));
  }
  KeepStacks(names, description);
  UseStored(names, description);
  if (description->decoder) {
    UseStored(names, &*description->decoder);
  }
  for (TensorNeed* need : AllNeeds(description)) {
    HEADSCOPE_TRY(Rename(names, file, need));
  }
  HEADSCOPE_TRY(FindOutput(names, file, description));
  return FindOutputLayer(names, file, description);
}

}  // namespace headscope
