// The walk through a layer: closed forms, the rows that are kept, what stands for large matrices.
#include "core/headcount/walk.h"

#include <cmath>

#include <fmt/format.h>

#include "core/headcount/walk_parts.h"
#include "core/model/family_kit.h"
#include "tests/reference/walk_reference.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope::test {
namespace {

const Family& FamilyNamed(std::string_view id) {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return *family;
    }
  }
  throw std::runtime_error("no such family");
}

TinyModel Gpt2() {
  return TinyModel(FamilyNamed("gpt2").example);
}

Result<LayerWalk> Walk(const std::shared_ptr<const Model>& model,
                       const ForwardInput& input,
                       const WalkQuestion& question) {
  const auto backend = std::move(AllBackends().back());
  Forward forward(model, backend.get());
  const auto layers = CaptureAll(model, backend.get(), input, true);
  return WalkLayer(&forward, input, *layers.front(), question, {});
}

void Fill(TinyModel* tiny, std::string_view ending, float value) {
  int filled = 0;
  for (auto& [name, tensor] : tiny->tensors) {
    if (name.ends_with(ending)) {
      std::ranges::fill(tensor.values, value);
      ++filled;
    }
  }
  REQUIRE(filled > 0);
}

}  // namespace

TEST_CASE(
    "With weights of 0 attention is even, no input is used, and the bias is all that is added",
    "[headcount][walk]") {
  TinyModel tiny = Gpt2();
  Fill(&tiny, "attn.c_attn.weight", 0.0F);
  Fill(&tiny, "attn.c_attn.bias", 0.0F);
  Fill(&tiny, "attn.c_proj.bias", 0.5F);
  const ForwardInput input{.ids = {3, 1, 4, 1, 5}, .embeddings = {}};
  const auto walk = Walk(tiny.Open(), input, {.head = 1});
  REQUIRE(walk.has_value());
  for (std::int64_t query = 0; query < 5; ++query) {
    for (std::int64_t key = 0; key <= query; ++key) {
      CHECK(walk->scores.At(query, key) == 0.0F);
      CHECK(std::abs(walk->weights.At(query, key) - 1.0F / static_cast<float>(query + 1)) < 1e-6F);
    }
    CHECK(walk->lengths[walk->PlaceOf(1, query)] == 0.0F);
    CHECK(walk->along_output[walk->PlaceOf(1, query)] == 0.0F);
  }
  CHECK(std::ranges::all_of(walk->query.use, [](float use) { return use == 0.0F; }));
  CHECK(std::ranges::all_of(walk->output.values, [](float value) { return value == 0.5F; }));
  CHECK(walk->difference == 0.0);
  CHECK(std::abs(walk->output_bias - 0.5F * std::sqrt(static_cast<float>(walk->model_dim))) <
        1e-5F);
}

TEST_CASE("The use of an input is the length of its row, and no row is missing",
          "[headcount][walk]") {
  const TinyModel tiny = Gpt2();
  const auto walk = Walk(tiny.Open(), {.ids = {3, 1, 4}, .embeddings = {}}, {.head = 1});
  REQUIRE(walk.has_value());
  const TinyTensor* joined = nullptr;
  for (const auto& [name, tensor] : tiny.tensors) {
    joined = name.find("h.0.attn.c_attn.weight") != std::string::npos ? &tensor : joined;
  }
  REQUIRE(joined != nullptr);
  const std::int64_t width = joined->shape[1];  // queries, keys and values side by side
  const std::int64_t dk = walk->shape.head_dim;
  REQUIRE(std::ssize(walk->query.use) == joined->shape[0]);
  for (std::int64_t input = 0; input < joined->shape[0]; ++input) {
    double square = 0.0;
    for (std::int64_t c = dk; c < 2 * dk; ++c) {
      const float weight = joined->values[static_cast<std::size_t>(input * width + c)];
      square += static_cast<double>(weight) * static_cast<double>(weight);
      CHECK(walk->query.own.At(input, c - dk) == weight);
      CHECK(walk->query.weight.At(input, c) == weight);
    }
    CHECK(std::abs(static_cast<double>(walk->query.use[static_cast<std::size_t>(input)]) -
                   std::sqrt(square)) <= 1e-6 * std::sqrt(square));
    CHECK(square > 0.0);
  }
}

TEST_CASE("Of a head with itself the cosine is 1", "[headcount][walk]") {
  const auto walk = Walk(Gpt2().Open(), {.ids = {3, 1, 4}, .embeddings = {}}, {.head = 1});
  REQUIRE(walk.has_value());
  for (std::int64_t query = 0; query < 3; ++query) {
    CHECK(std::abs(walk->along_own[walk->PlaceOf(1, query)] - 1.0F) < 1e-6F);
    CHECK(std::abs(walk->along_own[walk->PlaceOf(0, query)]) < 1.0F);
  }
}

