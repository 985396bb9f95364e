#include "core/headcount/walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/base/thread_role.h"
#include "core/compute/rows.h"
#include "core/headcount/attention_widths.h"
#include "core/headcount/walk_parts.h"
#include "core/model/latent_attention.h"
#include "core/model/read_weights.h"
#include "core/model/rotary.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

using ActivationsPtr = std::unique_ptr<Activations>;

// A head's own narrow product, and what it was made from.
struct HeadProduct {
  ProjectionColumns columns;
  std::unique_ptr<Linear> linear;
};

// Compares the weights of one head, made from its own queries and keys, with the model's map.
class MapComparer : public AttentionObserver {
 public:
  MapComparer(const LayerAttention& layer, std::int64_t head, std::int64_t first_row)
      : layer_(layer), head_(head), first_row_(first_row) {}

  void OnBlock(const AttentionBlock& block) override {
    own_.resize(block.weights.size());
    layer_.RowsOnAllThreads(
        head_, first_row_ + block.query_begin, first_row_ + block.query_end, own_);
    difference_ = std::max(difference_, LargestDifference(block.weights, own_));
  }
  [[nodiscard]] double difference() const { return difference_; }

 private:
  const LayerAttention& layer_;
  std::int64_t head_;
  std::int64_t first_row_;
  std::vector<float> own_;
  double difference_ = 0.0;
};

class Walker {
 public:
  Walker(Forward* forward,
         const ForwardInput& input,
         const LayerAttention& layer,
         const std::stop_token& stop)
      : backend_(forward->backend()),
        model_(forward->model()),
        stack_(StackOf(model_.description(), layer.part())),
        description_(stack_.layer[static_cast<std::size_t>(layer.layer())]),
        needs_(WalkNeeds::Of(description_, stack_, layer.part())),
        input_(input),
        layer_(layer),
        shape_(layer.shape()),
        stop_(stop) {}

  Result<LayerWalk> Run(const WalkQuestion& question) {
    Begin(question);
    HEADSCOPE_TRY(ReadInputs());
    HEADSCOPE_TRY(AttendStacked());
    HEADSCOPE_TRY(AttendByHead());
    HEADSCOPE_TRY(ReadScores());
    HEADSCOPE_TRY(Mix());
    Tell();
    return std::move(walk_);
  }

 private:
  enum class Kind { kQuery, kKey, kValue };
  [[nodiscard]] bool is_cross() const { return layer_.part() == ModelPart::kCross; }
  [[nodiscard]] std::int64_t group() const { return shape_.heads / shape_.kv_heads; }

  void Begin(const WalkQuestion& question) {
    walk_.layer = {layer_.part(), layer_.layer()};
    walk_.head = question.head;
    walk_.shape = shape_;
    walk_.rule = layer_.rule();
    walk_.model_dim = stack_.model_dim;
    walk_.first_row = question.first_row;
    walk_.rows = WalkRowsOf(shape_.queries, shape_.keys, question.first_row).count;
    walk_.is_normed =
        (is_cross() ? description_.cross->norm : description_.attention_norm).before.has_value();
    walk_.query.own_head = question.head;
    walk_.key.own_head = question.head / group();
    walk_.value.own_head = walk_.key.own_head;
    walk_.query.heads = shape_.heads;
    walk_.key.heads = shape_.kv_heads;
    walk_.value.heads = shape_.kv_heads;
    walk_.query.width = shape_.head_dim;
    walk_.key.width = shape_.head_dim;
    walk_.value.width = shape_.value_dim;
    if (description_.rotary && !is_cross()) {
      rotary_ = TableFor(stack_.rotary[*description_.rotary], shape_.queries);
      const auto pairs = static_cast<std::int64_t>(rotary_->inverse_frequency.size());
      walk_.query.turned = std::min(2 * pairs, shape_.head_dim);
      walk_.key.turned = walk_.query.turned;
    }
    if (!is_cross() && description_.query_norm) {
      query_norm_ = ReadNorm(model_, *description_.query_norm);
    }
    if (!is_cross() && description_.key_norm) {
      key_norm_ = ReadNorm(model_, *description_.key_norm);
    }
  }

  // Returns rows [walk_.first_row, + walk_.rows) of a matrix of the layer.
  [[nodiscard]] std::span<const float> KeptRows(const std::vector<float>& all,
                                                std::int64_t width) const {
    return std::span(all).subspan(static_cast<std::size_t>(walk_.first_row * width),
                                  static_cast<std::size_t>(walk_.rows * width));
  }

