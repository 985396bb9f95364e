#include "core/model/tensor_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/packed_experts.h"
#include "core/model/plain_names.h"
#include "core/model/stacked_experts.h"
#include "core/model/tensor_needs.h"
#include "core/model/unknown_tensors.h"

namespace headscope {
namespace {

bool AreSame(const TensorView& a, const TensorView& b) {
  return a.type == b.type && a.shape == b.shape && a.added == b.added &&
         std::ranges::equal(a.bytes, b.bytes);
}

// Names of output layers tied to the token embedding. A file may hold one of these in place of the
// embedding.
constexpr std::array<std::string_view, 5> kOutputs = {"lm_head.weight",
                                                      "lm_head.decoder.weight",
                                                      "cls.predictions.decoder.weight",
                                                      "vocab_projector.weight",
                                                      "embed_out.weight"};

bool IsTiedOutput(const std::string& plain) {
  return std::ranges::find(kOutputs, plain) != kOutputs.end();
}

// Reads tied tensors from the metadata: for each missing name, the existing one. If the config ties
// no output layer to the embedding, none is tied.
void AddTied(const ModelDescription& description, PlainNames* names) {
  const WeightStore& weights = names->weights();
  for (const auto& [left_out, kept] : weights.metadata()) {
    const std::string plain = names->Plain(left_out);
    if (weights.Find(kept) != nullptr && weights.Find(left_out) == nullptr &&
        (description.ties_embeddings || IsTiedOutput(plain) == IsTiedOutput(names->Plain(kept)))) {
      names->Add(plain, kept);
    }
  }
}

// Ties the output layer as the config says.
void TieOutput(const PlainNames& names, ModelDescription* description) {
  TensorNeed& embedding = description->token_embedding;
  if (description->ties_embeddings && !description->decoder && !names.Has(embedding.name)) {
    embedding.stand_ins.insert(embedding.stand_ins.end(), kOutputs.begin(), kOutputs.end());
  }
}

bool HasAny(const PlainNames& names, const TensorNeed& need) {
  const auto is_there = [&](const std::string& name) { return names.Has(name); };
  return is_there(need.name) || std::ranges::any_of(need.stand_ins, is_there);
}

// Returns a tensor whose name ends like this one.
std::optional<std::string> EndingIn(const TensorMap& tensors, const std::string& name) {
  const auto found = std::ranges::find_if(
      tensors, [&](const auto& entry) { return entry.first.ends_with("." + name); });
  return found == tensors.end() ? std::nullopt : std::optional(found->first);
}

// Returns the file's name for one of ours; empty if it has none.
Result<std::string> OneOf(const PlainNames& names,
                          const std::string& name,
                          const std::string& file) {
  const std::vector<std::string>& found = names.Find(name);
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

// Tied tensors are one if the file has only one of them, or two equal ones; if they differ, each is
// its own, whatever the config says.
Status Rename(const PlainNames& names, const std::string& file, TensorNeed* need) {
  HEADSCOPE_TRY(auto own, OneOf(names, need->name, file));
  for (const std::string& stand_in : need->stand_ins) {
    HEADSCOPE_TRY(auto other, OneOf(names, stand_in, file));
    const bool is_meant =
        !other.empty() && (own.empty() || AreSame(names.At(own), names.At(other)));
    if (is_meant) {
      own = std::move(other);
    }
    if (!own.empty()) {
      break;
    }
  }
  need->name = own.empty() ? names.prefix() + need->name : std::move(own);
  return {};
}

bool HoldsLayers(const PlainNames& names, const StackDescription& stack) {
  return std::ranges::any_of(FirstProduct(stack.layer.front()).matrices,
                             [&](const auto& part) { return HasAny(names, part.weight); });
}

// An encoder that was saved alone is a model of one part.
void KeepStacks(const PlainNames& names, ModelDescription* description) {
  if (description->decoder && !HoldsLayers(names, *description->decoder) &&
      HoldsLayers(names, *description)) {
    description->decoder.reset();
    description->generation.reset();
  }
}

void UseStored(const PlainNames& names, StackDescription* stack) {
  if (stack->stored_sinusoids && names.Has(stack->stored_sinusoids->name)) {
    stack->position_scheme = PositionScheme::kLearned;
    stack->position_embedding = std::move(stack->stored_sinusoids);
  }
  stack->stored_sinusoids.reset();
}

// An output layer is only needed to generate a text; many files have none.
Status FindOutput(const PlainNames& names, const std::string& file, ModelDescription* description) {
  if (!description->generation) {
    return {};
  }
  GenerationRule& rule = *description->generation;
  if (!HasAny(names, rule.output)) {
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

// The same for a model with one part. A tied output layer is the token embedding, unless the file
// has both and they differ.
Status FindOutputLayer(const PlainNames& names,
                       const std::string& file,
                       ModelDescription* description) {
  if (!description->output_layer) {
    return {};
  }
  OutputLayer& layer = *description->output_layer;
  if (HasAny(names, layer.weight)) {
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

const std::string& AnyOfLayers(const ModelDescription& description) {
  return FirstProduct(description.layer.front()).matrices.front().weight.name;
}

// Lists prefixes for a message: "model.", "transformer." or nothing.
std::string PrefixList(std::span<const std::string_view> prefixes) {
  std::string list;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    list += i == 0 ? "" : i + 1 == prefixes.size() ? " or " : ", ";
    list += prefixes[i].empty() ? "nothing" : Quoted(prefixes[i]);
  }
  return list;
}

}  // namespace

Status UseNamesOf(const WeightStore& weights,
                  std::span<const std::string_view> prefixes,
                  ModelDescription* description) {
  const std::string file = weights.path().string();
  PlainNames names(weights, prefixes);
  AddTied(*description, &names);
  TieOutput(names, description);
  const TensorNeed& embedding = description->token_embedding;
  if (const auto foreign = EndingIn(weights.tensors(), embedding.name);
      foreign && !HasAny(names, embedding)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: tensor {} is missing, and the name of {} begins as no {} model's "
                            "does; expected {} before it",
                            file,
                            Quoted(embedding.name),
                            Quoted(*foreign),
                            description->family,
                            PrefixList(prefixes)));
  }
  if (!names.PutFirst(embedding.name)) {
    names.PutFirst(AnyOfLayers(*description));
  }
  KeepStacks(names, description);
  UseStored(names, description);
  if (description->decoder) {
    UseStored(names, &*description->decoder);
  }
  UseStackedExperts(names, description);
  UsePackedExperts(names, description);
  HEADSCOPE_TRY(RefuseUnknown(names, description));
  for (TensorNeed* need : AllNeeds(description)) {
    HEADSCOPE_TRY(Rename(names, file, need));
  }
  HEADSCOPE_TRY(FindOutput(names, file, description));
  return FindOutputLayer(names, file, description);
}

}  // namespace headscope
