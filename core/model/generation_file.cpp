#include "core/model/generation_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/config.h"

namespace headscope {
namespace {

using Ids = TokenChoice::Ids;

constexpr const char* kFile = "generation_config.json";
constexpr double kMostPenalty = 1e6;
constexpr const char* kGiveTarget = "; correct it, or give the target";

// Settings that change a greedy choice and are not supported.
constexpr std::array<std::string_view, 8> kNotGreedy = {"guidance_scale",
                                                        "watermarking_config",
                                                        "stop_strings",
                                                        "force_words_ids",
                                                        "constraints",
                                                        "penalty_alpha",
                                                        "dola_layers",
                                                        "token_healing"};

// Returns the elements of a list, or a single value as a list.
JsonArray ListOf(const JsonObject& json, std::string_view key) {
  const std::optional<JsonValue> value = json.Value(key);
  return value ? value->Array().value_or(JsonArray{*value}) : JsonArray();
}

// Keeps only ids that are in the vocabulary: others are never chosen.
class Reader {
 public:
  Reader(const JsonObject& json, std::int64_t vocabulary) : json_(json), vocabulary_(vocabulary) {}

  // A mistake does not prevent opening the model, only making targets.
  TokenChoice Read() {
    choice_.ends = IdsOf("eos_token_id");
    const Ids first = IdsOf("forced_bos_token_id");
    choice_.first_id = first.empty() ? std::nullopt : std::optional(first.front());
    choice_.last_ids = IdsOf("forced_eos_token_id");
    choice_.suppressed = IdsOf("suppress_tokens");
    choice_.suppressed_first = IdsOf("begin_suppress_tokens");
    for (const JsonValue value : ListOf(json_, "bad_words_ids")) {
      if (auto sequence = Sequence(value)) {
        choice_.banned.push_back(std::move(*sequence));
      }
    }
    ReadBiases();
    ReadDecay();
    RefuseOthers();
    for (const Status& status : {ReadPenalties(), ReadLengths()}) {
      if (!status) {
        choice_.unsupported = status.error().message + kGiveTarget;
      }
    }
    return std::move(choice_);
  }

 private:
  [[nodiscard]] std::optional<std::int32_t> Id(JsonValue value) const {
    const std::int64_t id = value.Integer().value_or(-1);
    return id >= 0 && id < vocabulary_ ? std::optional(static_cast<std::int32_t>(id))
                                       : std::nullopt;
  }

  [[nodiscard]] Ids IdsOf(std::string_view key) const {
    Ids ids;
    for (const JsonValue value : ListOf(json_, key)) {
      // Each id once, since a bias is added to its score once.
      if (const auto id = Id(value); id && std::ranges::find(ids, *id) == ids.end()) {
        ids.push_back(*id);
      }
    }
    return ids;
  }

  // Returns nothing if one of the ids can never occur.
  [[nodiscard]] std::optional<Ids> Sequence(JsonValue value) const {
    Ids ids;
    for (const JsonValue element : value.Array().value_or(JsonArray())) {
      const auto id = Id(element);
      if (!id) {
        return std::nullopt;
      }
      ids.push_back(*id);
    }
    return ids.empty() ? std::nullopt : std::optional(std::move(ids));
  }

  void ReadBiases() {
    for (const JsonValue pair : ListOf(json_, "sequence_bias")) {
      const JsonArray parts = pair.Array().value_or(JsonArray());
      const auto sequence = parts.size() == 2 ? Sequence(parts[0]) : std::nullopt;
      if (sequence) {
        choice_.biases.push_back({*sequence, static_cast<float>(parts[1].Number().value_or(0.0))});
      }
    }
  }

  Status ReadPenalties() {
    HEADSCOPE_TRY(const auto penalty, json_.Number("repetition_penalty", 1e-6, kMostPenalty, 1.0));
    HEADSCOPE_TRY(const auto source,
                  json_.Number("encoder_repetition_penalty", 1e-6, kMostPenalty, 1.0));
    HEADSCOPE_TRY(const auto unrepeated,
                  json_.Integer("no_repeat_ngram_size", 0, kMaxPositions, 0));
    HEADSCOPE_TRY(const auto as_source,
                  json_.Integer("encoder_no_repeat_ngram_size", 0, kMaxPositions, 0));
    choice_.repetition_penalty = penalty;
    choice_.source_penalty = source;
    choice_.unrepeated = unrepeated;
    choice_.source_unrepeated = as_source;
    return {};
  }

