#include "core/figure/attention_export.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/attention/weight_bytes.h"
#include "core/base/check.h"
#include "core/io/json_text.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

// Groups the layers by part, in order.
std::deque<WeightBytes> ByPart(const Layers& layers, const std::stop_token& stop) {
  std::deque<WeightBytes> parts;
  for (const ModelPart part :
       {ModelPart::kWhole, ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
    Layers own;
    std::ranges::copy_if(
        layers, std::back_inserter(own), [&](const auto& layer) { return layer->part() == part; });
    if (!own.empty()) {
      parts.emplace_back(std::string(PartName(part)), std::move(own), stop);
    }
  }
  return parts;
}

// Returns "0-11", "5", "0,3-4": the layers of any part.
std::string LayersText(const AttentionExport& attention) {
  std::set<std::int64_t> layers;
  for (const auto& layer : attention.layers) {
    layers.insert(layer->layer());
  }
  std::string text;
  for (auto layer = layers.begin(); layer != layers.end();) {
    const std::int64_t first = *layer;
    std::int64_t last = first;
    for (++layer; layer != layers.end() && *layer == last + 1; ++layer) {
      ++last;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last > first) {
      text += fmt::format("-{}", last);
    }
  }
  return text;
}

// What a file says beside the weights.
struct Fact {
  std::string name;
  std::variant<std::string, std::vector<std::string>, std::vector<std::int64_t>> value;
};

using TextOfToken = std::string Token::*;
std::vector<std::string> Texts(const Encoding& encoding, TextOfToken text) {
  std::vector<std::string> texts;
  std::ranges::transform(encoding.tokens, std::back_inserter(texts), text);
  return texts;
}

// The shown tokens are readable: whatever opens the file has no tokenizer.
void AddTokens(const std::string& prefix,
               const std::string& ids_prefix,
               const Encoding& encoding,
               std::vector<Fact>* facts) {
  const std::vector<std::int32_t> ids = encoding.Ids();
  facts->push_back({prefix + "tokens", Texts(encoding, &Token::text)});
  facts->push_back({ids_prefix + "ids", std::vector<std::int64_t>(ids.begin(), ids.end())});
  facts->push_back({prefix + "tokens_shown", Texts(encoding, &Token::display)});
}

std::vector<Fact> FactsOf(const AttentionExport& attention) {
  std::vector<Fact> facts;
  AddTokens("", "token_", attention.encoding, &facts);
  if (attention.target != nullptr) {
    AddTokens("target_", "target_", *attention.target, &facts);
  }
  if (attention.keys != nullptr) {
    AddTokens("key_", "key_", *attention.keys, &facts);
  }
  facts.push_back({"model", attention.model});
  facts.push_back({"family", attention.family});
  facts.push_back({"precision", attention.precision});
  facts.push_back({"layers", LayersText(attention)});
  if (!attention.look.empty()) {
    facts.push_back({"look", attention.look});
  }
  const LayerAttention& first = *attention.layers.front();
  if (first.part() == ModelPart::kWhole) {  // the names of other parts say it
    facts.push_back({"causal", std::string(first.rule().causal ? "true" : "false")});
  }
  std::vector<std::int64_t> windows;  // how many keys each layer lets a query see
  for (const auto& layer : attention.layers) {
    windows.push_back(layer->rule().window);
  }
  if (std::ranges::any_of(windows, [](std::int64_t window) { return window > 0; })) {
    facts.push_back({"windows", std::move(windows)});
  }
  return facts;
}

Status WriteTensors(const std::filesystem::path& path,
                    const std::vector<Fact>& facts,
                    const std::vector<StreamedTensor>& weights) {
  std::map<std::string, std::string> metadata;
  for (const Fact& fact : facts) {
    const auto* const text = std::get_if<std::string>(&fact.value);
    // Tokens of byte-level vocabularies may be invalid UTF-8 on their own.
    metadata[fact.name] =
        text != nullptr
            ? *text
            : std::visit([](const auto& values) { return JsonText(values); }, fact.value);
  }
  return StreamSafetensors(path, weights, metadata);
}

Status WriteArrays(const std::filesystem::path& path,
                   const std::vector<Fact>& facts,
                   const std::vector<StreamedTensor>& weights) {
  std::vector<NpzEntry> entries;
  entries.reserve(weights.size() + facts.size());
  for (const StreamedTensor& part : weights) {
    entries.push_back({.name = part.about.name,
                       .numbers = part.about,
                       .texts = {},
                       .text_shape = {},
                       .bytes = part.bytes});
  }
  for (const Fact& fact : facts) {
    NpzEntry entry{.name = fact.name, .numbers = {}, .texts = {}, .text_shape = {}};
    if (const auto* const text = std::get_if<std::string>(&fact.value)) {
      entry.texts = {*text};
    } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&fact.value)) {
      entry.texts = *texts;
      entry.text_shape = {std::ssize(*texts)};
    } else {
      const auto& numbers = std::get<std::vector<std::int64_t>>(fact.value);
      entry.numbers = TensorView{.name = fact.name,
                                 .type = DataType::kI64,
                                 .shape = {std::ssize(numbers)},
                                 .bytes = std::as_bytes(std::span(numbers))};
    }
    entries.push_back(std::move(entry));
  }
  return WriteNpz(path, entries);
}

}  // namespace

Status WriteAttention(const std::filesystem::path& path,
                      const AttentionExport& attention,
                      const std::stop_token& stop) {
  HEADSCOPE_CHECK(!attention.layers.empty() && !attention.encoding.tokens.empty(),
                  "an export has a layer and a token");
  const bool tensors = path.extension() == ".safetensors";
  if (!tensors && path.extension() != ".npz") {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: attention is written as .safetensors or .npz, found \"{}\"; "
                            "rename it",
                            path.string(),
                            path.extension().string()));
  }
  std::deque<WeightBytes> parts = ByPart(attention.layers, stop);
  std::vector<StreamedTensor> weights;
  weights.reserve(parts.size());
  for (WeightBytes& part : parts) {
    weights.push_back({.about = part.About(), .bytes = &part});
  }
  std::optional<SinkBytes> sinks;
  if (attention.layers.front()->has_sinks()) {
    sinks.emplace("sinks", attention.layers);
    weights.push_back({.about = sinks->About(), .bytes = &*sinks});
  }
  HEADSCOPE_TRY(CheckRoom(path, weights, "fewer layers"));
  const std::vector<Fact> facts = FactsOf(attention);
  return tensors ? WriteTensors(path, facts, weights) : WriteArrays(path, facts, weights);
}

}  // namespace headscope
