#include "app/state/compare/patching.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/state/compare/compared.h"
#include "core/base/counted.h"
#include "core/base/hundredths.h"
#include "core/model/masked_output.h"

namespace headscope {
namespace {

// Multiplications and additions of all runs beyond which a person is asked first: about ten seconds on
// two cores.
constexpr double kMostUnasked = 1e12;

std::string_view PatchedThing(PatchWhat what) {
  switch (what) {
    case PatchWhat::kPattern:
      return "a head's attention weights, not its values,";
    case PatchWhat::kQueries:
      return "a head's queries";
    case PatchWhat::kKeys:
      return "a head's keys";
    case PatchWhat::kValues:
      return "a head's values";
    case PatchWhat::kStream:
      return "the residual stream before a layer, at one token,";
    case PatchWhat::kMlp:
      return "what a layer's MLP adds at one token";
    case PatchWhat::kAttention:
      return "what a layer's attention adds at one token";
    case PatchWhat::kOutput:
      break;
  }
  return "a head's output";
}

bool HoldsMask(const Encoding& encoding) {
  return std::ranges::any_of(encoding.tokens, [](const Token& token) {
    return token.special && (token.text == "[MASK]" || token.text == "<mask>");
  });
}

std::int64_t TokensOf(const std::shared_ptr<const Encoding>& encoding) {
  return encoding != nullptr ? std::ssize(encoding->tokens) : 0;
}

PatchInView InView(const AppState& state, const std::optional<PatchingState::Question>& question) {
  PatchInView found;
  if (!question) {
    return found;
  }
  for (const PatchingState::Answer& answer : state.compare.patching.answers) {
    if (answer.of == *question) {
      return {answer.patched, false};
    }
    if (answer.of.what == question->what && answer.of.at == question->at &&
        answer.of.paths.has_value() == question->paths.has_value()) {
      found = {answer.patched, true};
    }
  }
  return found;
}

std::shared_ptr<const PatchedTexts> ToDraw(const PatchInView& view) {
  const bool is_there = view.patched != nullptr && !view.is_old &&
                        view.patched->metrics.size() == view.patched->count();
  return is_there ? view.patched : nullptr;
}

}  // namespace

bool AreTwoTextsOfOneModel(const AppState& state) {
  const auto& other = state.compare.other;
  const bool is_one_model =
      other && other->cut_heads == 0 &&
      (other->model.empty() || (state.model != nullptr && other->model == state.model->folder));
  return is_one_model && other->input && *other->input != state.shown.input;
}

std::string WhyNotPatched(const AppState& state) {
  const auto& other = state.compare.other;
  const ModelInfo* const model = state.model.get();
  if (!other || model == nullptr) {
    return "Patching needs two texts: choose another sentence as side B";
  }
  if (!model->reads_tokens()) {
    return "Patching runs a model over two texts, and nothing here reads tokens: open a model";
  }
  if (other->cut_heads > 0 || (!other->model.empty() && other->model != model->folder)) {
    return "Patching takes parts of one text's run over into another's, in one model: side B is "
           "another one";
  }
  if (!AreTwoTextsOfOneModel(state)) {
    return "Patching needs two texts, and both sides read the same one: give side B another";
  }
  if (state.shown.precision != Precision::kF32) {
    return "Patching is lost in bfloat16's rounding: compute in float32";
  }
  if (IsMasked(model->description) && state.shown.encoding != nullptr &&
      !HoldsMask(*state.shown.encoding)) {
    return "This model says the word at a masked place: write [MASK] (or <mask>, as its vocabulary "
           "has it) at the same place of both texts";
  }
  const auto& result = state.compare.result;
  if (result != nullptr && IsCompared(state) && !HasTargetQueries(PartInView(state)) &&
      result->tokens_a != result->tokens_b) {
    return fmt::format(
        "Patching needs texts with the same number of tokens, since one stands in the other's place: A has {} "
        "and B {}",
        result->tokens_a,
        result->tokens_b);
  }
  return "";
}

bool IsPatching(const AppState& state) {
  return state.compare.patch_look.is_shown && state.compare.other.has_value() &&
         !state.compare.look.shows_weights;
}

std::optional<PatchingState::Pair> PatchPairNow(const AppState& state) {
  if (!IsPatching(state) || !QuestionNow(state) || !WhyNotPatched(state).empty()) {
    return std::nullopt;
  }
  const PatchLook& look = state.compare.patch_look;
  const auto& said = state.model->has_decoder() ? state.shown.target : state.shown.encoding;
  const bool has_row = look.row && *look.row < TokensOf(said);
  return PatchingState::Pair{.picture = state.shown.request,
                             .corrupted = *state.compare.other->input,
                             .right = look.right,
                             .wrong = look.wrong,
                             .row = has_row ? look.row : std::nullopt,
                             .direction = look.direction};
}

std::optional<std::int64_t> PatchedRow(const AppState& state) {
  const PatchLook& look = state.compare.patch_look;
  // The pairs of a file have rows of their own.
  const bool has_row =
      look.at && (!look.file.path.empty() || *look.at < std::max(TokensOf(state.shown.encoding),
                                                                 TokensOf(state.shown.target)));
  return has_row && !FollowsPaths(state) ? look.at : std::nullopt;
}

std::vector<std::string> PatchRowNames(const AppState& state) {
  const auto positions = PatchedLayers(state).patched;
  const auto tokens = static_cast<std::size_t>(TokensOf(state.shown.encoding));
  const bool knows_both = positions != nullptr && positions->positions.size() == tokens;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tokens; ++i) {
    names.push_back(fmt::format(
        "{} {}",
        i,
        knows_both ? positions->positions[i] : state.shown.encoding->tokens[i].display));
  }
  return names;
}