  // Lengths in new tokens take precedence over lengths of the whole text, which include the start
  // token.
  Status ReadLengths() {
    HEADSCOPE_TRY(const auto least, json_.Integer("min_length", 0, kMaxPositions, 0));
    HEADSCOPE_TRY(const auto least_new, json_.Integer("min_new_tokens", 0, kMaxPositions, 0));
    choice_.least = json_.Has("min_new_tokens") ? least_new + 1 : least;
    for (const auto& [key, start] : {std::pair("max_length", 0), std::pair("max_new_tokens", 1)}) {
      if (json_.Has(key)) {
        HEADSCOPE_TRY(const auto most, json_.Integer(key, 1, kMaxPositions));
        choice_.most = most + start;
      }
    }
    return {};
  }

  void ReadDecay() {
    const JsonArray parts = ListOf(json_, "exponential_decay_length_penalty");
    const auto after = parts.size() == 2 ? parts[0].Integer() : std::nullopt;
    const auto factor = parts.size() == 2 ? parts[1].Number() : std::nullopt;
    if (after && factor) {
      choice_.decay = TokenChoice::Decay{*after, *factor};
    }
  }

  void RefuseOthers() {
    for (const std::string_view key : kNotGreedy) {
      const std::optional<JsonValue> value = json_.Value(key);
      const bool is_off = !value || value->Boolean() == false || value->Number() == 0.0 ||
                          (key == "guidance_scale" && value->Number() == 1.0);
      if (!is_off) {
        choice_.unsupported = fmt::format(
            "{}: {} asks for more than the likeliest token each time, which is how a target is "
            "made here; give the target",
            json_.name(),
            Quoted(key));
        return;
      }
    }
  }

  const JsonObject& json_;
  std::int64_t vocabulary_;
  TokenChoice choice_;
};

}  // namespace

Status ReadGeneration(const JsonObject& config,
                      std::int64_t default_start,
                      std::int64_t default_end,
                      ModelDescription* model) {
  const StackDescription& decoder = *model->decoder;
  const std::int64_t last_id = decoder.vocabulary - 1;
  HEADSCOPE_TRY(
      const auto start,
      config.Integer("decoder_start_token_id", 0, last_id, std::min(default_start, last_id)));
  TokenChoice choice = Reader(config, decoder.vocabulary).Read();
  if (choice.ends.empty()) {
    choice.ends.push_back(static_cast<std::int32_t>(std::min(default_end, last_id)));
  }
  model->start_id = static_cast<std::int32_t>(start);
  model->end_ids = choice.ends;
  model->generation =
      GenerationRule{.output = {"lm_head.weight", {decoder.vocabulary, decoder.model_dim}},
                     .bias = std::nullopt,
                     .choice = std::move(choice)};
  return {};
}

void ReadGenerationFile(const std::filesystem::path& folder, ModelDescription* model) {
  std::error_code error;
  const std::filesystem::path path = folder / kFile;
  if (!model->generation || !std::filesystem::exists(path, error)) {
    return;
  }
  TokenChoice& choice = model->generation->choice;
  const Result<JsonDocument> document = JsonDocument::Read(path, kMaxConfigBytes);
  const Result<JsonObject> json =
      document ? JsonObject::Root(*document) : Result<JsonObject>(PassOn(document.error()));
  if (!json) {
    choice.unsupported = json.error().message + kGiveTarget;
    return;
  }
  const std::int64_t vocabulary = model->decoder->vocabulary;
  for (const char* key : {"decoder_start_token_id", "bos_token_id"}) {
    const std::int64_t start = json->Value(key).value_or(JsonValue()).Integer().value_or(-1);
    if (start >= 0 && start < vocabulary) {
      model->start_id = static_cast<std::int32_t>(start);
      break;
    }
  }
  choice = Reader(*json, vocabulary).Read();
}

}  // namespace headscope
