// Reads config.json into a model description; every supported family is one file in families/.
//
// Errors   kFormat (not JSON, or a key is missing, of the wrong type, absurd, or contradicts
//          another), kUnsupported (a family or setting that the program does not run); the message
//          names the file and the key.
// Cost     every count is bounded before anything is made from it: at most kMaxLayers layers, and
//          all products of sizes fit 64 bits.
// Source   the Hugging Face configuration classes of each family.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

inline constexpr std::uint64_t kMaxConfigBytes = 4'000'000;
inline constexpr std::int64_t kMaxLayers = 1024;
inline constexpr std::int64_t kMaxHeads = 4096;
inline constexpr std::int64_t kMaxWidth = 131'072;          // of the model, or of one head
inline constexpr std::int64_t kMaxInnerWidth = 1'048'576;   // of the MLP, or of all heads together
inline constexpr std::int64_t kMaxExperts = 4096;           // of one layer
inline constexpr std::int64_t kMaxRemembered = 16'777'216;  // numbers that a block's memory holds
inline constexpr std::int64_t kMaxVocabulary = 16'777'216;  // ids stay exact in float32
inline constexpr std::int64_t kMaxPositions = 134'217'728;

struct Family {
  std::string_view id;
  // Every "model_type" of the family's config.json but its id, separated by spaces.
  std::string_view other_types = {};
  // Describes a model, with tensor names without a prefix.
  Result<ModelDescription> (*describe)(const JsonObject& config) = nullptr;
  // Prefixes that tensor names may have, depending on the class that saved the model.
  std::span<const std::string_view> prefixes;
  // The smallest config.json worth testing.
  std::string_view example;
  // Its experts may be MXFP4 (core/model/packed_experts.h).
  bool has_packed_experts = false;
};

[[nodiscard]] std::span<const Family* const> AllFamilies();

// Returns every "model_type" of the family, its id first.
[[nodiscard]] std::vector<std::string_view> TypesOf(const Family& family);

// Returns the family of a description.
[[nodiscard]] const Family& FamilyOf(const ModelDescription& description);

// Messages use `name`, the file's path.
[[nodiscard]] Result<ModelDescription> ParseConfig(std::string_view json, const std::string& name);
[[nodiscard]] Result<ModelDescription> DescribeConfig(const JsonObject& config);

// For family files: reads an activation by its Hugging Face name.
[[nodiscard]] Result<ActivationKind> ReadActivation(const JsonObject& config,
                                                    std::string_view key,
                                                    std::string_view fallback);

}  // namespace headscope
