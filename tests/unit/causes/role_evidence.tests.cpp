#include "core/causes/role_evidence.h"

#include <cmath>
#include <numeric>

#include "core/causes/asked_heads.h"
#include "core/causes/logit_shares.h"
#include "core/causes/word_layer.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::TinyModel;

constexpr std::int64_t kTokens = 8;

// Attention only, and no layer norm but the final one does anything to rows of mean 0 and variance 1:
// each token is a row of a Hadamard matrix, so that no two have anything in common; the output layer
// is tied. Queries and keys are 0, so that every visible key has the same weight. Heads are four wide
// and read and write the columns 4 h .. 4 h + 3 with the factors given.
TinyModel ToyModel(const std::vector<double>& factors) {
  TinyModel toy(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 4, "n_embd": 16,
                    "n_positions": 16, "vocab_size": 15})");
  for (auto& [name, tensor] : toy.tensors) {
    std::ranges::fill(tensor.values, 0.0F);
    if (name.ends_with("ln_1.weight") || name.ends_with("ln_2.weight") ||
        name.ends_with("ln_f.weight")) {
      std::ranges::fill(tensor.values, 1.0F);
    }
  }
  std::vector<float>& tokens = toy.tensors.at("wte.weight").values;
  for (std::size_t token = 0; token < 15; ++token) {
    for (std::size_t i = 0; i < 16; ++i) {
      const int bits = __builtin_popcountll((token + 1) & i);
      tokens[token * 16 + i] = bits % 2 == 0 ? 1.0F : -1.0F;
    }
  }
  std::vector<float>& values = toy.tensors.at("h.1.attn.c_attn.weight").values;
  std::vector<float>& output = toy.tensors.at("h.1.attn.c_proj.weight").values;
  for (std::size_t i = 0; i < 16; ++i) {
    values[i * 48 + 32 + i] = 1.0F;
    output[i * 16 + i] = static_cast<float>(factors[i / 4]);
  }
  return toy;
}

// Right 3 and wrong 5 once each, the wrong one again at the end of the clean text.
PatchPair ToyPair(std::int32_t right = 3, std::int32_t wrong = 5) {
  PatchPair pair;
  pair.clean.ids = {1, right, 2, wrong, 7, wrong, 8, 9};
  pair.corrupted.ids = {1, right, 2, wrong, 7, 11, 8, 9};
  pair.right = right;
  pair.wrong = wrong;
  pair.row = kTokens - 1;
  return pair;
}

Result<RoleEvidence> Found(const TinyModel& model, const std::vector<PatchPair>& pairs) {
  const auto opened = model.Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(opened, backend.get());
  return FindRoleEvidence(&forward, pairs, {});
}

}  // namespace

TEST_CASE("what a head moves is what its weights and the final norm make of the right token",
          "[causes][evidence]") {
  const std::vector<double> factors = {0.5, -1.0, 0.0, 2.0};
  const TinyModel toy = ToyModel(factors);
  const auto made = Found(toy, {ToyPair(), ToyPair(4, 6)});
  REQUIRE(made.has_value());
  for (const auto& pair : {ToyPair()}) {
    // By hand: the final row is the token's own plus the mean of all eight, head by head.
    std::vector<double> row(16);
    const std::vector<float>& tokens = toy.tensors.at("wte.weight").values;
    const auto value = [&](std::int32_t token, std::size_t i) {
      return static_cast<double>(tokens[static_cast<std::size_t>(token) * 16 + i]);
    };
    for (std::size_t i = 0; i < 16; ++i) {
      row[i] = value(pair.clean.ids.back(), i);
      for (const std::int32_t token : pair.clean.ids) {
        row[i] += factors[i / 4] * value(token, i) / std::sqrt(1.0 + 1e-5) / 8.0;
      }
    }
    double mean = 0.0;
    double squares = 0.0;
    for (const double one : row) {
      mean += one / 16.0;
    }
    for (const double one : row) {
      squares += (one - mean) * (one - mean) / 16.0;
    }
    const double scale = 1.0 / std::sqrt(squares + 1e-5);
    for (std::int64_t head = 0; head < 4; ++head) {
      double share = 0.0;
      for (auto i = static_cast<std::size_t>(4 * head); i < static_cast<std::size_t>(4 * head + 4);
           ++i) {
        const double written = factors[i / 4] * value(pair.right, i) / std::sqrt(1.0 + 1e-5) / 8.0;
        share += written * scale * (value(pair.right, i) - value(pair.wrong, i));
      }
      const auto one = Found(toy, {pair});
      REQUIRE(one.has_value());
      const Evidence* const moves = one->Find(EvidenceKind::kMovesNames, {1, head});
      REQUIRE(moves != nullptr);
      CHECK(moves->score == Near(share, 1e-5));
      CHECK_FALSE(moves->error.has_value());
      CHECK(moves->cases == 1);
      CHECK(moves->chance == 0.0);
    }
  }
  // The silent head and the first layer, which writes nothing, are exactly 0.
  for (const EvidenceKind kind : {EvidenceKind::kMovesNames, EvidenceKind::kSuppressesCopy}) {
    for (const HeadIndex head : {HeadIndex{1, 2}, HeadIndex{0, 0}, HeadIndex{0, 3}}) {
      CHECK(made->Find(kind, head)->score == 0.0);
      CHECK(*made->Find(kind, head)->control == 0.0);
    }
  }
}

