#include "core/model/gguf_architecture.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/foreign_config.h"

namespace headscope {
namespace {

// Rejects files that accompany a model: their architecture may be the model's.
Status RefuseCompanion(const GgufMetadata& metadata, const std::string& architecture) {
  const auto type = metadata.String("general.type", "model");
  if (architecture == "clip" || (type && *type == "mmproj")) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: is the part of a model that reads its pictures (mmproj); open the "
                            "GGUF file of the model itself, or the folder that holds both",
                            metadata.name()));
  }
  constexpr std::array<std::string_view, 3> kCompanions = {"adapter", "imatrix", "controlvector"};
  if (type && std::ranges::find(kCompanions, *type) != kCompanions.end()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: is no whole model, its \"general.type\" is {}; open the GGUF file "
                            "of the model that it goes with{}",
                            metadata.name(),
                            Quoted(*type),
                            *type == "adapter" ? ", or merge the two with llama-export-lora" : ""));
  }
  return {};
}

}  // namespace

Result<const GgufArchitecture*> FindGgufArchitecture(const GgufMetadata& metadata) {
  HEADSCOPE_TRY(const auto id, metadata.String("general.architecture"));
  HEADSCOPE_TRY(RefuseCompanion(metadata, id));
  const auto experts = metadata.Integer(id + ".expert_count", 0, 1 << 20, 0);
  const bool has_experts = experts && *experts > 1;
  const GgufArchitecture* found = nullptr;
  std::set<std::string_view> ids;
  for (const GgufArchitecture& one : GgufArchitectures()) {
    ids.insert(one.id);
    if (one.id == id && (found == nullptr || one.has_experts == has_experts)) {
      found = &one;
    }
  }
  if (found != nullptr) {
    return found;
  }
  const std::string_view why = WhyNoFamily(id);
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: GGUF models of the architecture {} {}; these open: {}",
                          metadata.name(),
                          Quoted(id),
                          why.empty() ? "do not open" : why,
                          fmt::join(ids, ", ")));
}

}  // namespace headscope