std::vector<std::string> PatchAskedNames(const AppState& state) {
  if (state.model == nullptr || !state.model->has_decoder()) {
    return PatchRowNames(state);
  }
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < TokensOf(state.shown.target); ++i) {
    names.push_back(
        fmt::format("{} {}", i, state.shown.target->tokens[static_cast<std::size_t>(i)].display));
  }
  return names;
}

bool FollowsPaths(const AppState& state) {
  return state.compare.patch_look.paths.is_shown;
}

bool CanReceivePaths(const AppState& state, const HeadReading& to) {
  return state.model != nullptr && HasHead(state.model->description, to.head) &&
         !SendersTo(state.model->description, {&to, 1}).empty();
}

std::vector<HeadReading> PathReceivers(const AppState& state) {
  const PathLook& look = state.compare.patch_look.paths;
  std::vector<HeadReading> receivers;
  for (const HeadIndex head : look.to) {
    if (look.input && CanReceivePaths(state, {head, *look.input})) {
      receivers.push_back({head, *look.input});
    }
  }
  return receivers;
}

std::string WhyNoSenders(const AppState& state) {
  const PathLook& look = state.compare.patch_look.paths;
  const std::vector<HeadReading> receivers = PathReceivers(state);
  if (!look.input) {
    return "";
  }
  if (receivers.empty()) {
    return fmt::format("Click the heads of the map in whose {} paths are to arrive",
                       InputName(*look.input));
  }
  return SendersTo(state.model->description, receivers).empty()
             ? fmt::format("Direct effects: {}", WhyNoSender(receivers))
             : "";
}

std::optional<PatchingState::Question> HeadsToPatch(const AppState& state) {
  auto pair = PatchPairNow(state);
  const PatchLook& look = state.compare.patch_look;
  if (!pair || (FollowsPaths(state) && !WhyNoSenders(state).empty())) {
    return std::nullopt;
  }
  if (!look.file.path.empty()) {
    pair = PatchingState::Pair();
    pair->direction = look.direction;
    pair->file = look.file;
  }
  if (!FollowsPaths(state)) {
    return PatchingState::Question{*std::move(pair), look.of_heads, PatchedRow(state)};
  }
  std::vector<HeadReading> receivers = PathReceivers(state);
  std::vector<HeadIndex> senders = SendersTo(state.model->description, receivers);
  return PatchingState::Question{
      *std::move(pair),
      PatchWhat::kOutput,
      {},
      PatchPaths{std::move(senders), std::move(receivers), look.paths.freezes_mlps}};
}