  Result<ActivationsPtr> Load(std::span<const float> values, std::int64_t cols) {
    return MakeRows(&backend_, values, cols);
  }

  Status ReadInputs() {
    const std::vector<float>& read = layer_.content().projection_input;
    HEADSCOPE_CHECK(std::ssize(read) == shape_.queries * stack_.model_dim,
                    "the layer was captured with what it reads");
    walk_.input = WholeMatrix(walk_.rows, stack_.model_dim, KeptRows(read, stack_.model_dim));
    walk_.input_sizes = ColumnSizes(read, stack_.model_dim);
    HEADSCOPE_TRY(query_input_, Load(KeptRows(read, stack_.model_dim), stack_.model_dim));
    walk_.has_own_keys = is_cross() || !input_.key_embeddings.empty();
    if (is_cross()) {
      walk_.notes.emplace_back(
          "Keys and values are made of what the encoder gives for its own text. That is not kept "
          "here: K and V are the model's, and the product that made them is not repeated.");
      return {};
    }
    if (stack_.layer_positions) {
      return ReadPlacedInputs(read);
    }
    const auto& keys = input_.key_embeddings.empty() ? read : input_.key_embeddings;
    HEADSCOPE_TRY(key_input_, Load(keys, needs_.key.need->in));
    if (!input_.value_embeddings.empty()) {
      HEADSCOPE_TRY(value_input_, Load(input_.value_embeddings, needs_.value.need->in));
      walk_.notes.emplace_back("Values are made of embeddings of their own, not of X.");
    }
    if (walk_.has_own_keys) {
      walk_.notes.emplace_back("Keys are made of embeddings of their own, not of X.");
    }
    return {};
  }

  // Queries and keys are made of the input with each token's position, values without it.
  Status ReadPlacedInputs(const std::vector<float>& read) {
    std::vector<float> placed(read.size());
    ConvertToFloat(*model_.weights().Find(stack_.layer_positions->name), 0, placed);
    std::ranges::transform(placed, read, placed.begin(), std::plus<>());
    HEADSCOPE_TRY(query_input_, Load(KeptRows(placed, stack_.model_dim), stack_.model_dim));
    HEADSCOPE_TRY(key_input_, Load(placed, stack_.model_dim));
    HEADSCOPE_TRY(value_input_, Load(read, stack_.model_dim));
    walk_.notes.emplace_back(
        "Queries and keys are made of X with each token's position added to it. X is shown without "
        "it, as values read it.");
    return {};
  }

  [[nodiscard]] WalkProjection& ProjectionOf(Kind kind) {
    return kind == Kind::kQuery ? walk_.query : kind == Kind::kKey ? walk_.key : walk_.value;
  }
  [[nodiscard]] const WalkNeeds::Columns& NeedOf(Kind kind) const {
    return kind == Kind::kQuery ? needs_.query : kind == Kind::kKey ? needs_.key : needs_.value;
  }
  [[nodiscard]] const Activations* InputOf(Kind kind) const {
    return kind == Kind::kQuery                              ? query_input_.get()
           : kind == Kind::kValue && value_input_ != nullptr ? value_input_.get()
                                                             : key_input_.get();
  }
  [[nodiscard]] const std::vector<float>& CapturedOf(Kind kind) const {
    const LayerAttention::Content& content = layer_.content();
    return kind == Kind::kQuery ? content.queries
           : kind == Kind::kKey ? content.keys
                                : content.values;
  }

  Result<HeadProduct> Prepare(const WalkNeeds::Columns& from,
                              std::int64_t head,
                              std::int64_t width) {
    HeadProduct product;
    product.columns = ReadColumns(model_, *from.need, from.first + head * width, width);
    LinearSource source;
    source.in = from.need->in;
    LinearSource::Matrix matrix{.weight = ViewOf({width, source.in}, product.columns.weight),
                                .bias = std::nullopt};
    if (HoldsBias(*from.need)) {
      matrix.bias = ViewOf({width}, product.columns.bias);
    }
    source.matrices.push_back(std::move(matrix));
    HEADSCOPE_TRY(product.linear, backend_.Prepare(source, stop_));
    return product;
  }

