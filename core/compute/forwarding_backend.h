// A backend that forwards everything to another one: the base of backends that change or watch one
// thing.
//
// Threads  as the other backend.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/compute/backend.h"

namespace headscope {

class ForwardingBackend : public Backend {
 public:
  // `inner` must outlive this.
  explicit ForwardingBackend(Backend* inner) : inner_(inner) {}

  std::string Description() const override { return inner_->Description(); }
  Result<std::unique_ptr<Activations>> Make(std::int64_t rows, std::int64_t cols) override {
    return inner_->Make(rows, cols);
  }
  void Load(std::span<const float> values, Activations* out) override { inner_->Load(values, out); }
  void LoadRows(std::span<const float> values, std::int64_t first, Activations* out) override {
    inner_->LoadRows(values, first, out);
  }
  void Read(const Activations& in, std::span<float> out) const override { inner_->Read(in, out); }
  void ReadDouble(const Activations& in, std::span<double> out) const override {
    inner_->ReadDouble(in, out);
  }
  Result<std::unique_ptr<Linear>> Prepare(const LinearSource& source,
                                          std::stop_token stop) override {
    return inner_->Prepare(source, std::move(stop));
  }
  Status Apply(const Linear& linear,
               const Activations& in,
               Activations* out,
               std::stop_token stop) override {
    return inner_->Apply(linear, in, out, std::move(stop));
  }
  Status Gather(const TensorView& table,
                std::span<const std::int32_t> ids,
                Activations* out) override {
    return inner_->Gather(table, ids, out);
  }
  Status Norm(const NormWeights& norm, const Activations& in, Activations* out) override {
    return inner_->Norm(norm, in, out);
  }
  void Slice(const Activations& in, std::int64_t first, Activations* out) override {
    inner_->Slice(in, first, out);
  }
  void PlaceInHeads(const Activations& in,
                    std::int64_t heads,
                    std::int64_t first,
                    std::int64_t width,
                    Activations* out) override {
    inner_->PlaceInHeads(in, heads, first, width, out);
  }
  void CopyRows(const Activations& in, std::int64_t first, Activations* out) override {
    inner_->CopyRows(in, first, out);
  }
  void TakeRows(const Activations& in,
                std::span<const std::int64_t> rows,
                Activations* out) const override {
    inner_->TakeRows(in, rows, out);
  }
  void AddRows(const Activations& in,
               std::span<const std::int64_t> rows,
               std::span<const double> factors,
               Activations* inout) override {
    inner_->AddRows(in, rows, factors, inout);
  }
  void Rotate(const RotaryTable& table,
              std::int64_t heads,
              std::int64_t first_position,
              std::int64_t texts,
              Activations* inout) override {
    inner_->Rotate(table, heads, first_position, texts, inout);
  }
  void Activate(ActivationKind kind, Activations* inout) override { inner_->Activate(kind, inout); }
  void Activate(const Xielu& learnt, Activations* inout) override {
    inner_->Activate(learnt, inout);
  }
  void Multiply(const Activations& factor, Activations* inout) override {
    inner_->Multiply(factor, inout);
  }
  void Add(const Activations& term, Activations* inout) override { inner_->Add(term, inout); }
  void Scale(double factor, Activations* inout) override { inner_->Scale(factor, inout); }
  void Clamp(double least, double most, double added, Activations* inout) override {
    inner_->Clamp(least, most, added, inout);
  }
  Status Attend(const AttentionInput& input,
                AttentionObserver* observer,
                Activations* context,
                std::stop_token stop) override {
    return inner_->Attend(input, observer, context, std::move(stop));
  }

 protected:
  [[nodiscard]] Backend& inner() const { return *inner_; }

 private:
  Backend* inner_;
};

}  // namespace headscope