TEST_CASE("Shapes read as they are", "[headcount][walk]") {
  const auto walk = Walk(Gpt2().Open(), {.ids = {3, 1, 4}, .embeddings = {}}, {.head = 0});
  REQUIRE(walk.has_value());
  const std::int64_t d = walk->model_dim;
  const std::int64_t h = walk->shape.heads;
  CHECK(walk->query.weight.rows == d);
  CHECK(walk->query.weight.cols == h * walk->shape.head_dim);
  CHECK(walk->query.own.cols == walk->shape.head_dim);
  CHECK(walk->concatenated.cols == h * walk->shape.value_dim);
  CHECK(walk->output_weight.rows == h * walk->shape.value_dim);
  CHECK(walk->output_weight.cols == d);
  CHECK(walk->output_own.rows == walk->shape.value_dim);
  const auto line = [&](std::string_view name) {
    return *std::ranges::find(walk->lines, name, &WalkLine::name);
  };
  CHECK(line("project").stacked == fmt::format("Q: [3,{}]×[{},{}]", d, d, d));
  CHECK(line("split").by_head == "nothing");
  CHECK(line("attend").by_head == fmt::format("{} × [3,3]", h));
  CHECK_FALSE(line("split").difference.has_value());
}

TEST_CASE("Rows are kept around the one asked for, and are those of the whole walk",
          "[headcount][walk]") {
  CHECK(WalkRowsOf(12, 12, 5).first == 0);
  CHECK(WalkRowsOf(12, 12, 5).count == 12);
  for (const std::int64_t tokens : {513, 700, 4096, 100000}) {
    for (const std::int64_t row : {std::int64_t{0}, tokens / 3, tokens - 1}) {
      const WalkRows rows = WalkRowsOf(tokens, tokens, row);
      CHECK(rows.first >= 0);
      CHECK(rows.first + rows.count <= tokens);
      CHECK(row >= rows.first);
      CHECK(row < rows.first + rows.count);
      CHECK(rows.count <= kMostWalkRows);
      CHECK((rows.count * tokens <= kMostWalkCells || rows.count == 16));
    }
  }
  std::string config(FamilyNamed("gpt2").example);
  const std::size_t at = config.find("\"n_positions\":");
  REQUIRE(at != std::string::npos);
  config.replace(at, config.find(',', at) - at, "\"n_positions\": 600");
  const TinyModel tiny(config);
  ForwardInput input;
  for (std::int32_t i = 0; i < 600; ++i) {
    input.ids.push_back(i * 7 % 11);
  }
  const auto model = tiny.Open();
  const std::int64_t first = WalkRowsOf(600, 600, 599).first;
  CHECK(first > 0);
  const auto walk = Walk(model, input, {.head = 1, .first_row = first});
  REQUIRE(walk.has_value());
  CHECK(walk->rows == kMostWalkRows);
  CHECK(walk->HasRow(599));
  CHECK_FALSE(walk->HasRow(0));
  const auto backend = std::move(AllBackends().back());
  const auto layers = CaptureAll(model, backend.get(), input, true);
  const WalkReference exact = WalkInDouble(*model, *layers.front());
  for (const std::int64_t query : {first, std::int64_t{599}}) {
    std::vector<float> row(600);
    layers.front()->Row(1, query, row);
    for (std::int64_t key = 0; key < 600; ++key) {
      CHECK(std::abs(walk->weights.At(query - first, key) - row[static_cast<std::size_t>(key)]) <
            1e-6F);
    }
    for (std::int64_t c = 0; c < walk->shape.value_dim; ++c) {
      const std::int64_t heads = walk->shape.heads * walk->shape.value_dim;
      const double expected =
          exact.concatenated[static_cast<std::size_t>(query * heads + walk->shape.value_dim + c)];
      CHECK(std::abs(static_cast<double>(walk->blended.At(query - first, c)) - expected) < 1e-5);
    }
  }
  CHECK(walk->difference < 1e-4);
}

TEST_CASE("Of a matrix that is too large the farthest number of each block is kept",
          "[headcount][walk]") {
  WalkMatrix matrix = EmptyMatrix(5, 6, 9);
  CHECK(matrix.step == 2);
  ProjectionColumns columns{.in = 5, .weight = {}, .bias = std::vector<float>(6)};
  for (int column = 0; column < 6; ++column) {
    for (int row = 0; row < 5; ++row) {
      columns.weight.push_back(row == 3 && column == 2 ? -7.0F : 0.1F * static_cast<float>(row));
    }
  }
  PutColumns(columns, 0, &matrix);
  CHECK(matrix.kept_rows() == 3);
  CHECK(matrix.At(2, 3) == -7.0F);
  CHECK(matrix.At(3, 2) == -7.0F);
  CHECK(matrix.At(1, 0) == 0.1F);
  CHECK(matrix.At(4, 5) == 0.4F);
  CHECK(matrix.largest == 7.0F);
}

TEST_CASE("A walk that is stopped says so", "[headcount][walk]") {
  const auto model = Gpt2().Open();
  const ForwardInput input{.ids = {3, 1, 4}, .embeddings = {}};
  const auto backend = std::move(AllBackends().back());
  Forward forward(model, backend.get());
  const auto layers = CaptureAll(model, backend.get(), input, true);
  std::stop_source source;
  source.request_stop();
  const auto walk = WalkLayer(&forward, input, *layers.front(), {}, source.get_token());
  REQUIRE_FALSE(walk.has_value());
  CHECK(walk.error().code == ErrorCode::kCancelled);
}

TEST_CASE("A head that the layer does not have is refused by its number", "[headcount][walk]") {
  const auto walk = Walk(Gpt2().Open(), {.ids = {3, 1}, .embeddings = {}}, {.head = 99});
  REQUIRE_FALSE(walk.has_value());
  CHECK(walk.error().code == ErrorCode::kInput);
  CHECK(walk.error().message.find("99") != std::string::npos);
}

}  // namespace headscope::test