  // Makes one head's result with its own columns, normed and rotated; records it if this is the
  // head in view, and compares it with the columns of the stacked product.
  Result<ActivationsPtr> MakeOwn(Kind kind, std::int64_t head) {
    WalkProjection& told = ProjectionOf(kind);
    const WalkNeeds::Columns& from = NeedOf(kind);
    const bool is_own = head == told.own_head;
    const std::int64_t stacked = told.heads * told.width;
    HEADSCOPE_TRY(auto product, Prepare(from, head, told.width));
    by_head_parameters_ +=
        (InputsAt(*from.need, from.first) + (HoldsBias(*from.need) ? 1 : 0)) * told.width;
    if (told.weight.empty()) {
      told.weight = EmptyMatrix(from.need->in, stacked);
    }
    PutColumns(product.columns, head * told.width, &told.weight);
    const auto captured_rows = kind == Kind::kQuery ? walk_.first_row : 0;
    const auto rows = kind == Kind::kQuery ? walk_.rows : shape_.keys;
    const std::vector<float> captured =
        HeadColumns(CapturedOf(kind), stacked, head * told.width, told.width, captured_rows, rows);
    if (is_own) {
      told.own = WholeMatrix(from.need->in, told.width, Transposed(product.columns));
      told.use = RowLengths(told.own);
      if (HoldsBias(*from.need)) {
        told.bias = product.columns.bias;
      }
      told.used = WholeMatrix(rows, told.width, captured);
    }
    const Activations* const in = InputOf(kind);
    if (in == nullptr) {
      return Load(captured, told.width);
    }
    HEADSCOPE_TRY(auto made, backend_.Make(rows, told.width));
    HEADSCOPE_TRY(backend_.Apply(*product.linear, *in, made.get(), stop_));
    if (is_own) {
      told.made = WholeMatrix(rows, told.width, ReadRows(backend_, *made));
    }
    const auto& norm = kind == Kind::kQuery ? query_norm_ : key_norm_;
    const auto rotate = [&](bool is_due) {
      if (is_due && rotary_ && kind != Kind::kValue) {
        backend_.Rotate(*rotary_, 1, captured_rows, 1, made.get());
      }
    };
    rotate(description_.is_rotated_first);
    if (norm && kind != Kind::kValue) {
      HEADSCOPE_TRY(backend_.Norm(NormOfHead(*norm, head), *made, made.get()));
      if (is_own) {
        told.normed = WholeMatrix(rows, told.width, ReadRows(backend_, *made));
      }
    }
    rotate(!description_.is_rotated_first);
    if (description_.query_growth && kind == Kind::kQuery && !is_cross()) {
      GrowQueries(*description_.query_growth, captured_rows, rows, &backend_, made.get());
    }
    project_difference_ = std::max(project_difference_.value_or(0.0),
                                   LargestDifference(ReadRows(backend_, *made), captured));
    return made;
  }

  // Computes all heads at once from the forward's own queries, keys and values.
  Status AttendStacked() {
    const LayerAttention::Content& content = layer_.content();
    HEADSCOPE_TRY(auto queries,
                  Load(KeptRows(content.queries, shape_.heads * shape_.head_dim),
                       shape_.heads * shape_.head_dim));
    HEADSCOPE_TRY(auto keys, Load(content.keys, shape_.kv_heads * shape_.head_dim));
    HEADSCOPE_TRY(auto values, Load(content.values, shape_.kv_heads * shape_.value_dim));
    AttentionInput input{.shape = shape_,
                         .rule = layer_.rule(),
                         .queries = queries.get(),
                         .keys = keys.get(),
                         .values = values.get()};
    input.shape.queries = walk_.rows;
    input.rule.offset += walk_.first_row;
    HEADSCOPE_TRY(const auto context, backend_.Make(walk_.rows, shape_.heads * shape_.value_dim));
    HEADSCOPE_TRY(backend_.Attend(input, nullptr, context.get(), stop_));
    walk_.concatenated =
        WholeMatrix(walk_.rows, shape_.heads * shape_.value_dim, ReadRows(backend_, *context));
    return {};
  }

  // Computes one head after another, each with its own matrices.
  Status AttendByHead() {
    const std::int64_t width = shape_.heads * shape_.value_dim;
    by_head_.resize(static_cast<std::size_t>(walk_.rows * width));
    for (std::int64_t kv_head = 0; kv_head < shape_.kv_heads; ++kv_head) {
      HEADSCOPE_TRY(const auto keys, MakeOwn(Kind::kKey, kv_head));
      HEADSCOPE_TRY(const auto values, MakeOwn(Kind::kValue, kv_head));
      for (std::int64_t i = 0; i < group(); ++i) {
        const std::int64_t head = kv_head * group() + i;
        HEADSCOPE_TRY(const auto queries, MakeOwn(Kind::kQuery, head));
        HEADSCOPE_TRY(AttendHead(head, *queries, *keys, *values));
      }
    }
    blend_difference_ = LargestDifference(by_head_, walk_.concatenated.values);
    const std::int64_t first = walk_.head * shape_.value_dim;
    walk_.blended = WholeMatrix(
        walk_.rows,
        shape_.value_dim,
        HeadColumns(walk_.concatenated.values, width, first, shape_.value_dim, 0, walk_.rows));
    return {};
  }

