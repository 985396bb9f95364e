#include "core/worker/model_input.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/causes/probe_means.h"
#include "core/heads/probe/probe.h"
#include "core/io/npy.h"
#include "core/worker/encode_text.h"

namespace headscope {

namespace {

// Returns which text of a pair each token belongs to, if the model distinguishes them.
std::vector<std::int32_t> SegmentIds(const ModelDescription& model, const Encoding& encoding) {
  std::vector<std::int32_t> segments;
  if (model.token_types > 1) {
    for (const Token& token : encoding.tokens) {
      segments.push_back(token.segment);
    }
  }
  return segments;
}

std::shared_ptr<const Encoding> DescribeIds(const Tokenizer* tokenizer,
                                            std::span<const std::int32_t> ids) {
  return std::make_shared<const Encoding>(tokenizer != nullptr ? tokenizer->Describe(ids)
                                                               : DescribeAsNumbers(ids));
}

// Encodes a target as the decoder reads it: after its start token, without the end token.
Result<std::vector<std::int32_t>> TargetIds(const Model& model,
                                            const std::string& text,
                                            std::stop_token stop) {
  const ModelDescription& description = model.description();
  HEADSCOPE_TRY(CheckReadsText(
      model, "give the target as token ids, as in \"ids: 0, 5, 17\"", TextSide::kTarget));
  EncodeOptions options;
  options.stop = std::move(stop);
  HEADSCOPE_TRY(const auto encoding, model.target_tokenizer()->Encode(text, options));
  std::vector<std::int32_t> ids = {description.start_id};
  const std::vector<std::int32_t> own = encoding.Ids();
  ids.insert(ids.end(), own.begin(), own.end());
  const auto& ends = description.end_ids;
  if (ids.size() > 1 && std::ranges::find(ends, ids.back()) != ends.end()) {
    ids.pop_back();
  }
  return ids;
}

Status PrepareTarget(const Model& model,
                     const InputText& input,
                     std::stop_token stop,
                     PreparedInput* prepared) {
  prepared->forward.target_ids = input.target_ids;
  if (input.target) {
    if (!model.description().decoder) {
      return Fail(ErrorCode::kInput,
                  fmt::format("a target is given, but {} models have no decoder that reads one; "
                              "leave it out",
                              model.description().family));
    }
    HEADSCOPE_TRY(prepared->forward.target_ids, TargetIds(model, *input.target, std::move(stop)));
  }
  if (!prepared->forward.target_ids.empty()) {
    prepared->target = DescribeIds(model.target_tokenizer(), prepared->forward.target_ids);
  }
  return {};
}

// Reads rows from a file, `cols` wide.
Result<std::vector<float>> ReadRows(const std::filesystem::path& path,
                                    std::string_view rows,
                                    std::int64_t cols) {
  HEADSCOPE_TRY(auto array, ReadNpy(path));
  const std::vector<std::int64_t>& shape = array.shape;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] != cols) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: is {}, expected [{},{}], {} numbers for each token",
                            path.string(),
                            ShapeText(shape),
                            rows,
                            cols,
                            cols));
  }
  return std::move(array.values);
}

std::shared_ptr<const Encoding> Numbered(std::int64_t count) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return std::make_shared<const Encoding>(DescribeAsNumbers(numbers));
}

// Uses rows of embeddings instead of text: tokens are numbered.
Status PrepareEmbeddings(const Model& model, const InputText& input, PreparedInput* prepared) {
  const ModelDescription& description = model.description();
  HEADSCOPE_TRY(prepared->forward.embeddings,
                ReadRows(input.embeddings, "n", description.embedding_dim()));
  const auto& separate = description.layer.front().separate;
  if (!separate && !(input.key_embeddings.empty() && input.value_embeddings.empty())) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} models make keys and values of what they read; leave "
                            "--key-embeddings and --value-embeddings out",
                            description.family));
  }
  if (!input.key_embeddings.empty()) {
    HEADSCOPE_TRY(prepared->forward.key_embeddings,
                  ReadRows(input.key_embeddings, "m", separate->key.in));
  }
  if (!input.value_embeddings.empty()) {
    HEADSCOPE_TRY(prepared->forward.value_embeddings,
                  ReadRows(input.value_embeddings, "m", separate->value.in));
  }
  HEADSCOPE_TRY(CheckInput(description, prepared->forward));
  prepared->encoding = Numbered(TokenCount(description, prepared->forward));
  if (!input.key_embeddings.empty()) {
    prepared->keys = Numbered(KeyCount(description, prepared->forward));
  }
  return {};
}

}  // namespace

