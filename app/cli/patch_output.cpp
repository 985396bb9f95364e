#include "app/cli/patch_output.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/cli/cause_input.h"
#include "core/base/atomic_file.h"

namespace headscope {
namespace {

// "2.281 in the clean text, -2.280 in the corrupted one"
std::string LeadWords(const PatchPart& part) {
  const MeanLeads leads = LeadsOf(part);
  const bool is_one = part.about.num_pairs == 1;
  return fmt::format("{:.3f} in the clean text{}, {:.3f} in the corrupted one{}",
                     leads.clean,
                     is_one ? "" : "s, on the mean",
                     leads.corrupted,
                     is_one ? "" : "s");
}

// The largest standard error of a share, over several pairs.
std::string ErrorWords(const std::vector<PatchScore>& scores) {
  double largest = 0.0;
  for (const PatchScore& score : scores) {
    largest = std::max(largest, score.error.value_or(0.0));
  }
  return fmt::format(" Standard errors are at most {:.3f}.", largest);
}

CommandResult<EffectMap> MapOf(const PatchPart& part, const Model& model) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(part));
  const PatchAbout& about = part.about;
  const ModelDescription& shape = model.description();
  const bool is_denoising = about.direction == PatchName(PatchDirection::kDenoise);
  EffectMap map;
  map.title = fmt::format("Patching: {}", about.what);
  map.words =
      is_denoising
          ? "share of the difference that comes back with it; right: towards the clean text"
          : "share of the difference that is lost with it; right: towards the corrupted text";
  map.caption = about.num_pairs > 1
                    ? fmt::format(
                          "Over {} pairs of texts, {}: the mean change over the mean "
                          "difference",
                          about.num_pairs,
                          about.direction)
                    : fmt::format("Clean: “{}”. Corrupted: “{}”. Right “{}”, wrong “{}”, {}",
                                  about.clean,
                                  about.corrupted,
                                  about.right,
                                  about.wrong,
                                  about.direction);
  map.caption += fmt::format(
      ". Metric: the logit of the right token minus that of the wrong one: {}.", LeadWords(part));
  if (about.num_pairs > 1) {
    map.caption += ErrorWords(scores);
  }
  if (!about.to.empty()) {
    map.caption += fmt::format(" Along direct paths to {}.", fmt::join(about.to, ", "));
  }
  if (about.at) {
    map.title += fmt::format(", row {}", *about.at);
    map.caption += fmt::format(" Taken over: row {} alone.", *about.at);
    map.at = about.at;
  }
  if (about.things.empty()) {
    const auto positions = std::ssize(scores) / about.layers;
    map.shape = {PartsOf(shape).front(), about.layers, positions};
    map.columns = about.positions;
    for (auto position = std::ssize(map.columns); position < positions; ++position) {
      map.columns.push_back(fmt::format("{}", position));
    }
    for (const PatchScore& score : scores) {
      map.values.emplace_back(score.score);
    }
    return map;
  }
  // Heads that write last: those of the decoder, where there are any.
  const bool has_decoder = std::ranges::any_of(about.things, [](const std::string& thing) {
    const auto head = ParseHeadName(thing);
    return head && head->part == ModelPart::kDecoder;
  });
  const ModelPart stack = has_decoder
                              ? ModelPart::kDecoder
                              : ParseHeadName(about.things.front()).value_or(HeadIndex()).part;
  map.shape = {stack, StackOf(shape, stack).layers, StackOf(shape, stack).heads};
  const bool has_others = std::ranges::any_of(about.things, [stack](const std::string& thing) {
    const auto head = ParseHeadName(thing);
    return head && head->part != stack;
  });
  if (has_others) {
    map.caption += fmt::format(" Heads named as {} alone; .json and .csv hold the others, too.",
                               HeadName({0, 0, stack}));
  }
  for (std::size_t place = 0; place < map.shape.count(); ++place) {
    const auto found = std::ranges::find(about.things, HeadName(map.shape.At(place)));
    map.values.push_back(
        found == about.things.end()
            ? std::nullopt
            : std::optional(scores[static_cast<std::size_t>(found - about.things.begin())].score));
  }
  return map;
}

}  // namespace

CommandStatus WritePatch(const Options& options, const PatchPart& part, const Model* model) {
  if (IsPicture(options) && model != nullptr) {
    HEADSCOPE_TRY(auto map, MapOf(part, *model));
    return WriteEffects(options, *model, std::move(map));
  }
  HEADSCOPE_TRY(const auto text, options.out.ends_with(".json") ? PatchJson(part) : PatchCsv(part));
  HEADSCOPE_TRY(WriteFileAtomically(options.out, text));
  return {};
}

CommandStatus MergePatches(const Options& options) {
  std::optional<PatchPart> whole;
  for (const std::string& path : options.parts) {
    HEADSCOPE_TRY(auto part, ReadPatchPart(path));
    if (!whole) {
      whole = std::move(part);
    } else {
      HEADSCOPE_TRY(MergePatchPart(std::move(part), path, &*whole));
    }
  }
  return WritePatch(options, *whole, nullptr);
}

}  // namespace headscope
