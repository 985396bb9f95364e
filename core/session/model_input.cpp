#include "core/session/model_input.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace headscope {

namespace {

// Which text of a pair each token is of, where the model tells them apart.
std::vector<std::int32_t> Segments(const ModelDescription& model, const Encoding& encoding) {
  std::vector<std::int32_t> segments;
  if (model.token_types > 1) {
    for (const Token& token : encoding.tokens) {
      segments.push_back(token.segment);
    }
  }
  return segments;
}

}  // namespace

Result<PreparedInput> PrepareInput(const Model& model,
                                   const InputText& input,
                                   std::stop_token stop) {
  PreparedInput prepared;
  const Tokenizer* tokenizer = model.tokenizer();
  if (!input.ids.empty()) {
    prepared.encoding = std::make_shared<const Encoding>(
        tokenizer != nullptr ? tokenizer->Describe(input.ids) : DescribeAsNumbers(input.ids));
    prepared.forward.segment_ids = input.segment_ids;
  } else {
    if (input.text.empty()) {
      return Fail(ErrorCode::kInput, "the text is empty: type a sentence");
    }
    if (tokenizer == nullptr) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: no tokenizer.json, and no vocab.json with merges.txt: this "
                              "model cannot read text; give "
                              "token numbers with --ids",
                              model.folder().string()));
    }
    EncodeOptions options;
    options.pair = input.pair;
    options.stop = std::move(stop);
    Result<Encoding> encoding = tokenizer->Encode(input.text, options);
    if (!encoding) {
      return PassOn(std::move(encoding.error()));
    }
    if (encoding->tokens.empty()) {
      return Fail(ErrorCode::kInput,
                  "the text holds no token that this model knows: type a sentence");
    }
    prepared.encoding = std::make_shared<const Encoding>(std::move(*encoding));
    prepared.forward.segment_ids = Segments(model.description(), *prepared.encoding);
  }
  prepared.forward.ids = prepared.encoding->Ids();
  HEADSCOPE_TRY(CheckInput(model.description(), prepared.forward));
  return prepared;
}

Result<PreparedInput> PrepareEmbeddings(const Model& model,
                                        std::vector<float> values,
                                        std::int64_t rows,
                                        std::int64_t cols,
                                        const std::string& name) {
  if (cols != model.description().embedding_dim() || rows < 1) {
    return Fail(ErrorCode::kShape,
                fmt::format("{}: is [{},{}], expected [n,{}], the width of a token in this model",
                            name,
                            rows,
                            cols,
                            model.description().embedding_dim()));
  }
  PreparedInput prepared;
  prepared.forward.embeddings = std::move(values);
  HEADSCOPE_TRY(CheckInput(model.description(), prepared.forward));
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), 0);
  prepared.encoding = std::make_shared<const Encoding>(DescribeAsNumbers(numbers));
  return prepared;
}

}  // namespace headscope
