#include "core/model/rotary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/model/config.h"

namespace headscope {
namespace {

constexpr double kLeastFactor = 1e-3;
constexpr double kMostFactor = 1e6;
constexpr double kPi = 3.14159265358979323846;

// The input of every kind of scaling.
struct Source {
  JsonObject json;  // "rope_scaling", "rope_parameters", or the whole config
  RotaryDefaults defaults;
  double theta = 0.0;
  std::int64_t dims = 0;
  std::int64_t original_positions = 0;  // in training, before any scaling
};

double Exponent(std::int64_t pair, std::int64_t dims) {
  return 2.0 * static_cast<double>(pair) / static_cast<double>(dims);
}

std::int64_t Pairs(std::int64_t dims) {
  return (dims + 1) / 2;
}

std::vector<double> PlainFrequencies(double theta, std::int64_t dims) {
  std::vector<double> frequencies;
  for (std::int64_t pair = 0; pair < Pairs(dims); ++pair) {
    frequencies.push_back(1.0 / std::pow(theta, Exponent(pair, dims)));
  }
  return frequencies;
}

std::int64_t Lengthened(std::int64_t positions, double factor) {
  const double most = static_cast<double>(kMaxPositions);
  return static_cast<std::int64_t>(std::min(static_cast<double>(positions) * factor, most));
}

Result<double> Factor(const Source& source, std::optional<double> fallback = std::nullopt) {
  return source.json.Number("factor", kLeastFactor, kMostFactor, fallback);
}

double Ratio(const Source& source) {
  return static_cast<double>(source.defaults.positions) /
         static_cast<double>(source.original_positions);
}

Status ReadLinear(const Source& source, RotaryReading* out) {
  HEADSCOPE_TRY(const auto factor, Factor(source));
  for (double& frequency : out->rule.table.inverse_frequency) {
    frequency /= factor;
  }
  out->positions = Lengthened(out->positions, std::max(factor, 1.0));
  return {};
}

// The pairs are those of a whole head; the later ones do not turn.
Status ReadProportional(const Source& source, RotaryReading* out) {
  HEADSCOPE_TRY(const auto factor, Factor(source, 1.0));
  const std::int64_t width = source.defaults.head_dim;
  std::vector<double>& frequencies = out->rule.table.inverse_frequency;
  frequencies = PlainFrequencies(source.theta, width);
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
    const bool turns = std::cmp_less(pair, source.dims / 2);
    frequencies[pair] = turns ? frequencies[pair] / factor : 0.0;
  }
  out->rule.dims = width;
  return {};
}

Status ReadDynamic(const Source& source, RotaryReading* out) {
  HEADSCOPE_TRY(const auto factor, Factor(source));
  if (source.dims <= 2) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} columns of a head turn, expected more than 2 where the scaling "
                            "is dynamic",
                            source.json.name(),
                            source.dims));
  }
  out->rule.original_positions = source.defaults.positions;
  out->rule.theta = source.theta;
  out->rule.factor = factor;
  out->positions = Lengthened(out->positions, std::max(factor, 1.0));
  return {};
}

Status ReadLlama3(const Source& source, RotaryReading* out) {
  HEADSCOPE_TRY(const auto factor, Factor(source));
  HEADSCOPE_TRY(const auto low, source.json.Number("low_freq_factor", kLeastFactor, kMostFactor));
  HEADSCOPE_TRY(const auto high, source.json.Number("high_freq_factor", kLeastFactor, kMostFactor));
  // The number of rotations of a pair within the original length decides: with many the pair is
  // unchanged, with few it is slowed by the factor, and in between it is interpolated.
  for (double& frequency : out->rule.table.inverse_frequency) {
    const double turns = static_cast<double>(source.original_positions) * frequency / (2.0 * kPi);
    if (turns < low) {
      frequency /= factor;
    } else if (turns <= high) {
      const double share = (turns - low) / (high - low);
      frequency = (1.0 - share) * frequency / factor + share * frequency;
    }
  }
  return {};
}

