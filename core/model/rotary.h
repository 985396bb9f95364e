// Rotary positions from config.json: the base, the part of a head that is rotated, and the scalings
// for texts longer than in training.
//
// Shapes   pairs of a table: half of the rotated columns, rounded up.
// Errors   kFormat (a value missing, of the wrong type or absurd), kUnsupported (an unknown
//          scaling); each names the file and the key.
// Source   Su 2021; linear: Chen 2023; dynamic, yarn: Peng 2023; longrope: Ding 2024; llama3 as
//          transformers computes it. Checked by tests/golden, llama_rope_*.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

inline constexpr double kUsualRotaryBase = 10000.0;
inline constexpr double kMaxRotaryBase = 1e12;

struct RotaryDefaults {
  std::int64_t head_dim = 0;
  std::int64_t positions = 0;       // "max_position_embeddings"
  double theta = kUsualRotaryBase;  // if config.json gives no base
  double partial_factor = 1.0;      // the part of a head that is rotated, if not given
  bool reads_part = true;           // or all of `head_dim` turns, whatever is given
  // Keys next to "rope_scaling" and "rope_parameters", which take precedence.
  std::string_view theta_key = "rope_theta";
  std::string_view partial_key = "partial_rotary_factor";
  // Newer files may have one setting for each of "full_attention" and "sliding_attention"; older
  // ones scale only the former. Empty: one setting for all layers is expected.
  std::string_view layer_type = {};
  std::string_view scaling = "default";  // "rope_type", if not given
};

struct RotaryReading {
  RotaryRule rule;
  std::int64_t positions = 0;  // longest text; a scaling may extend it
  // Multiplies scores where a family says so ("mscale_all_dim").
  double score_gain = 1.0;
};

// Reads "rope_theta" and "rope_scaling" or, in newer files, "rope_parameters".
[[nodiscard]] Result<RotaryReading> ReadRotary(const JsonObject& config,
                                               const RotaryDefaults& defaults);

// Returns the angles for a text of that many tokens.
[[nodiscard]] RotaryTable TableFor(const RotaryRule& rule, std::int64_t tokens);

}  // namespace headscope
