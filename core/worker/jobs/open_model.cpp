// Opens a model or attention from a file. If it fails or is stopped, what was open stays open.
#include <utility>

#include "core/model/attention_module.h"
#include "core/model/model_series.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

// The window still shows what was open before, which stays open.
tl::unexpected<Error> Unheard() {
  return Fail(ErrorCode::kCancelled, "stopped: something newer was asked for");
}

Status OpenAttention(const OpenModelRequest& request, Job* job) {
  HEADSCOPE_TRY(auto file, AttentionFile::Open(request.folder, request.tensor, job->stop));
  if (!job->publish(ModelOpened{nullptr, file})) {
    return Unheard();
  }
  job->opened->Take(std::move(file));
  return {};
}

}  // namespace

Status OpenModelRequest::Run(Job* job) const {
  if (is_attention || HoldsAttention(folder)) {
    return OpenAttention(*this, job);
  }
  const auto width = options.heads ? std::nullopt : WidthWithoutHeads(folder);
  if (width) {
    job->publish(HeadCountNeeded{folder, *width});
    return {};
  }
  HEADSCOPE_TRY(auto model, Model::Open(folder, options, job->stop));
  HEADSCOPE_TRY(job->opened->Use(job->opened->precision()));
  if (!job->publish(ModelOpened{model, nullptr, StepZeroOf(folder)})) {
    return Unheard();
  }
  job->opened->Take(std::move(model));
  return {};
}

}  // namespace headscope