// Returns the factor for the scores of a text lengthened by `factor`.
double YarnGain(double factor, double scale) {
  return factor <= 1.0 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

Result<double> YarnAttentionFactor(const Source& source, double factor) {
  HEADSCOPE_TRY(const auto scale, source.json.Number("mscale", 0.0, kMostFactor, 0.0));
  HEADSCOPE_TRY(const auto scale_all, source.json.Number("mscale_all_dim", 0.0, kMostFactor, 0.0));
  const double gain = scale != 0.0 && scale_all != 0.0
                          ? YarnGain(factor, scale) / YarnGain(factor, scale_all)
                          : YarnGain(factor, 1.0);
  return source.json.Number("attention_factor", 0.0, kMostFactor, gain);
}

Status ReadYarn(const Source& source, RotaryReading* out) {
  HEADSCOPE_TRY(const auto factor, Factor(source, Ratio(source)));
  HEADSCOPE_TRY(const auto gain, YarnAttentionFactor(source, factor));
  HEADSCOPE_TRY(const auto fast, source.json.Number("beta_fast", kLeastFactor, kMostFactor, 32.0));
  HEADSCOPE_TRY(const auto slow, source.json.Number("beta_slow", kLeastFactor, kMostFactor, 1.0));
  HEADSCOPE_TRY(const auto is_truncated, source.json.Boolean("truncate", true));
  if (source.theta <= 1.0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"rope_theta\" is {}, expected more than 1 where the scaling is "
                            "yarn",
                            source.json.name(),
                            source.theta));
  }
  // Returns the column whose pair rotates that often within the original length.
  const auto column = [&](double turns) {
    return static_cast<double>(source.dims) *
           std::log(static_cast<double>(source.original_positions) / (turns * 2.0 * kPi)) /
           (2.0 * std::log(source.theta));
  };
  double low = column(fast);
  double high = column(slow);
  if (is_truncated) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(source.dims - 1));
  if (low == high) {
    high += 0.001;
  }
  // Pairs before `low` are unchanged, those after `high` are slowed by the factor.
  std::vector<double>& frequencies = out->rule.table.inverse_frequency;
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
    const double slowed = std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    frequencies[pair] = frequencies[pair] / factor * slowed + frequencies[pair] * (1.0 - slowed);
  }
  out->rule.table.attention_factor = gain;
  out->positions = std::max(out->positions, Lengthened(source.original_positions, factor));
  return {};
}

// Reads a list with one positive number per pair.
Result<std::vector<double>> ReadFactors(const Source& source, std::string_view key) {
  const auto refuse = [&](const std::string& found) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} is {}, expected a list of {} numbers above 0",
                            source.json.name(),
                            Quoted(key),
                            found,
                            Pairs(source.dims)));
  };
  HEADSCOPE_TRY(const auto list, source.json.Array(key));
  if (!list) {
    return refuse("missing");
  }
  std::vector<double> factors;
  for (const JsonValue one : *list) {
    const double factor = one.Number().value_or(0.0);
    if (!(factor >= kLeastFactor) || factor > kMostFactor) {
      return refuse("not one");
    }
    factors.push_back(factor);
  }
  if (static_cast<std::int64_t>(factors.size()) != Pairs(source.dims)) {
    return refuse(Counted(factors.size(), "number"));
  }
  return factors;
}

Status ReadLongrope(const Source& source, RotaryReading* out) {
  HEADSCOPE_TRY(const auto short_factors, ReadFactors(source, "short_factor"));
  HEADSCOPE_TRY(const auto long_factors, ReadFactors(source, "long_factor"));
  HEADSCOPE_TRY(const auto factor, Factor(source, Ratio(source)));
  const double original = static_cast<double>(source.original_positions);
  const double gain = factor <= 1.0 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(original));
  HEADSCOPE_TRY(const auto attention_factor,
                source.json.Number("attention_factor", 0.0, kMostFactor, gain));
  RotaryRule& rule = out->rule;
  rule.original_positions = source.original_positions;
  rule.long_inverse_frequency = rule.table.inverse_frequency;
  for (std::size_t pair = 0; pair < rule.long_inverse_frequency.size(); ++pair) {
    rule.table.inverse_frequency[pair] /= short_factors[pair];
    rule.long_inverse_frequency[pair] /= long_factors[pair];
  }
  rule.table.attention_factor = attention_factor;
  return {};
}

Status ReadNothing(const Source& /*source*/, RotaryReading* /*out*/) {
  return {};
}

struct Scaling {
  std::string_view name;
  Status (*read)(const Source& source, RotaryReading* out);
};
constexpr std::array<Scaling, 9> kScalings = {{
    {"default", ReadNothing},
    {"mrope", ReadNothing},  // other positions for pictures; those of a text are the usual ones
    {"su", ReadLongrope},    // its first name
    {"linear", ReadLinear},
    {"dynamic", ReadDynamic},
    {"llama3", ReadLlama3},
    {"yarn", ReadYarn},
    {"longrope", ReadLongrope},
    {"proportional", ReadProportional},
}};

