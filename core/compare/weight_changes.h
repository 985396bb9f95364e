// How much the weights of one model differ from those of another of the same shape: of every head, and of
// what else each layer and the model have.
//
// Units    change: |A - B| / |A|, Frobenius norms over all numbers of a part, A the base; cosine of A's
//          numbers and B's as one vector each, -1 to 1.
// Errors   Make: kInput, the two have other shapes: both are said. Run: kCancelled; kNumeric, a part
//          holds NaN or infinity.
// Threads  any but the drawing one.
// Cost     one pass over both files' numbers, in pieces of 1 MB; asks whether to stop before each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/heads/measure/head_name.h"
#include "core/io/table.h"
#include "core/model/model.h"

namespace headscope {

// Sums over pairs of numbers.
struct ChangeSums {
  std::int64_t numbers = 0;
  double base = 0.0;  // of squares of A
  double other = 0.0;
  double difference = 0.0;
  double product = 0.0;

  void Add(std::span<const float> a, std::span<const float> b);
  void Add(const ChangeSums& more);
  // None: A is 0 everywhere and B is not.
  [[nodiscard]] std::optional<double> Change() const;
  // None: one of the two is 0 everywhere.
  [[nodiscard]] std::optional<double> Cosine() const;
};

inline constexpr std::array<std::string_view, 4> kHeadMatrices = {"W_Q", "W_K", "W_V", "W_O"};

struct WeightChange {
  std::string name;               // "L0H1", "L0 MLP", "token embedding"
  std::optional<HeadIndex> head;  // none: something else
  ChangeSums all;
  // Of a head, each with its bias; keys and values are those that it shares with others.
  std::array<ChangeSums, kHeadMatrices.size()> matrices = {};
};

struct WeightChanges {
  std::string a;
  std::string b;
  std::vector<WeightChange> parts;  // the largest change first
  std::vector<std::string> notes;   // what is shared, and what could not be compared
};

// A comparison under way, which can be stopped and gone on with.
class WeightComparison {
 public:
  [[nodiscard]] static Result<std::unique_ptr<WeightComparison>> Make(
      std::shared_ptr<const Model> a, std::shared_ptr<const Model> b);

  using OnStep = std::function<void(std::int64_t done, std::int64_t total)>;
  // What was done before a stop is kept; `on_step` is called before each layer's part.
  [[nodiscard]] Result<std::shared_ptr<const WeightChanges>> Run(const OnStep& on_step,
                                                                 const std::stop_token& stop);

  [[nodiscard]] const Model& a() const { return *a_; }
  [[nodiscard]] const Model& b() const { return *b_; }

 private:
  WeightComparison(std::shared_ptr<const Model> a, std::shared_ptr<const Model> b);

  std::shared_ptr<const Model> a_;
  std::shared_ptr<const Model> b_;
  std::vector<LayerId> layers_;
  std::int64_t done_ = 0;  // of the layers, and the rest of the model after them
  WeightChanges changes_;
};

// Every part as a row: its change, cosine, and of a head the change of each matrix.
[[nodiscard]] Table WeightChangeTable(const WeightChanges& changes);
// The same as JSON.
[[nodiscard]] std::string WeightChangeJson(const WeightChanges& changes);
// "0.0123", "1.2e-7", "new" where A is 0 everywhere
[[nodiscard]] std::string ChangeText(const ChangeSums& sums);

}  // namespace headscope
