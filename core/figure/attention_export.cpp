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

std::vector<std::string> Texts(const Encoding& encoding) {
  std::vector<std::string> texts;
  for (const Token& token : encoding.tokens) {
    texts.push_back(token.text);
  }
  return texts;
}

// Returns tokens in readable form: whatever opens the file has no tokenizer.
std::vector<std::string> Displays(const Encoding& encoding) {
  std::vector<std::string> displays;
  for (const Token& token : encoding.tokens) {
    displays.push_back(token.display);
  }
  return displays;
}

// A list of tokens and its name in a file.
struct NamedTokens {
  std::string tokens;
  std::string ids;
  const Encoding* encoding = nullptr;
};

std::vector<NamedTokens> TokenLists(const AttentionExport& attention) {
  std::vector<NamedTokens> lists = {{"tokens", "token_ids", &attention.encoding}};
  if (attention.target != nullptr) {
    lists.push_back({"target_tokens", "target_ids", attention.target.get()});
  }
  if (attention.keys != nullptr) {
    lists.push_back({"key_tokens", "key_ids", attention.keys.get()});
  }
  return lists;
}

// Returns "true" or "false" for a model with one part, otherwise "": the parts' names say it.
std::string CausalText(const AttentionExport& attention) {
  const LayerAttention& first = *attention.layers.front();
  return first.part() != ModelPart::kWhole ? "" : first.rule().causal ? "true" : "false";
}

// Returns how many keys each layer's window lets a query see; empty if no layer has a window.
std::vector<std::int64_t> Windows(const AttentionExport& attention) {
  std::vector<std::int64_t> windows;
  for (const auto& layer : attention.layers) {
    windows.push_back(layer->rule().window);
  }
  const bool has_any = std::ranges::any_of(windows, [](std::int64_t window) { return window > 0; });
  return has_any ? windows : std::vector<std::int64_t>();
}

Status WriteTensors(const std::filesystem::path& path,
                    const AttentionExport& attention,
                    const std::vector<StreamedTensor>& weights) {
  // Tokens of byte-level vocabularies may be invalid UTF-8 on their own.
  const auto list = [](const auto& values) { return JsonText(values); };
  std::map<std::string, std::string> metadata = {{"model", attention.model},
                                                 {"family", attention.family},
                                                 {"precision", attention.precision},
                                                 {"layers", LayersText(attention)}};
  for (const NamedTokens& named : TokenLists(attention)) {
    metadata[named.tokens] = list(Texts(*named.encoding));
    metadata[named.tokens + "_shown"] = list(Displays(*named.encoding));
    metadata[named.ids] = list(named.encoding->Ids());
  }
  if (const std::string causal = CausalText(attention); !causal.empty()) {
    metadata["causal"] = causal;
  }
  if (const std::vector<std::int64_t> windows = Windows(attention); !windows.empty()) {
    metadata["windows"] = list(windows);
  }
  return StreamSafetensors(path, weights, metadata);
}

Status WriteArrays(const std::filesystem::path& path,
                   const AttentionExport& attention,
                   const std::vector<StreamedTensor>& weights) {
  std::vector<NpzEntry> entries;
  entries.reserve(weights.size());
  for (const StreamedTensor& part : weights) {
    entries.push_back({.name = part.about.name,
                       .numbers = part.about,
                       .texts = {},
                       .text_shape = {},
                       .bytes = part.bytes});
  }
  std::deque<std::vector<std::int64_t>> numbers;  // the entries refer to these
  const auto add_numbers = [&](const std::string& name, std::vector<std::int64_t> values) {
    const std::vector<std::int64_t>& own = numbers.emplace_back(std::move(values));
    const TensorView view{.name = name,
                          .type = DataType::kI64,
                          .shape = {std::ssize(own)},
                          .bytes = std::as_bytes(std::span<const std::int64_t>(own))};
    entries.push_back({.name = name, .numbers = view, .texts = {}, .text_shape = {}});
  };
  const auto add_texts = [&](const std::string& name, std::vector<std::string> texts) {
    const auto count = std::ssize(texts);
    entries.push_back(
        {.name = name, .numbers = {}, .texts = std::move(texts), .text_shape = {count}});
  };
  for (const NamedTokens& named : TokenLists(attention)) {
    const std::vector<std::int32_t> ids = named.encoding->Ids();
    add_texts(named.tokens, Texts(*named.encoding));
    add_numbers(named.ids, {ids.begin(), ids.end()});
    add_texts(named.tokens + "_shown", Displays(*named.encoding));
  }
  const auto text = [&](const char* name, const std::string& value) {
    entries.push_back({.name = name, .numbers = {}, .texts = {value}, .text_shape = {}});
  };
  text("model", attention.model);
  text("family", attention.family);
  text("precision", attention.precision);
  text("layers", LayersText(attention));
  if (const std::string causal = CausalText(attention); !causal.empty()) {
    text("causal", causal);
  }
  if (std::vector<std::int64_t> windows = Windows(attention); !windows.empty()) {
    add_numbers("windows", std::move(windows));
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
  for (WeightBytes& part : parts) {
    weights.push_back({.about = part.About(), .bytes = &part});
  }
  HEADSCOPE_TRY(CheckRoom(path, weights, "fewer layers"));
  return tensors ? WriteTensors(path, attention, weights) : WriteArrays(path, attention, weights);
}

}  // namespace headscope
