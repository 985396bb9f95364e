// Questions that the views and the reducer ask of patching between the two texts of Compare.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

// Whether A and B are two texts of the one open model: then a head stands beside itself.
[[nodiscard]] bool AreTwoTextsOfOneModel(const AppState& state);
// Why A and B cannot be patched, in a sentence; empty: they can, as far as it is known yet.
[[nodiscard]] std::string WhyNotPatched(const AppState& state);
// Whether the screen shows shares of patching in place of divergences.
[[nodiscard]] bool IsPatching(const AppState& state);

// The two texts that are chosen; none: they cannot be patched, or not yet.
[[nodiscard]] std::optional<PatchingState::Pair> PatchPairNow(const AppState& state);
// The only row of heads that is taken over, of those that there are; none: all, or paths are followed.
[[nodiscard]] std::optional<std::int64_t> PatchedRow(const AppState& state);
// The tokens of the texts, "4 Mary / John" where it is known that they differ; and those that words are
// asked at, which of an encoder-decoder are the target's.
[[nodiscard]] std::vector<std::string> PatchRowNames(const AppState& state);
[[nodiscard]] std::vector<std::string> PatchAskedNames(const AppState& state);
// Whether the map is of heads' direct effects.
[[nodiscard]] bool FollowsPaths(const AppState& state);
// Whether any head of the model reaches that input directly.
[[nodiscard]] bool CanReceivePaths(const AppState& state, const HeadReading& to);
// The heads whose input is asked for, of those that the model has; none: the logits.
[[nodiscard]] std::vector<HeadReading> PathReceivers(const AppState& state);
// What is missing of paths, in a sentence; empty: nothing.
[[nodiscard]] std::string WhyNoSenders(const AppState& state);

// What is asked now of the heads, and of the layers at each position; none: nothing yet.
[[nodiscard]] std::optional<PatchingState::Question> HeadsToPatch(const AppState& state);
[[nodiscard]] std::optional<PatchingState::Question> LayersToPatch(const AppState& state);
// Runs of the model that this takes, of each pair.
[[nodiscard]] std::int64_t PatchRuns(const AppState& state,
                                     const PatchingState::Question& question);
// Whether it begins only when a person says so: it takes long, or was stopped.
[[nodiscard]] bool WaitsToPatch(const AppState& state, const PatchingState::Question& question);

// What is drawn: the answer, or an older one until it is there.
struct PatchInView {
  std::shared_ptr<const PatchedTexts> patched;  // null: there is none yet
  bool is_old = false;
};
[[nodiscard]] PatchInView PatchedHeads(const AppState& state);
[[nodiscard]] PatchInView PatchedLayers(const AppState& state);

// What a figure of patching draws, where all of it is there, if not of every pair; or null.
[[nodiscard]] std::shared_ptr<const PatchedTexts> HeadsToDraw(const AppState& state);
[[nodiscard]] std::shared_ptr<const PatchedTexts> LayersToDraw(const AppState& state);

// --- words
// "“Mary” over “John” after “to”", "right over wrong, mean of 48 pairs"
[[nodiscard]] std::string PatchMetricName(const PatchedTexts& patched);
// "A +3.21, B -2.87": the metric of each text as it is.
[[nodiscard]] std::string PatchMetricWords(const PatchedTexts& patched);
// "B is run with a head's output taken from A"; of one row alone with that.
[[nodiscard]] std::string PatchTaken(PatchWhat what,
                                     PatchDirection direction,
                                     std::optional<std::int64_t> at = {});
// What a number of the map means, in a sentence.
[[nodiscard]] std::string PatchMeaning(PatchWhat what,
                                       PatchDirection direction,
                                       std::optional<std::int64_t> at = {});
[[nodiscard]] std::string PathMeaning(const PatchPaths& paths, PatchDirection direction);
// What it does not prove.
[[nodiscard]] std::string PatchCaution(bool is_of_file);
// "L1H3", or "L2 at “Mary / John”".
[[nodiscard]] std::string PatchThing(const PatchedTexts& patched, std::size_t place);
// "L1H3: +0.43 of the difference comes back; the lead becomes +0.12"
[[nodiscard]] std::string PatchShareWords(const PatchedTexts& patched, std::size_t place);
// "+0.43", and as many digits as a small one needs.
[[nodiscard]] std::string PatchShareText(double share);
// The same of a place, over pairs with its error: "+0.43 ± 0.05".
[[nodiscard]] std::string PatchShareText(const PatchedTexts& patched, std::size_t place);
// "48 pairs", "the first 12 of 48 pairs"
[[nodiscard]] std::string PatchPairsText(const PatchedTexts& patched);

// A head's place in the metrics; none: there is no number of it yet.
[[nodiscard]] std::optional<std::size_t> PlaceOfHead(const PatchedTexts& patched, HeadIndex head);
// The places of the largest shares without their sign, of heads of that part; the largest first.
[[nodiscard]] std::vector<std::size_t> LargestPatches(const PatchedTexts& patched,
                                                      std::optional<ModelPart> part,
                                                      std::size_t most);

}  // namespace headscope
