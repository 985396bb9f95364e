#include "core/heads/text_scores.h"

#include "core/heads/probe.h"
#include "core/heads/scan.h"

namespace headscope {

Result<ScoreReport> ScoreText(Forward* forward, const Encoding& text, const std::stop_token& stop) {
  if (forward->model().description().reads_embeddings()) {
    return Fail(ErrorCode::kInput, "an attention module reads embeddings, no tokens to score");
  }
  ProbeCorpus corpus{.probe = "text", .draw = {}, .groups = {""}, .sequences = {SequenceOf(text)}};
  Result<BatchSums> sums = RunBatch(forward, corpus, {}, {0}, stop);
  HEADSCOPE_TRY(sums);
  return MakeReport(DescribeScan(forward->model(), corpus), *sums);
}

}  // namespace headscope
