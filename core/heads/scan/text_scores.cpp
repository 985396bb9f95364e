#include "core/heads/scan/text_scores.h"

#include "core/heads/probe/probe.h"
#include "core/heads/scan/scan.h"

namespace headscope {

Result<ScoreReport> ScoreText(Forward* forward,
                              const Encoding& text,
                              const Encoding* target,
                              const std::stop_token& stop,
                              LayerObserver* beside) {
  if (forward->model().description().reads_embeddings()) {
    return Fail(ErrorCode::kInput, "an attention module reads embeddings, no tokens to score");
  }
  ProbeCorpus corpus{.probe = "text", .draw = {}, .groups = {""}, .sequences = {SequenceOf(text)}};
  ScanTools tools;
  tools.beside = beside;
  ProbeCorpus targets = corpus;
  if (forward->model().description().decoder && target != nullptr) {
    targets.sequences = {SequenceOf(*target)};
    targets.sequences[0].special[0] = 1;  // the start token, whatever the tokenizer calls it
    targets.sequences[0].separator[0] = 1;
    tools.targets = &targets;
  }
  HEADSCOPE_TRY(auto sums, RunBatch(forward, corpus, tools, {0}, stop));
  ScanAbout about = DescribeScan(forward->model(), corpus);
  about.no_targets = tools.targets == nullptr ? "there is no target for the decoder to read" : "";
  return MakeReport(about, sums);
}

}  // namespace headscope