  Status AttendHead(std::int64_t head,
                    const Activations& queries,
                    const Activations& keys,
                    const Activations& values) {
    AttentionInput input{.shape = shape_,
                         .rule = layer_.rule(),
                         .queries = &queries,
                         .keys = &keys,
                         .values = &values};
    input.shape.queries = walk_.rows;
    input.shape.heads = 1;
    input.shape.kv_heads = 1;
    input.rule.offset += walk_.first_row;
    input.rule.bias = BiasOfHead(layer_.rule(), head);
    input.rule.sinks = SinkOfHead(layer_.rule(), head);
    input.rule.positions = PositionsOfHead(layer_.rule(), head);
    HEADSCOPE_TRY(const auto context, backend_.Make(walk_.rows, shape_.value_dim));
    MapComparer comparer(layer_, head, walk_.first_row);
    HEADSCOPE_TRY(backend_.Attend(input, &comparer, context.get(), stop_));
    weight_difference_ = std::max(weight_difference_, comparer.difference());
    const std::vector<float> blended = ReadRows(backend_, *context);
    for (std::int64_t row = 0; row < walk_.rows; ++row) {
      std::copy_n(blended.data() + row * shape_.value_dim,
                  shape_.value_dim,
                  by_head_.data() + (row * shape_.heads + head) * shape_.value_dim);
    }
    return {};
  }

