#include "core/model/attention_module.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/model/config.h"
#include "core/model/family_kit.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

constexpr std::string_view kOutput = "out_proj.weight";
constexpr const char* kExpected =
    "expected the state of a torch.nn.MultiheadAttention: in_proj_weight [3d,d] or q_proj_weight, "
    "k_proj_weight and v_proj_weight, with out_proj.weight";

bool Has(const TensorMap& tensors, const std::string& name) {
  return tensors.contains(name);
}

// Returns the prefix of each module's names in the file.
std::vector<std::string> Prefixes(const TensorMap& tensors) {
  std::vector<std::string> prefixes;
  for (const auto& [name, tensor] : tensors) {
    if (name.ends_with(kOutput)) {
      std::string prefix = name.substr(0, name.size() - kOutput.size());
      if (Has(tensors, prefix + "in_proj_weight") || Has(tensors, prefix + "q_proj_weight")) {
        prefixes.push_back(std::move(prefix));
      }
    }
  }
  return prefixes;
}

Result<std::string> FindPrefix(const TensorMap& tensors, const std::string& name) {
  const std::vector<std::string> prefixes = Prefixes(tensors);
  if (prefixes.size() == 1) {
    return prefixes.front();
  }
  if (prefixes.size() > 1) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: holds {} attention modules, such as {} and {}, expected one; save "
                            "the state of the one to look at",
                            name,
                            prefixes.size(),
                            Quoted(prefixes[0]),
                            Quoted(prefixes[1])));
  }
  if (Has(tensors, "attention") || Has(tensors, "encoder") || Has(tensors, "cross")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: holds attention that is made already, not a model; draw it with "
                            "`headscope render --attention`, or open it in the window",
                            name));
  }
  return Fail(
      ErrorCode::kFormat,
      fmt::format("{}: {}; a model's weights open with the folder they lie in", name, kExpected));
}

Status RefuseExtras(const ModuleState& state, const std::string& prefix, const std::string& name) {
  for (const char* extra : {"bias_k", "bias_v"}) {
    if (Has(state.tensors, prefix + extra)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: holds {}, a key or value added to every text, which is not "
                              "computed here; make the module with add_bias_kv=False",
                              name,
                              Quoted(prefix + extra)));
    }
  }
  const auto zero = state.metadata.find("add_zero_attn");
  if (zero != state.metadata.end()) {
    constexpr std::array<std::string_view, 6> kNo = {"", "0", "false", "False", "null", "None"};
    if (std::ranges::find(kNo, zero->second) == kNo.end()) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: \"add_zero_attn\" is {}, a key of zeros added to every text, "
                              "which is not computed here; make the module with "
                              "add_zero_attn=False",
                              name,
                              Quoted(zero->second)));
    }
  }
  return {};
}

Result<std::int64_t> HeadCount(const ModuleState& state,
                               std::int64_t width,
                               const std::string& name) {
  std::int64_t heads = state.heads.value_or(0);
  const auto said = state.metadata.find("num_heads");
  if (!state.heads) {
    if (said == state.metadata.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: does not say how many heads share its {}; give "
                              "--head-count, or save it with \"num_heads\" in its metadata",
                              name,
                              Counted(width, "column")));
    }
    const std::string& text = said->second;
    heads = ParseAs<std::int64_t>(text).value_or(0);
    if (heads < 1) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"num_heads\" is {}, expected a whole number from 1 on; give "
                              "--head-count in its place",
                              name,
                              Quoted(text)));
    }
  }
  if (heads < 1 || heads > kMaxHeads || width % heads != 0) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: {} cannot be shared by {}, expected a number that divides {}",
                            name,
                            Counted(width, "column"),
                            Counted(heads, "head"),
                            width));
  }
  return heads;
}

// Returns the second dimension of a matrix, or 0 if there is no such matrix.
std::int64_t Columns(const TensorMap& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found != tensors.end() && found->second.shape.size() == 2 ? found->second.shape[1] : 0;
}

