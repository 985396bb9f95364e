#include "core/worker/opened.h"

#include <utility>

#include <fmt/format.h>

#include "core/causes/prediction.h"
#include "core/causes/probe_means.h"
#include "core/causes/text_without.h"
#include "core/compare/weight_changes.h"
#include "core/worker/film_kept.h"
#include "core/worker/kept_row.h"
#include "core/worker/model_input.h"

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

Status Opened::CheckModel(const Opening& opening, std::string_view holds) const {
  HEADSCOPE_TRY(Check(opening));
  if (attention_ != nullptr) {
    return Fail(ErrorCode::kUnsupported, fmt::format("the file holds {}; open the model", holds));
  }
  return {};
}

Opened::Opened(BackendFactory make_backend) : make_backend_(std::move(make_backend)) {}
Opened::~Opened() = default;
Opened::Opened(Opened&& other) noexcept = default;

void Opened::Take(std::shared_ptr<const Model> model) {
  ForgetText();
  ForgetScores();
  other_ = nullptr;
  weights_ = nullptr;
  step_zero_ = nullptr;
  film_ = nullptr;
  attention_ = nullptr;
  model_ = std::move(model);
  forward_ = std::make_unique<Forward>(model_, backend_.get());
}

void Opened::Take(std::shared_ptr<const AttentionFile> attention) {
  ForgetText();
  ForgetScores();
  other_ = nullptr;
  weights_ = nullptr;
  step_zero_ = nullptr;
  film_ = nullptr;
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
  weights_ = nullptr;
  step_zero_ = nullptr;
  film_ = nullptr;
  series_ = nullptr;
  forward_.reset();  // must go before its backend
  backend_ = std::move(backend);
  precision_ = precision;
  if (model_ != nullptr) {
    forward_ = std::make_unique<Forward>(model_, backend_.get());
  }
  return {};
}

Result<Forward*> Opened::OpenBeside(const std::filesystem::path& path,
                                    std::unique_ptr<OtherModel>* kept,
                                    const std::stop_token& stop) {
  if (*kept == nullptr || (*kept)->path != path) {
    *kept = nullptr;  // frees its memory first
    HEADSCOPE_TRY(auto model, Model::Open(path, {}, stop));
    HEADSCOPE_TRY(Use(precision_));  // none yet beside a file of attention
    auto forward = std::make_unique<Forward>(model, backend_.get());
    *kept = std::make_unique<OtherModel>(OtherModel{path, std::move(forward)});
  }
  return (*kept)->forward.get();
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
    HEADSCOPE_TRY(scan_, HeadScan::Make(forward_.get(), asked, probes, kept, stop));
  }
  return scan_.get();
}

Result<const WordLayer*> Opened::Words() {
  if (words_ == nullptr) {
    HEADSCOPE_TRY(words_, MakeWordLayer(forward_.get()));
  }
  return words_.get();
}

Result<TextWithout*> Opened::Without() {
  if (!input_) {
    return Fail(ErrorCode::kInput, "there is no text yet: type a sentence first");
  }
  if (precision_ != Precision::kF32) {
    return Fail(ErrorCode::kUnsupported,
                "what single heads do is lost in bfloat16's rounding: compute in float32");
  }
  if (without_ == nullptr) {
    without_ = std::make_shared<TextWithout>(forward_.get(), *input_);
  }
  return without_.get();
}

Result<TextWithout*> Opened::Without(const HeadsOff& off,
                                     const std::filesystem::path& probes,
                                     const std::stop_token& stop,
                                     const std::function<void(double)>& on_part) {
  HEADSCOPE_TRY(TextWithout* const text, Without());
  if (IsOfOtherTexts(off.replacement) && !off.heads.empty()) {
    if (probe_means_ == nullptr) {
      HEADSCOPE_TRY(auto sentences, ReadSentences(*model_, probes, stop));
      probe_means_ = std::make_shared<ProbeMeans>(std::move(sentences));
    }
    HEADSCOPE_TRY(probe_means_->Run(forward_.get(), stop, on_part));
    text->Use(probe_means_);
  }
  return text;
}

void Opened::Use(ForwardInput input) {
  split_layer = nullptr;
  row_ = nullptr;
  without_ = nullptr;
  input_ = std::move(input);
}

void Opened::ForgetScores() {
  row_ = nullptr;
  without_ = nullptr;
  probe_means_ = nullptr;
  words_ = nullptr;
  scan_ = nullptr;
  own_scan_ = {};
  ablated_.reset();
}

void Opened::ForgetText() {
  split_layer = nullptr;
  row_ = nullptr;
  without_ = nullptr;
  input_.reset();
  history.Forget();
}

}  // namespace headscope
