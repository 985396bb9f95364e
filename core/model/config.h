// config.json as a model description; every family that opens is one file of families/.
//
// Errors   kFormat (not JSON, a key missing, of the wrong type, absurd, or at odds with another),
//          kUnsupported (a family or a setting that this program does not run); the message names
//          the file and the key.
// Threads  any.
// Cost     every count is bounded before anything is made from it: at most kMaxLayers layers, and
//          no product of sizes leaves 64 bits.
// Source   the Hugging Face configuration classes of each family.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

inline constexpr std::uint64_t kMaxConfigBytes = 4'000'000;
inline constexpr std::int64_t kMaxLayers = 1024;
inline constexpr std::int64_t kMaxHeads = 4096;
inline constexpr std::int64_t kMaxWidth = 131'072;          // of the model, of one head
inline constexpr std::int64_t kMaxInnerWidth = 1'048'576;   // of the MLP, of all heads together
inline constexpr std::int64_t kMaxVocabulary = 16'777'216;  // ids stay exact in float32
inline constexpr std::int64_t kMaxPositions = 134'217'728;

struct Family {
  std::string_view id;
  // Whether a config.json with this "model_type" is of the family.
  bool (*detect)(std::string_view model_type) = nullptr;
  // Names tensors as they are without a prefix.
  Result<ModelDescription> (*describe)(const JsonObject& config) = nullptr;
  // What tensor names may start with, depending on the class that saved the model.
  std::span<const std::string_view> prefixes;
  // The smallest config.json worth testing.
  std::string_view example;
};

[[nodiscard]] std::span<const Family* const> AllFamilies();

// The family of that id; ids come from a ModelDescription.
[[nodiscard]] const Family& FamilyOf(const ModelDescription& description);

// `name` stands in messages: the file's path.
[[nodiscard]] Result<ModelDescription> ParseConfig(std::string_view json, const std::string& name);
[[nodiscard]] Result<ModelDescription> DescribeConfig(const JsonObject& config);

// For family files: an activation by its Hugging Face name.
[[nodiscard]] Result<ActivationKind> ReadActivation(const JsonObject& config,
                                                    std::string_view key,
                                                    std::string_view fallback);

}  // namespace headscope