TEST_CASE("a head that writes a token down suppresses it, one that raises it does not",
          "[causes][evidence]") {
  const auto made = Found(ToyModel({1.0, 1.0, -1.0, -1.0}), {ToyPair(), ToyPair(4, 6)});
  REQUIRE(made.has_value());
  const auto of = [&](std::int64_t head) {
    return made->Find(EvidenceKind::kSuppressesCopy, {1, head})->score;
  };
  CHECK(of(0) + of(1) < 0.0);
  CHECK(of(2) + of(3) > 0.0);
  const auto silent = Found(ToyModel({1.0, 1.0, -1.0, 0.0}), {ToyPair()});
  CHECK(silent->Find(EvidenceKind::kSuppressesCopy, {1, 3})->score == 0.0);
}

TEST_CASE("heads in another order have the evidence of their own", "[causes][evidence]") {
  // Random weights; heads 0 and 1 of layer 1, and 2 and 3 of layer 0, change places.
  TinyModel whole = test::WordModel(test::Gpt2Config(2, 4));
  TinyModel other = whole;
  const auto exchange = [&](const std::string& layer, std::size_t a, std::size_t b) {
    std::vector<float>& read = other.tensors.at(layer + ".attn.c_attn.weight").values;
    std::vector<float>& bias = other.tensors.at(layer + ".attn.c_attn.bias").values;
    std::vector<float>& write = other.tensors.at(layer + ".attn.c_proj.weight").values;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t part = 0; part < 3; ++part) {
        std::swap(bias[part * 16 + a * 4 + i], bias[part * 16 + b * 4 + i]);
        for (std::size_t row = 0; row < 16; ++row) {
          std::swap(read[row * 48 + part * 16 + a * 4 + i], read[row * 48 + part * 16 + b * 4 + i]);
        }
      }
      for (std::size_t col = 0; col < 16; ++col) {
        std::swap(write[(a * 4 + i) * 16 + col], write[(b * 4 + i) * 16 + col]);
      }
    }
  };
  exchange("h.1", 0, 1);
  exchange("h.0", 2, 3);
  const auto place = [](HeadIndex head) {
    const bool is_moved = head.layer == 1 ? head.head < 2 : head.head >= 2;
    return is_moved ? HeadIndex{head.layer, head.head ^ 1} : head;
  };
  const std::vector<PatchPair> pairs = {ToyPair(), ToyPair(4, 6), ToyPair(6, 3)};
  const auto before = Found(whole, pairs);
  const auto after = Found(other, pairs);
  REQUIRE((before && after));
  CHECK(before->all.size() >= 16);
  CHECK(before->all.size() == after->all.size());
  for (const Evidence& evidence : before->all) {
    INFO(EvidenceName(evidence.kind) << " " << HeadName(evidence.head));
    const Evidence* const same = after->Find(evidence.kind, place(evidence.head));
    REQUIRE(same != nullptr);
    CHECK(same->score == Near(evidence.score, 1e-5));
  }
}