std::optional<PatchingState::Question> LayersToPatch(const AppState& state) {
  auto pair = PatchPairNow(state);
  return pair ? std::optional(
                    PatchingState::Question{*std::move(pair), state.compare.patch_look.of_layers})
              : std::nullopt;
}

std::int64_t PatchRuns(const AppState& state, const PatchingState::Question& question) {
  const ModelDescription& model = state.model->description;
  if (question.paths) {
    return std::ssize(question.paths->from) + 1;
  }
  if (!IsOfHeads(question.what)) {
    return model.layers * TokensOf(state.shown.encoding);
  }
  return std::ssize(HeadsTaken(model,
                               {.what = question.what, .at = question.at},
                               {TokensOf(state.shown.encoding), TokensOf(state.shown.target)}));
}

bool WaitsToPatch(const AppState& state, const PatchingState::Question& question) {
  const PatchingState& patching = state.compare.patching;
  if (std::ranges::find(patching.allowed, question.pair) != patching.allowed.end()) {
    return false;
  }
  if (patching.stopped == question.pair || !question.pair.file.path.empty()) {
    return patching.stopped == question.pair;  // a person chose the file
  }
  const ModelDescription& model = state.model->description;
  const auto width = static_cast<double>(model.model_dim);
  // A layer has about 12 d^2 weights, and runs begin halfway up on the mean.
  const double cost = 12.0 * width * width * static_cast<double>(model.layers) *
                      static_cast<double>(TokensOf(state.shown.encoding)) *
                      static_cast<double>(PatchRuns(state, question));
  return cost > kMostUnasked;
}

PatchInView PatchedHeads(const AppState& state) {
  return InView(state, HeadsToPatch(state));
}

PatchInView PatchedLayers(const AppState& state) {
  return InView(state, LayersToPatch(state));
}

std::shared_ptr<const PatchedTexts> HeadsToDraw(const AppState& state) {
  return ToDraw(PatchedHeads(state));
}

std::shared_ptr<const PatchedTexts> LayersToDraw(const AppState& state) {
  return ToDraw(PatchedLayers(state));
}

std::string PatchPairsText(const PatchedTexts& patched) {
  return patched.pairs == patched.pairs_in_all
             ? Counted(patched.pairs, "pair")
             : fmt::format("the first {} of {} pairs", patched.pairs, patched.pairs_in_all);
}

std::string PatchMetricName(const PatchedTexts& patched) {
  return patched.file.empty()
             ? fmt::format("“{}” over “{}” {} “{}”",
                           patched.right.name,
                           patched.wrong.name,
                           patched.is_masked ? "at" : "after",
                           patched.row_name)
             : fmt::format("right over wrong, mean of {}", PatchPairsText(patched));
}

std::string PatchMetricWords(const PatchedTexts& patched) {
  return fmt::format(
      "A {}, B {}", SignedHundredths(patched.clean), SignedHundredths(patched.corrupted));
}

std::string PatchTaken(PatchWhat what, PatchDirection direction, std::optional<std::int64_t> at) {
  const bool is_denoising = direction == PatchDirection::kDenoise;
  std::string thing(PatchedThing(what));
  if (at) {
    thing += fmt::format("{} in row {} alone,", thing.ends_with(',') ? "" : ",", *at);
  }
  return fmt::format(
      "{} is run with {} taken from {}", is_denoising ? "B" : "A", thing, is_denoising ? "A" : "B");
}

std::string PatchMeaning(PatchWhat what, PatchDirection direction, std::optional<std::int64_t> at) {
  const bool is_denoising = direction == PatchDirection::kDenoise;
  return fmt::format(
      "{}. Each number is the share of the difference between A's lead and B's that {} with it: 0 none "
      "of it, 1 all of it, below 0 it grows instead ({}).",
      PatchTaken(what, direction, at),
      is_denoising ? "comes back" : "is lost",
      is_denoising ? "denoising" : "noising");
}

