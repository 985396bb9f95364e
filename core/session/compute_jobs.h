// What the worker does for each kind of request: owns the backend, the open model and its forward.
//
// Errors   as results; foreign exceptions pass through to the worker's loop.
// Threads  made, used and destroyed on the worker's thread.
// Cost     every job polls its stop token at least every 20 ms.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/attention/attention_history.h"
#include "core/attention/capture.h"
#include "core/base/error.h"
#include "core/session/compute_worker.h"
#include "core/session/requests.h"

namespace headscope {

class ComputeJobs {
 public:
  // publish: hands one event's payload over; false: nobody hears, the request was stopped.
  // between_layers: called after each layer of an AttendRequest, for small jobs that need not wait
  // for the rest.
  using Publish = std::function<bool(decltype(Event::what))>;

  ComputeJobs(BackendFactory make_backend, std::function<void()> between_layers);

  [[nodiscard]] Status Run(const OpenModelRequest& request,
                           const Publish& publish,
                           const std::stop_token& stop);
  [[nodiscard]] Status Run(const AttendRequest& request,
                           const Publish& publish,
                           const std::stop_token& stop);
  [[nodiscard]] Status Run(const MapRequest& request,
                           const Publish& publish,
                           const std::stop_token& stop);
  [[nodiscard]] Status Run(const SplitJob& request,
                           const Publish& publish,
                           const std::stop_token& stop);
  [[nodiscard]] Status Run(const FigureJob& request,
                           const Publish& publish,
                           const std::stop_token& stop);

  [[nodiscard]] std::string BackendDescription() const;

 private:
  // The backend of this precision, and the open model's forward on it; layers of another are not
  // taken over.
  [[nodiscard]] Status Use(Precision precision);
  // The encoder is published before a target is generated.
  [[nodiscard]] Status AttendEncoderFirst(PreparedInput* prepared,
                                          const InputText& text,
                                          const Publish& publish,
                                          const std::stop_token& stop);
  [[nodiscard]] Status Capture(const ForwardInput& input,
                               CaptureOptions options,
                               const Publish& publish,
                               const std::stop_token& stop);
  [[nodiscard]] Status OpenAttention(const OpenModelRequest& request,
                                     const Publish& publish,
                                     const std::stop_token& stop);
  [[nodiscard]] Status ShowAttention(const AttendRequest& request,
                                     const Publish& publish,
                                     const std::stop_token& stop);
  [[nodiscard]] bool HasOpen(const Opening& opening) const;
  [[nodiscard]] ModelPart PartOf(const std::optional<ModelPart>& asked) const;

  BackendFactory make_backend_;
  std::function<void()> between_layers_;
  std::unique_ptr<Backend> backend_;
  Precision precision_ = Precision::kF32;  // of backend_
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const AttentionFile> attention_;     // open in place of a model
  std::unique_ptr<class Forward> forward_;             // after the backend: goes first
  std::optional<ForwardInput> input_;                  // of the last AttendRequest
  AttentionHistory history_;                           // of forward_
  std::shared_ptr<const LayerAttention> split_layer_;  // of input_, captured with its states
};

// The whole map of one head for drawing: masked cells are kMasked. Polls `stop` between blocks of
// rows.
[[nodiscard]] Result<std::shared_ptr<const HeadMap>> MakeHeadMap(const MapView& view,
                                                                 const std::stop_token& stop);

}  // namespace headscope