Result<std::vector<ForwardInput>> ReadSentences(const Model& model,
                                                const std::filesystem::path& probes,
                                                const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckReadsText(model, "replace heads by zero or the mean of this text"));
  if (model.description().decoder) {
    return Fail(ErrorCode::kInput,
                "the mean over other texts needs their targets, and sentences have none: replace "
                "heads by zero or the mean of this text");
  }
  const std::vector<std::string> texts = ReadProbeTexts(probes);
  if (texts.empty()) {
    return Fail(
        ErrorCode::kIo,
        fmt::format("{}: the bundled sentences are missing, which the mean over other texts is of: "
                    "install the program's assets, name their folder in HEADSCOPE_ASSETS, or "
                    "replace heads by zero or the mean of this text",
                    probes.string()));
  }
  std::vector<ForwardInput> read;
  for (const std::string& text : texts) {
    if (std::ssize(read) == ProbeMeans::kMostTexts) {
      break;
    }
    auto input = PrepareInput(model, {.text = text, .pair = {}, .ids = {}}, stop);
    if (input) {
      read.push_back(std::move(input->forward));
    } else if (input.error().code == ErrorCode::kCancelled) {
      return tl::unexpected(input.error());
    }
  }
  if (read.empty()) {
    return Fail(
        ErrorCode::kInput,
        "the model reads none of the bundled sentences, which the mean over other texts is of: "
        "replace heads by zero or the mean of this text");
  }
  return read;
}

Status CompleteTarget(Forward* forward, PreparedInput* input, const std::stop_token& stop) {
  const Model& model = forward->model();
  if (!model.description().decoder || !input->forward.target_ids.empty()) {
    return {};
  }
  HEADSCOPE_TRY(input->forward.target_ids, forward->Generate(input->forward, kMostGenerated, stop));
  input->target = DescribeIds(model.target_tokenizer(), input->forward.target_ids);
  return {};
}

std::string SpellTarget(const Model& model, std::span<const std::int32_t> target_ids) {
  const auto ids = target_ids.subspan(std::min<std::size_t>(1, target_ids.size()));
  const Tokenizer* tokenizer = model.target_tokenizer();
  return tokenizer != nullptr ? tokenizer->Spell(ids) : fmt::format("{}", fmt::join(ids, ", "));
}

Result<PreparedInput> PrepareInput(const Model& model,
                                   const InputText& input,
                                   std::stop_token stop,
                                   std::int64_t* could_read) {
  PreparedInput prepared;
  if (could_read != nullptr) {
    *could_read = 0;
  }
  if (!input.embeddings.empty()) {
    HEADSCOPE_TRY(PrepareEmbeddings(model, input, &prepared));
    HEADSCOPE_TRY(PrepareTarget(model, input, std::move(stop), &prepared));
    HEADSCOPE_TRY(CheckInput(model.description(), prepared.forward));
    return prepared;
  }
  const Tokenizer* tokenizer = model.tokenizer();
  if (model.description().reads_embeddings()) {
    HEADSCOPE_TRY(CheckInput(model.description(), {}));  // the error says what it reads
  }
  if (input.ids.empty() && input.text.empty()) {
    return Fail(ErrorCode::kInput, "the text is empty: type a sentence");
  }
  if (input.ids.empty()) {
    HEADSCOPE_TRY(CheckReadsText(model, "type token ids, as in \"ids: 5, 17, 3\""));
  }
  HEADSCOPE_TRY(auto encoding,
                tokenizer != nullptr ? EncodeText(*tokenizer, input, stop)
                                     : Result<Encoding>(NumberIds(input)));
  if (encoding.tokens.empty()) {
    return Fail(ErrorCode::kInput,
                "the text holds no token that this model knows: type a sentence");
  }
  prepared.encoding = std::make_shared<const Encoding>(std::move(encoding));
  if (input.ids.empty()) {
    prepared.forward.segment_ids = SegmentIds(model.description(), *prepared.encoding);
  } else {
    prepared.forward.segment_ids = input.segment_ids;
    if (prepared.encoding->cut_from > 0 && !input.segment_ids.empty()) {
      prepared.forward.segment_ids.resize(
          std::min(input.segment_ids.size(), prepared.encoding->tokens.size()));
    }
  }
  prepared.forward.ids = prepared.encoding->Ids();
  const std::int64_t positions = model.description().positions;
  if (could_read != nullptr && !input.pair && std::ssize(prepared.forward.ids) > positions) {
    *could_read = positions;
  }
  HEADSCOPE_TRY(PrepareTarget(model, input, std::move(stop), &prepared));
  HEADSCOPE_TRY(CheckInput(model.description(), prepared.forward));
  return prepared;
}

}  // namespace headscope