std::string PathMeaning(const PatchPaths& paths, PatchDirection direction) {
  const bool is_denoising = direction == PatchDirection::kDenoise;
  return fmt::format(
      "{} is run with a head's output of {}; what of it reaches {} directly counts: other heads are held, "
      "MLPs {}. Share of the leads' difference that {} with it: 0 none, 1 all, below 0 it grows ({}).",
      is_denoising ? "B" : "A",
      is_denoising ? "A" : "B",
      ReceiverWords(paths),
      paths.freezes_mlps ? "too" : "computed anew",
      is_denoising ? "comes back" : "is lost",
      is_denoising ? "denoising" : "noising");
}

std::string PatchCaution(bool is_of_file) {
  return fmt::format(
      "A large share says that what tells these texts apart passes here. A small one proves no "
      "idle head: another may stand in for it. Shares overlap and do not add up to 1, and {}.",
      is_of_file ? "these pairs say nothing of other texts"
                 : "one pair of texts says nothing of others");
}

std::string PatchThing(const PatchedTexts& patched, std::size_t place) {
  if (patched.layers == 0) {
    return HeadName(patched.heads[place]);
  }
  const std::size_t tokens = patched.positions.size();
  const LayerId layer{patched.first.part,
                      patched.first.layer + static_cast<std::int64_t>(place / tokens)};
  return fmt::format("{} at “{}”", LayerName(layer), patched.positions[place % tokens]);
}

std::string PatchShareText(double share) {
  const double size = std::abs(share);
  return size >= 0.005 || size == 0.0 ? SignedHundredths(share)
         : size >= 0.0005             ? fmt::format("{:+.3f}", share)
                                      : fmt::format("{:+.0e}", share);
}

std::string PatchShareText(const PatchedTexts& patched, std::size_t place) {
  const std::string share = PatchShareText(patched.ScoreOf(patched.metrics[place]));
  const bool has_error = place < patched.scores.size() && patched.scores[place].error;
  return has_error ? fmt::format("{} ± {}", share, Hundredths(*patched.scores[place].error))
                   : share;
}

std::string PatchShareWords(const PatchedTexts& patched, std::size_t place) {
  const double metric = patched.metrics[place];
  const bool is_denoising = patched.direction == PatchDirection::kDenoise;
  std::string words =
      fmt::format("{}: {} of the difference {}; the {} goes from {} to {}",
                  PatchThing(patched, place),
                  PatchShareText(patched, place),
                  is_denoising ? "comes back" : "is lost",
                  patched.file.empty() ? fmt::format("lead of “{}”", patched.right.name)
                                       : fmt::format("mean lead of {}", PatchPairsText(patched)),
                  SignedHundredths(patched.base()),
                  SignedHundredths(metric));
  if (place < patched.scores.size() && patched.scores[place].restored) {
    words += fmt::format("; its sign {} in {}",
                         is_denoising ? "comes back" : "turns",
                         Counted(*patched.scores[place].restored, "pair"));
  }
  return words;
}

std::optional<std::size_t> PlaceOfHead(const PatchedTexts& patched, HeadIndex head) {
  const auto found = std::ranges::find(patched.heads, head);
  const auto place = static_cast<std::size_t>(found - patched.heads.begin());
  return place < patched.metrics.size() ? std::optional(place) : std::nullopt;
}

std::vector<std::size_t> LargestPatches(const PatchedTexts& patched,
                                        std::optional<ModelPart> part,
                                        std::size_t most) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < patched.metrics.size(); ++place) {
    if (!part || patched.layers > 0 || patched.heads[place].part == *part) {
      places.push_back(place);
    }
  }
  std::ranges::stable_sort(places, std::ranges::greater{}, [&](std::size_t place) {
    return std::abs(patched.ScoreOf(patched.metrics[place]));
  });
  places.resize(std::min(places.size(), most));
  return places;
}

}  // namespace headscope