Status ReadScaling(const Source& source, RotaryReading* out) {
  // "type" in older files.
  const char* key = source.json.Has("rope_type") ? "rope_type" : "type";
  HEADSCOPE_TRY(const auto type, source.json.String(key, std::string(source.defaults.scaling)));
  const auto* found = std::ranges::find(kScalings, std::string_view(type), &Scaling::name);
  if (found == kScalings.end()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} is {}, expected default, linear, dynamic, llama3, yarn, "
                            "longrope or proportional",
                            source.json.name(),
                            Quoted(key),
                            Quoted(type)));
  }
  HEADSCOPE_TRY(found->read(source, out));
  HEADSCOPE_TRY(const auto scale_all, source.json.Number("mscale_all_dim", 0.0, kMostFactor, 0.0));
  if (scale_all != 0.0) {
    HEADSCOPE_TRY(const auto factor, source.json.Number("factor", 0.0, kMostFactor, 1.0));
    const double gain = YarnGain(factor, scale_all);
    out->score_gain = gain * gain;
  }
  const RotaryTable& table = out->rule.table;
  const bool is_sound = std::ranges::all_of(
      table.inverse_frequency, [](double value) { return std::isfinite(value) && value >= 0.0; });
  if (!is_sound || !std::isfinite(table.attention_factor)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the settings of the rotary positions give an angle that is no "
                            "number; expected others",
                            source.json.name()));
  }
  return {};
}

// Newer files have everything in one object, or in one for each kind of layer; older ones only the
// scaling.
Result<JsonObject> RotaryObject(const JsonObject& config, std::string_view layer_type) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    HEADSCOPE_TRY(const auto object, config.Object(key));
    if (!object || object->Fields().empty()) {
      continue;
    }
    if (!layer_type.empty() && object->IsNull(layer_type)) {
      break;  // these layers have none
    }
    if (!layer_type.empty()) {
      HEADSCOPE_TRY(const auto of_type, object->Object(layer_type));
      if (of_type) {
        return *of_type;
      }
    }
    if (layer_type != "sliding_attention") {
      return *object;
    }
  }
  static const JsonDocument kEmpty = *JsonDocument::Parse("{}", "");
  return *JsonObject::Of(kEmpty.root(), config.name());
}

Status RefuseNested(const JsonObject& rotary) {
  for (const char* key : {"full_attention", "sliding_attention"}) {
    if (rotary.Has(key)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is there, expected one setting for all layers; other rotary "
                              "positions for layers of another kind do not open yet",
                              rotary.name(),
                              Quoted(key)));
    }
  }
  return {};
}

Result<Source> ReadSource(const JsonObject& config, const RotaryDefaults& defaults) {
  HEADSCOPE_TRY(const auto rotary, RotaryObject(config, defaults.layer_type));
  HEADSCOPE_TRY(RefuseNested(rotary));
  HEADSCOPE_TRY(const auto outer_theta,
                config.Number(defaults.theta_key, 1.0, kMaxRotaryBase, defaults.theta));
  HEADSCOPE_TRY(const auto theta, rotary.Number("rope_theta", 1.0, kMaxRotaryBase, outer_theta));
  HEADSCOPE_TRY(const auto outer_part,
                config.Number(defaults.partial_key, 0.0, 1.0, defaults.partial_factor));
  HEADSCOPE_TRY(const auto part, rotary.Number("partial_rotary_factor", 0.0, 1.0, outer_part));
  const double turning = defaults.reads_part ? part : 1.0;
  const auto dims = static_cast<std::int64_t>(static_cast<double>(defaults.head_dim) * turning);
  if (dims < 1 || 2 * Pairs(dims) > defaults.head_dim) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the width of a head is {} and {} of its columns turn, expected an "
                            "even number of them: rotary positions turn pairs",
                            config.name(),
                            defaults.head_dim,
                            dims));
  }
  // If both are present, transformers uses the outer one.
  const JsonObject& holder = config.Has("original_max_position_embeddings") ? config : rotary;
  HEADSCOPE_TRY(
      const auto original,
      holder.Integer("original_max_position_embeddings", 1, kMaxPositions, defaults.positions));
  return Source{.json = rotary,
                .defaults = defaults,
                .theta = theta,
                .dims = dims,
                .original_positions = original};
}

}  // namespace

Result<RotaryReading> ReadRotary(const JsonObject& config, const RotaryDefaults& defaults) {
  HEADSCOPE_TRY(const auto source, ReadSource(config, defaults));
  RotaryReading reading;
  reading.positions = defaults.positions;
  reading.rule.dims = source.dims;
  reading.rule.table.inverse_frequency = PlainFrequencies(source.theta, source.dims);
  HEADSCOPE_TRY(ReadScaling(source, &reading));
  return reading;
}

RotaryTable TableFor(const RotaryRule& rule, std::int64_t tokens) {
  RotaryTable table = rule.table;
  if (rule.original_positions == 0 || tokens <= rule.original_positions) {
    return table;
  }
  if (!rule.long_inverse_frequency.empty()) {
    table.inverse_frequency = rule.long_inverse_frequency;
    return table;
  }
  const double length = static_cast<double>(tokens) / static_cast<double>(rule.original_positions);
  const double growth = rule.factor * length - (rule.factor - 1.0);
  const double dims = static_cast<double>(rule.dims);
  table.inverse_frequency =
      PlainFrequencies(rule.theta * std::pow(growth, dims / (dims - 2.0)), rule.dims);
  return table;
}

}  // namespace headscope
