#include "core/worker/opened.h"

#include <utility>

namespace headscope {

Status Opened::Check(const Opening& opening) const {
  const bool is_it = attention_ != nullptr ? opening.IsOf(attention_) : opening.IsOf(model_);
  if (!is_it) {
    return Fail(ErrorCode::kGone, "another model has been opened since: open this one again");
  }
  if (attention_ == nullptr && forward_ == nullptr) {
    return Fail(ErrorCode::kInput, "no model is open: open a model folder first");
  }
  return {};
}

void Opened::Take(std::shared_ptr<const Model> model) {
  ForgetText();
  ForgetScores();
  other_ = nullptr;
  step_zero_ = nullptr;
  attention_ = nullptr;
  model_ = std::move(model);
  forward_ = std::make_unique<Forward>(model_, backend_.get());
}

void Opened::Take(std::shared_ptr<const AttentionFile> attention) {
  ForgetText();
  ForgetScores();
  other_ = nullptr;
  step_zero_ = nullptr;
  forward_ = nullptr;
  model_ = nullptr;
  attention_ = std::move(attention);
}

Status Opened::Use(Precision precision) {
  if (backend_ != nullptr && precision == precision_) {
    return {};
  }
  HEADSCOPE_TRY(auto backend, make_backend_(precision));
  split_layer = nullptr;
  history.Forget();
  ForgetScores();
  other_ = nullptr;
  step_zero_ = nullptr;
  series_ = nullptr;
  forward_.reset();  // must go before its backend
  backend_ = std::move(backend);
  precision_ = precision;
  if (model_ != nullptr) {
    forward_ = std::make_unique<Forward>(model_, backend_.get());
  }
  return {};
}

std::string Opened::BackendDescription() const {
  return backend_ != nullptr ? backend_->Description() : "";
}

Result<HeadScan*> Opened::ScanWith(const HeadScanSettings& settings,
                                   const std::filesystem::path& probes,
                                   const std::filesystem::path& kept,
                                   const std::stop_token& stop) {
  HeadScanSettings asked = settings;
  asked.twins = scan_ != nullptr ? scan_->settings().twins : 0;
  if (scan_ == nullptr || !(scan_->settings() == asked)) {
    HEADSCOPE_TRY(auto made, HeadScan::Make(forward_.get(), asked, probes, kept, stop));
    scan_ = std::move(made);
  }
  return scan_.get();
}

void Opened::ForgetScores() {
  scan_ = nullptr;
  own_scan_ = {};
  ablated_.reset();
}

void Opened::ForgetText() {
  split_layer = nullptr;
  input.reset();
  history.Forget();
}

}  // namespace headscope
