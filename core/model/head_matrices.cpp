#include "core/model/head_matrices.h"

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/io/byte_source.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/latent_attention.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

constexpr const char* kLeftOut =
    "norms before the products and of queries and keys, rotary turns and the scale of scores are not "
    "folded in: the numbers are those of the model's file";

// One of the four matrices: its letter, and where a head has it.
struct MatrixKind {
  char letter;
  ProductColumns HeadMatrices::*columns;
};
constexpr std::array<MatrixKind, 3> kReads = {
    {{'Q', &HeadMatrices::query}, {'K', &HeadMatrices::key}, {'V', &HeadMatrices::value}}};

// Turns [columns, in] into [in, columns].
std::vector<float> Turned(const ProjectionColumns& read) {
  std::vector<float> turned(read.weight.size());
  const auto columns = static_cast<std::size_t>(read.columns());
  const auto in = static_cast<std::size_t>(read.in);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < in; ++row) {
      turned[row * columns + column] = read.weight[column * in + row];
    }
  }
  return turned;
}

// Matrices of one product, a head's at a time.
class MatrixBytes : public ByteSource {
 public:
  MatrixBytes(const Model& model, std::vector<ProductColumns> heads, bool is_output)
      : reader_(model, *heads.front().product), heads_(std::move(heads)), is_output_(is_output) {}

  void Rewind() override { next_ = 0; }
  Result<std::span<const std::byte>> Next() override {
    if (next_ == heads_.size()) {
      return std::span<const std::byte>();
    }
    const ProductColumns& place = heads_[next_++];
    const LinearNeed& product = *place.product;
    matrix_ = Turned(is_output_ ? reader_.Read(0, ColumnCount(product), {place.first, place.count})
                                : reader_.Read(place.first, place.count, {0, product.in}));
    return std::as_bytes(std::span<const float>(matrix_));
  }

 private:
  ColumnReader reader_;
  std::vector<ProductColumns> heads_;
  bool is_output_;
  std::size_t next_ = 0;
  std::vector<float> matrix_;
};

// The tensors of a file with what makes their bytes.
class Tensors {
 public:
  Tensors(const Model& model, bool has_heads, std::vector<HeadMatrices> heads)
      : model_(model), has_heads_(has_heads), heads_(std::move(heads)) {}

  void AddReader(const MatrixKind& kind) {
    std::vector<ProductColumns> places;
    for (const HeadMatrices& head : heads_) {
      places.push_back(head.*kind.columns);
    }
    const ProductColumns first = places.front();
    AddMatrix(kind.letter, {first.product->in, first.count}, places, false);
    if (!IsBiased(*first.product, first.first)) {
      return;
    }
    const std::vector<float> all = ReadBiases(model_, *first.product);
    std::vector<float> own;
    for (const ProductColumns& place : places) {
      const auto from = all.begin() + place.first;
      own.insert(own.end(), from, from + place.count);
    }
    AddBias(kind.letter, WithHeads({first.count}), std::move(own));
  }

  void AddOutput() {
    std::vector<ProductColumns> places;
    for (const HeadMatrices& head : heads_) {
      places.push_back(head.output);
    }
    const LinearNeed& product = *places.front().product;
    const std::int64_t width = ColumnCount(product);
    AddMatrix('O', {places.front().count, width}, places, true);
    if (IsBiased(product, 0)) {
      AddBias('O', {width}, ReadBiases(model_, product));
    }
  }

  [[nodiscard]] const std::vector<StreamedTensor>& all() const { return all_; }

 private:
  std::vector<std::int64_t> WithHeads(std::vector<std::int64_t> shape) const {
    if (has_heads_) {
      shape.insert(shape.begin(), std::ssize(heads_));
    }
    return shape;
  }

  void AddMatrix(char letter,
                 std::vector<std::int64_t> shape,
                 const std::vector<ProductColumns>& places,
                 bool is_output) {
    MatrixBytes& bytes = matrices_.emplace_back(model_, places, is_output);
    Add(fmt::format("W_{}", letter), WithHeads(std::move(shape)), &bytes);
  }

  void AddBias(char letter, std::vector<std::int64_t> shape, std::vector<float> values) {
    const std::vector<float>& kept = biases_.emplace_back(std::move(values));
    ReadyBytes& bytes = ready_.emplace_back(std::as_bytes(std::span(kept)));
    Add(fmt::format("b_{}", letter), std::move(shape), &bytes);
  }

  void Add(std::string name, std::vector<std::int64_t> shape, ByteSource* bytes) {
    all_.push_back({.about = {.name = std::move(name), .shape = std::move(shape), .bytes = {}},
                    .bytes = bytes});
  }