TEST_CASE("paths to the queries of those that move names are those of path patching",
          "[causes][evidence]") {
  // Of one pair there is no error: any head above its control is a receiver.
  const TinyModel whole = test::WordModel(test::Gpt2Config(3, 8), 4);
  const std::vector<PatchPair> pairs = {ToyPair()};
  const auto model = whole.Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto made = FindRoleEvidence(&forward, pairs, {});
  REQUIRE(made.has_value());
  REQUIRE(made->why_not.empty());
  REQUIRE_FALSE(made->receivers.empty());
  REQUIRE(made->other_receivers.size() == made->receivers.size());
  const HeadIndex sender{0, 2};
  for (const bool is_control : {false, true}) {
    PatchQuestion question{.direction = PatchDirection::kNoise};
    PatchPaths& paths = question.paths.emplace();
    paths.from = {sender};
    for (const HeadIndex head : is_control ? made->other_receivers : made->receivers) {
      paths.to.push_back({head, HeadInput::kQueries});
    }
    std::vector<PatchedPair> patched;
    for (const PatchPair& pair : pairs) {
      auto one = PatchPairOf(&forward, pair, question, {});
      REQUIRE(one.has_value());
      patched.push_back(std::move(*one));
    }
    const auto scores = ScoresOfPairs(patched, PatchDirection::kNoise);
    REQUIRE(scores.has_value());
    const Evidence* const stops = made->Find(EvidenceKind::kStopsSubject, sender);
    REQUIRE(stops != nullptr);
    CHECK((is_control ? *stops->control : stops->score) == Near(scores->front().score, 1e-5));
    CHECK(stops->cases == 1);
  }
}

TEST_CASE("a sender that writes nothing stops nobody", "[causes][evidence]") {
  TinyModel whole = test::WordModel(test::Gpt2Config(3, 8), 4);
  std::vector<float>& output = whole.tensors.at("h.0.attn.c_proj.weight").values;
  std::fill(output.begin() + 2 * 4 * 32, output.begin() + 3 * 4 * 32, 0.0F);
  const auto made = Found(whole, {ToyPair()});
  REQUIRE(made.has_value());
  CHECK(made->Find(EvidenceKind::kStopsSubject, {0, 1})->score != Near(0.0, 1e-2));
  if (const Evidence* const stops = made->Find(EvidenceKind::kStopsSubject, {0, 2})) {
    // Runs take states over in float32, and the score divides by the difference of the metrics.
    const auto opened = whole.Open();
    const auto backend = MakeReferenceBackend();
    Forward forward(opened, backend.get());
    const auto patching = Patching::Make(&forward, ToyPair(), PatchDirection::kNoise, {});
    REQUIRE(patching.has_value());
    const double clean = (*patching)->clean_metric();
    const double bound =
        1e-6 * (1.0 + std::abs(clean)) / std::abs(clean - (*patching)->corrupted_metric());
    CHECK(bound < 1e-2);
    CHECK(stops->score == Near(0.0, bound));
    CHECK(*stops->control == Near(0.0, bound));
  } else {
    FAIL("heads before those that move names have a score");
  }
}

TEST_CASE("pairs without their tokens, and models that say no next word, are refused",
          "[causes][evidence]") {
  const TinyModel toy = ToyModel({1.0, 1.0, 1.0, 1.0});
  PatchPair absent = ToyPair();
  absent.right = 13;
  const auto refused = Found(toy, {ToyPair(), absent});
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message,
             test::Says("the right token, #13, does not stand in the clean text up to row 7"));
  CHECK_FALSE(Found(toy, {}).has_value());
  PatchPair unequal = ToyPair();
  unequal.corrupted.ids.pop_back();
  CHECK_FALSE(Found(toy, {unequal}).has_value());
  PatchPair every = ToyPair();
  every.clean.ids.resize(15);
  std::iota(every.clean.ids.begin(), every.clean.ids.end(), 0);
  every.corrupted.ids = every.clean.ids;
  every.row = 14;
  const auto none_left = Found(toy, {every});
  REQUIRE_FALSE(none_left.has_value());
  CHECK_THAT(none_left.error().message, test::Says("a clean text has all 15 tokens"));
  int refusals = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = test::WordModel(family->example).Open();
    if (model->description().decoder) {
      const auto backend = MakeReferenceBackend();
      Forward forward(model, backend.get());
      const auto made = FindRoleEvidence(&forward, {ToyPair()}, {});
      REQUIRE_FALSE(made.has_value());
      CHECK(made.error().code == ErrorCode::kUnsupported);
      ++refusals;
    }
  }
  CHECK(refusals > 0);
  const auto opened = toy.Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(opened, backend.get());
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = FindRoleEvidence(&forward, {ToyPair()}, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
