// Measures what a model loses without a head, compared with what it loses without other heads of
// the same layer: removing any head does harm.
//
//   change   mean loss of the predicted tokens without the head, minus that of the whole model
//   error    standard error of the texts' own mean changes
//   control  the same for other heads of the layer, drawn at random: ten, or all there are
//
// Units    nats per token; above 0: the model predicts worse.
// Errors   kInput (as in core/heads/effect/token_losses.h; no token to predict), the forward's
//          errors.
// Threads  the backend's.
// Cost     3 runs over the corpus for each head and each of its controls, and two of the whole
//          model for all heads of one HeadAblater (one more per head if the maps of all texts are
//          too large to hold, 256 MB); and a second copy of the weights in the form for
//          multiplication.
// Source   Michel 2019; Olsson 2022; core/heads/effect/ablating_backend.h.
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
#include "core/heads/effect/ablating_backend.h"
#include "core/heads/measure/head_means.h"
#include "core/heads/measure/head_name.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

[[nodiscard]] std::string_view AblationName(AblationKind kind);  // "zero"

struct AblatedHead {
  HeadIndex head;
  double loss = 0.0;  // of the whole model
  std::int64_t tokens = 0;
  std::int64_t texts = 0;
  struct Change {
    std::optional<double> change = {};  // none: why_not
    std::optional<double> error = {};   // none: there is one text
    std::string why_not = {};
    friend bool operator==(const Change&, const Change&) = default;
  };
  std::array<Change, kAblationKinds.size()> changes;  // in the order of kAblationKinds
  friend bool operator==(const AblatedHead&, const AblatedHead&) = default;
};

struct HeadAblation {
  AblatedHead own;
  std::vector<AblatedHead> controls;
};

struct AblationSettings {
  std::int64_t controls = 10;
  std::uint64_t seed = 1;
  // Called now and then with the finished part of the head and its controls, 0 to 1.
  std::function<void(HeadIndex head, double done)> on_part = {};
};

// Draws the heads of the same layer with which a head is compared.
[[nodiscard]] std::vector<HeadIndex> DrawControls(HeadIndex head,
                                                  std::int64_t heads_of_layer,
                                                  const AblationSettings& settings);

class TokenLosses;

// Removes one head after another; whatever they share is computed once.
class HeadAblater {
 public:
  // The arguments outlive it.
  [[nodiscard]] static Result<std::unique_ptr<HeadAblater>> Make(std::shared_ptr<const Model> model,
                                                                 Backend* backend,
                                                                 const ProbeCorpus& corpus,
                                                                 const std::stop_token& stop);
  HeadAblater(const HeadAblater&) = delete;
  HeadAblater& operator=(const HeadAblater&) = delete;
  ~HeadAblater();

  // Calls `on_part` now and then with the finished part, 0 to 1.
  [[nodiscard]] Result<std::vector<AblatedHead>> Measure(
      std::span<const HeadIndex> heads,
      const std::stop_token& stop,
      const std::function<void(double done)>& on_part = {});

 private:
  struct Group {  // texts of one length
    std::vector<const ProbeSequence*> texts;
    std::vector<std::vector<std::int64_t>> predicted;
    std::vector<double> clean;   // losses, summed over the predicted tokens
    AblatingBackend::Maps maps;  // of the whole model; may be empty
  };

  HeadAblater(std::shared_ptr<const Model> model, Backend* backend, const ProbeCorpus& corpus);
  [[nodiscard]] Status Begin(const std::string& probe, const std::stop_token& stop);
  [[nodiscard]] static std::vector<Group> GroupsOf(const ProbeCorpus& corpus);
  [[nodiscard]] std::int64_t MapCells(const Group& group) const;
  static void AddTexts(const Group& group,
                       const std::vector<double>& losses,
                       const std::vector<double>* less,
                       HeadMean* to);

  AblatingBackend backend_;
  Forward forward_;
  std::vector<Group> groups_;
  std::unique_ptr<TokenLosses> losses_;
};

[[nodiscard]] Result<std::vector<HeadAblation>> AblateHeads(std::shared_ptr<const Model> model,
                                                            Backend* backend,
                                                            const ProbeCorpus& corpus,
                                                            std::span<const HeadIndex> heads,
                                                            const AblationSettings& settings,
                                                            const std::stop_token& stop);

// Reads "L5H5,L1H0"; kInput if one is not a head of the model.
[[nodiscard]] Result<std::vector<HeadIndex>> ReadHeadList(std::string_view text,
                                                          const ModelDescription& model);

}  // namespace headscope