  // Works in blocks of rows, so that it can stop soon.
  Status ReadScores() {
    constexpr std::int64_t kRowsAtOnce = 16;
    walk_.scores = EmptyMatrix(walk_.rows, shape_.keys, kWholeMatrix);
    walk_.weights = EmptyMatrix(walk_.rows, shape_.keys, kWholeMatrix);
    for (std::int64_t begin = 0; begin < walk_.rows; begin += kRowsAtOnce) {
      HEADSCOPE_TRY(CheckStop(stop_));
      const std::int64_t end = std::min(walk_.rows, begin + kRowsAtOnce);
      layer_.RowsOnAllThreads(walk_.head,
                              walk_.first_row + begin,
                              walk_.first_row + end,
                              std::span(walk_.weights.values)
                                  .subspan(static_cast<std::size_t>(begin * shape_.keys),
                                           static_cast<std::size_t>((end - begin) * shape_.keys)));
      for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t key = 0; key < shape_.keys; ++key) {
          walk_.scores.values[static_cast<std::size_t>(row * shape_.keys + key)] =
              ScoreAt(walk_.first_row + row, key);
        }
      }
    }
    Measure(&walk_.scores);
    Measure(&walk_.weights);
    return {};
  }

  [[nodiscard]] float ScoreAt(std::int64_t query, std::int64_t key) const {
    return layer_.Visible(query, key) ? static_cast<float>(layer_.Score(walk_.head, query, key))
                                      : -std::numeric_limits<float>::infinity();
  }

  // Computes what each head adds through its own rows of W_O.
  Status Mix() {
    const std::int64_t d = stack_.model_dim;
    const std::int64_t width = shape_.value_dim;
    const ProjectionColumns whole = ReadColumns(model_, *needs_.output, 0, d);
    walk_.output_weight = EmptyMatrix(whole.in, d);
    PutColumns(whole, 0, &walk_.output_weight);
    walk_.output = WholeMatrix(walk_.rows, d, KeptRows(layer_.content().attention_output, d));
    const auto add = [&](std::int64_t head) -> Result<std::vector<float>> {
      const ProjectionColumns own = InputsOf(whole, head * width, width);
      if (head == walk_.head && walk_.output_own.empty()) {
        walk_.output_own = WholeMatrix(width, d, Transposed(own));
      }
      LinearSource source;
      source.in = width;
      source.matrices.push_back({ViewOf({d, width}, own.weight), std::nullopt});
      HEADSCOPE_TRY(const auto linear, backend_.Prepare(source, stop_));
      HEADSCOPE_TRY(
          const auto in,
          Load(HeadColumns(by_head_, shape_.heads * width, head * width, width, 0, walk_.rows),
               width));
      return Multiplied(&backend_, *linear, *in, stop_);
    };
    HEADSCOPE_TRY(auto own, add(walk_.head));
    walk_.added = WholeMatrix(walk_.rows, d, std::move(own));
    std::vector<float> sum(static_cast<std::size_t>(walk_.rows * d));
    for (std::int64_t row = 0; HoldsBias(*needs_.output) && row < walk_.rows; ++row) {
      std::copy(whole.bias.begin(), whole.bias.end(), sum.begin() + row * d);
    }
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      HEADSCOPE_TRY(const auto added, add(head));
      by_head_parameters_ += width * d;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += added[i];
      }
      for (std::int64_t row = 0; row < walk_.rows; ++row) {
        const auto of = [&](std::span<const float> all) {
          return all.subspan(static_cast<std::size_t>(row * d), static_cast<std::size_t>(d));
        };
        walk_.lengths.push_back(Length(of(added)));
        walk_.along_output.push_back(Cosine(of(added), of(walk_.output.values)));
        walk_.along_own.push_back(Cosine(of(added), of(walk_.added.values)));
      }
    }
    if (HoldsBias(*needs_.output)) {
      by_head_parameters_ += d;
      walk_.output_bias = Length(whole.bias);
    }
    mix_difference_ = LargestDifference(sum, walk_.output.values);
    return {};
  }

  void Tell() {
    const LearntNumbers learnt = LearntOf(WidthsOf(model_.description(), walk_.layer));
    walk_.by_head_parameters = by_head_parameters_ + learnt.norms;  // shared by all heads
    walk_.stacked_parameters = learnt.All();
    walk_.lines = LinesOf(walk_);
    const auto line = [this](std::string_view name) -> WalkLine& {
      const auto found = std::ranges::find(walk_.lines, name, &WalkLine::name);
      HEADSCOPE_CHECK(found != walk_.lines.end(), "the walk has a line of that name");
      return *found;
    };
    line("project").difference = project_difference_;
    line("attend").difference = weight_difference_;
    line("blend").difference = blend_difference_;
    line("mix").difference = mix_difference_;
    for (const WalkLine& each : walk_.lines) {
      walk_.difference = std::max(walk_.difference, each.difference.value_or(0.0));
    }
  }

  Backend& backend_;
  const Model& model_;
  const StackDescription& stack_;
  const LayerDescription& description_;
  const WalkNeeds needs_;
  const ForwardInput& input_;
  const LayerAttention& layer_;
  const AttentionShape shape_;
  std::stop_token stop_;
  std::optional<RotaryTable> rotary_;
  std::optional<NormWeights> query_norm_;
  std::optional<NormWeights> key_norm_;
  ActivationsPtr query_input_;  // for the kept rows
  ActivationsPtr key_input_;    // null: not available
  ActivationsPtr value_input_;  // null: same as the keys'
  std::vector<float> by_head_;  // [rows, H dv]
  std::optional<double> project_difference_;
  double weight_difference_ = 0.0;
  double blend_difference_ = 0.0;
  double mix_difference_ = 0.0;
  std::int64_t by_head_parameters_ = 0;
  LayerWalk walk_;
};

}  // namespace

Result<LayerWalk> WalkLayer(Forward* forward,
                            const ForwardInput& input,
                            const LayerAttention& layer,
                            const WalkQuestion& question,
                            const std::stop_token& stop) {
  CheckNotDrawing("walking through a layer");
  if (!layer.has_scores()) {
    return Fail(
        ErrorCode::kUnsupported,
        "the file holds weights only, no queries, keys and values to walk through; open the model");
  }
  if (question.head < 0 || question.head >= layer.shape().heads) {
    return Fail(ErrorCode::kInput,
                fmt::format("head {} is asked for, layer {} has heads 0 to {}",
                            question.head,
                            layer.layer(),
                            layer.shape().heads - 1));
  }
  const StackDescription& stack = StackOf(forward->model().description(), layer.part());
  if (layer.part() != ModelPart::kCross) {
    if (NormsHeadsTogether(stack, layer.layer())) {
      return Fail(ErrorCode::kUnsupported,
                  "this model norms the queries of all heads together, and its keys: what one head "
                  "makes of them cannot be walked through by itself");
    }
    HEADSCOPE_TRY(RefuseLatents(stack, "a walk"));
    HEADSCOPE_TRY(RefuseScaledContext(stack, "a walk"));
  }
  return Walker(forward, input, layer, stop).Run(question);
}

}  // namespace headscope
