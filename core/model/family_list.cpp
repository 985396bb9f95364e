#include "core/model/family_list.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/config.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

// Describes the family's example as a model of that type, or of the family's own if the type has
// other keys.
ModelDescription Described(const Family& family, std::string_view type) {
  std::string example(family.example);
  const std::string_view key = "\"model_type\": \"";
  const std::size_t first = example.find(key) + key.size();
  example.replace(first, example.find('"', first) - first, type);
  auto model = ParseConfig(example, "example");
  if (!model) {
    model = ParseConfig(family.example, "example");
  }
  HEADSCOPE_CHECK(model.has_value(), "a family describes its example");
  return std::move(*model);
}

std::vector<std::string> PartsNamed(const ModelDescription& model) {
  std::vector<std::string> names;
  for (const ModelPart part : PartsOf(model)) {
    names.emplace_back(part != ModelPart::kWhole ? PartName(part)
                       : model.causal            ? "decoder"
                                                 : "encoder");
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> WhyNot(const ModelDescription& model) {
  std::vector<std::pair<std::string, std::string>> reasons;
  if (!model.output_layer || !model.causal) {
    reasons.emplace_back("ablate", "it predicts no next token");
    reasons.emplace_back("copying", "it predicts no next token");
  }
  if (NormsHeadsTogether(model, 0)) {
    reasons.emplace_back("walk", "it norms the queries and keys of all heads together");
    reasons.emplace_back("why this cell", "it norms the queries and keys of all heads together");
    if (model.layer.front().query_norm->kind == NormKind::kLayer) {
      reasons.emplace_back("K-composition", "it takes the mean of all heads from queries and keys");
    }
  } else if (HasLatents(model)) {
    const std::string why = "its keys and values are made of a latent that is normed";
    for (const char* what : {"K-composition", "twins", "walk", "why this cell"}) {
      reasons.emplace_back(what, why);
    }
  } else if (ScalesContext(model)) {
    const std::string why = "something scales what its attention makes of values";
    for (const char* what : {"K-composition", "split", "walk"}) {
      reasons.emplace_back(what, why);
    }
  } else if (HasFurtherMlps(model)) {
    reasons.emplace_back("why this cell", "its layers have MLPs behind their own");
  } else if (HasPlainBlocks(model)) {
    const std::string why = "blocks without attention among its layers join tokens, too";
    for (const char* what : {"K-composition", "copying", "why this cell"}) {
      reasons.emplace_back(what, why);
    }
  } else if (model.is_projected_last) {
    reasons.emplace_back("why this cell", "it projects its embeddings after their norm");
  }
  if (ScalesStream(model)) {
    reasons.emplace_back("why this cell", "its layers multiply the whole stream");
  }
  return reasons;
}

}  // namespace

std::vector<OpenedType> ListTypes() {
  std::vector<OpenedType> list;
  for (const Family* const family : AllFamilies()) {
    for (const std::string_view type : TypesOf(*family)) {
      const ModelDescription model = Described(*family, type);
      list.push_back({.type = type,
                      .layout = family->id,
                      .parts = PartsNamed(model),
                      .why_not = WhyNot(model)});
    }
  }
  std::ranges::sort(list, {}, &OpenedType::type);
  return list;
}

}  // namespace headscope