  const Model& model_;
  bool has_heads_;
  std::vector<HeadMatrices> heads_;
  std::deque<MatrixBytes> matrices_;
  std::deque<std::vector<float>> biases_;
  std::deque<ReadyBytes> ready_;
  std::vector<StreamedTensor> all_;
};

std::map<std::string, std::string> About(const Model& model,
                                         LayerId layer,
                                         std::optional<std::int64_t> head,
                                         const std::vector<HeadMatrices>& places) {
  std::vector<std::int64_t> key_heads;
  for (const HeadMatrices& place : places) {
    key_heads.push_back(place.key_head);
  }
  std::map<std::string, std::string> about = {
      {"model", model.name()},
      {"family", model.description().family},
      {"part", std::string(PartName(layer.part))},
      {"layer", std::to_string(layer.layer)},
      {"key_heads", fmt::format("[{}]", fmt::join(key_heads, ","))},
      {"orientation", "x W, x a row: W_Q [d, d_k], W_O [d_v, d]"},
      {"left_out", kLeftOut},
      {"stored_as", model.description().precision}};
  if (head) {
    about["head"] = std::to_string(*head);
  }
  return about;
}

}  // namespace

HeadMatrices MatricesOfHead(const ModelDescription& model, LayerId id, std::int64_t head) {
  const StackDescription& stack = StackOf(model, id.part);
  const LayerDescription& layer = stack.layer[static_cast<std::size_t>(id.layer)];
  const HeadWidths widths = stack.WidthsOf(layer);
  HeadMatrices place;
  place.key_head = head / (stack.heads / stack.kv_heads);
  place.output = {&OutputNeedOf(model, id), head * widths.value, widths.value};
  const auto columns =
      [](const LinearNeed& product, std::int64_t before, std::int64_t index, std::int64_t width) {
        return ProductColumns{&product, before + index * width, width};
      };
  if (id.part == ModelPart::kCross) {
    place.query = columns(layer.cross->query, 0, head, widths.key);
    place.key = columns(layer.cross->key_value, 0, place.key_head, widths.key);
    place.value =
        columns(layer.cross->key_value, stack.kv_heads * widths.key, place.key_head, widths.value);
  } else if (layer.separate) {
    place.query = columns(layer.separate->query, 0, head, widths.key);
    place.key = columns(layer.separate->key, 0, place.key_head, widths.key);
    place.value = columns(layer.separate->value, 0, place.key_head, widths.value);
  } else if (layer.latent) {
    const std::int64_t own = ColumnCount(layer.latent->key) / stack.kv_heads;
    place.query = columns(layer.latent->query, 0, head, widths.key);
    place.key = columns(layer.latent->key, 0, place.key_head, own);
    place.value = columns(layer.latent->value, 0, place.key_head, widths.value);
  } else {
    // An earlier layer's keys and values follow its queries, which are as many.
    const LinearNeed& keys =
        layer.keys_of ? stack.layer[static_cast<std::size_t>(*layer.keys_of)].query_key_value
                      : layer.query_key_value;
    const std::int64_t queries = stack.heads * widths.key;
    place.query = columns(layer.query_key_value, 0, head, widths.key);
    place.key = columns(keys, queries, place.key_head, widths.key);
    place.value =
        columns(keys, queries + stack.kv_heads * widths.key, place.key_head, widths.value);
  }
  return place;
}

Status WriteHeadMatrices(const std::filesystem::path& path,
                         const Model& model,
                         LayerId layer,
                         std::optional<std::int64_t> head) {
  const StackDescription& stack = StackOf(model.description(), layer.part);
  HEADSCOPE_TRY(RefuseLatents(stack, "a file of W_Q, W_K and W_V"));
  std::vector<std::int64_t> heads(head ? 1 : static_cast<std::size_t>(stack.heads));
  std::iota(heads.begin(), heads.end(), head.value_or(0));
  std::vector<HeadMatrices> places;
  for (const std::int64_t each : heads) {
    places.push_back(MatricesOfHead(model.description(), layer, each));
  }
  const auto about = About(model, layer, head, places);
  Tensors tensors(model, !head, std::move(places));
  for (const MatrixKind& kind : kReads) {
    tensors.AddReader(kind);
  }
  tensors.AddOutput();
  if (path.extension() == ".safetensors") {
    return StreamSafetensors(path, tensors.all(), about);
  }
  std::vector<NpzEntry> entries;
  for (const StreamedTensor& tensor : tensors.all()) {
    entries.push_back({.name = tensor.about.name,
                       .numbers = tensor.about,
                       .texts = {},
                       .text_shape = {},
                       .bytes = tensor.bytes});
  }
  for (const auto& [name, text] : about) {
    entries.push_back({.name = name, .numbers = {}, .texts = {text}, .text_shape = {}});
  }
  return WriteNpz(path, entries);
}

}  // namespace headscope