Result<std::int64_t> Width(const TensorMap& tensors,
                           const std::string& tensor,
                           const std::string& name) {
  const std::int64_t width = Columns(tensors, tensor);
  if (width < 1 || width > kMaxWidth) {
    const auto found = tensors.find(tensor);
    return Fail(ErrorCode::kShape,
                fmt::format("{}: tensor {} is {}, expected a matrix with 1 to {} columns",
                            name,
                            Quoted(tensor),
                            found != tensors.end() ? ShapeText(found->second.shape) : "missing",
                            kMaxWidth));
  }
  return width;
}

}  // namespace

std::optional<std::int64_t> ModuleWidth(const TensorMap& tensors) {
  const std::vector<std::string> prefixes = Prefixes(tensors);
  if (prefixes.size() != 1) {
    return std::nullopt;
  }
  const std::int64_t width = Columns(tensors, prefixes.front() + std::string(kOutput));
  return width > 0 ? std::optional(width) : std::nullopt;
}

std::optional<std::int64_t> WidthWithoutHeads(const std::filesystem::path& path) {
  const Result<ModelFiles> files = FindModelFiles(path);
  if (!files || files->kind != ModelFiles::Kind::kModule) {
    return std::nullopt;
  }
  const Result<WeightStore> file = WeightStore::OpenSafetensors(files->weights);
  if (!file || file->metadata().contains("num_heads")) {
    return std::nullopt;
  }
  return ModuleWidth(file->tensors());
}

Result<ModelDescription> DescribeAttentionModule(const ModuleState& state,
                                                 const std::string& name) {
  HEADSCOPE_TRY(const auto prefix, FindPrefix(state.tensors, name));
  HEADSCOPE_TRY(RefuseExtras(state, prefix, name));
  const bool is_fused = Has(state.tensors, prefix + "in_proj_weight");
  const std::string fused = prefix + "in_proj_weight";
  HEADSCOPE_TRY(const auto width,
                Width(state.tensors, is_fused ? fused : prefix + "q_proj_weight", name));
  HEADSCOPE_TRY(const auto heads, HeadCount(state, width, name));
  const std::int64_t d = width;

  const bool has_bias = Has(state.tensors, prefix + "in_proj_bias");
  LayerDescription layer;
  layer.separate.emplace();
  const std::array<std::pair<const char*, LinearNeed*>, 3> projections = {
      {{"q_proj_weight", &layer.separate->query},
       {"k_proj_weight", &layer.separate->key},
       {"v_proj_weight", &layer.separate->value}}};
  std::int64_t first = 0;
  for (const auto& [own, need] : projections) {
    LinearNeed::Matrix matrix;
    std::int64_t in = d;
    if (is_fused) {
      matrix.weight = {fused, {3 * d, d}, RowRange{first, d}};
    } else {
      HEADSCOPE_TRY(const auto columns, Width(state.tensors, prefix + own, name));
      in = need == &layer.separate->query ? d : columns;
      matrix.weight = {prefix + own, {d, in}};
    }
    if (has_bias) {
      matrix.bias = TensorNeed{prefix + "in_proj_bias", {3 * d}, RowRange{first, d}};
    }
    *need = {.layout = WeightLayout::kOutIn, .in = in, .matrices = {std::move(matrix)}};
    first += d;
  }
  const std::string output_bias = prefix + "out_proj.bias";
  layer.output = {.layout = WeightLayout::kOutIn,
                  .in = d,
                  .matrices = {{.weight = {prefix + std::string(kOutput), {d, d}},
                                .bias = Has(state.tensors, output_bias)
                                            ? std::optional(TensorNeed{output_bias, {d}})
                                            : std::nullopt}}};
  layer.rule = {.scale = UsualScale(d / heads)};

  ModelDescription model;
  model.family = kModuleFamily;
  model.layers = 1;
  model.heads = heads;
  model.kv_heads = heads;
  model.model_dim = d;
  model.head_dim = d / heads;
  model.value_dim = d / heads;
  model.positions = kMaxPositions;
  model.causal = false;
  model.layer.push_back(std::move(layer));
  return model;
}

}  // namespace headscope
