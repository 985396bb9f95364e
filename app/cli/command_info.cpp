#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/base/counted.h"
#include "core/io/json_text.h"
#include "core/model/head_widths.h"

namespace headscope {
namespace {

// Says in a line or two what the model reads.
std::string ReadsText(const Model& model) {
  const ModelDescription& about = model.description();
  if (const auto& separate = about.layer.front().separate) {
    return fmt::format("reads        embeddings: queries [n,{}], keys [m,{}], values [m,{}]\n",
                       separate->query.in,
                       separate->key.in,
                       separate->value.in);
  }
  return fmt::format("positions    {}\nvocabulary   {}{}\n",
                     about.positions,
                     about.vocabulary,
                     model.tokenizer() != nullptr      ? ""
                     : model.tokenizer_fault().empty() ? " (no tokenizer: takes --ids)"
                                                       : " (tokenizer not read: takes --ids)");
}

}  // namespace

CommandStatus RunInfo(const Options& options) {
  HEADSCOPE_TRY(const auto opened, OpenModel(options));
  const Model& model = *opened;
  SayTokenizerFault(model);
  const ModelDescription& about = model.description();
  if (options.json) {
    nlohmann::ordered_json json;
    json["family"] = about.family;
    json["layers"] = about.layers;
    json["heads"] = about.heads;
    json["kv_heads"] = about.kv_heads;
    json["model_dim"] = about.model_dim;
    json["head_dim"] = about.head_dim;
    json["value_dim"] = about.value_dim;
    if (HasWidthsOfLayers(about)) {
      for (std::int64_t layer = 0; layer < about.layers; ++layer) {
        json["head_dims"].push_back(about.WidthsAt(layer).key);
        json["value_dims"].push_back(about.WidthsAt(layer).value);
      }
    }
    json["parameters"] = model.parameters();
    // A model that reads embeddings has no vocabulary and no maximum length.
    json["positions"] = nullptr;
    json["vocabulary"] = nullptr;
    if (!about.reads_embeddings()) {
      json["positions"] = about.positions;
      json["vocabulary"] = about.vocabulary;
    }
    json["precision"] = about.precision;
    for (const ModelPart part : PartsOf(about)) {
      const StackDescription& stack = StackOf(about, part);
      const std::string_view name = part != ModelPart::kWhole ? PartName(part)
                                    : about.causal            ? "decoder"
                                                              : "encoder";
      json["parts"][std::string(name)] = {{"layers", stack.layers}, {"heads", stack.heads}};
    }
    json["name"] = model.name();
    json["fingerprint"] = model.fingerprint();
    json["note"] = nullptr;
    if (!about.note.empty()) {
      json["note"] = about.note;
    }
    return Print(JsonText(json) + "\n");
  }
  return Print(fmt::format(
      "model        {}\n"
      "family       {}\n"
      "layers       {}\n"
      "heads        {} a layer{}\n"
      "width        d {}, d_k {}, d_v {}\n"
      "parameters   {}\n"
      "{}"
      "stored as    {}\n"
      "fingerprint  {}\n{}",
      model.name(),
      about.family,
      about.layers,
      about.heads,
      about.kv_heads == about.heads ? std::string()
                                    : " over " + Counted(about.kv_heads, "key/value head"),
      about.model_dim,
      HeadDimText(about),
      ValueDimText(about),
      model.parameters(),
      ReadsText(model),
      about.precision,
      model.fingerprint(),
      about.note.empty() ? std::string() : fmt::format("note         {}\n", about.note)));
}

}  // namespace headscope
