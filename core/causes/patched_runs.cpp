#include "core/causes/patched_runs.h"

#include <algorithm>
#include <array>
#include <memory>

#include "core/base/check.h"
#include "core/compute/rows.h"

namespace headscope {
namespace {

constexpr std::array<RecordedRows, 3> kAttentionInputs = {
    RecordedRows::kQueries, RecordedRows::kKeys, RecordedRows::kValues};

// Puts rows of one text into those of several. `width`: columns of a head; 0: all.
void PutRows(const TakenRows& taken,
             std::span<const float> from,
             std::int64_t cols,
             std::int64_t width,
             std::span<float> to) {
  const std::int64_t rows = std::ssize(from) / cols;
  const std::int64_t first = taken.head < 0 ? 0 : taken.head * width;
  const std::int64_t count = taken.head < 0 ? cols : width;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (taken.row >= 0 && taken.row != row) {
      continue;
    }
    const auto source =
        from.subspan(static_cast<std::size_t>(row * cols + first), static_cast<std::size_t>(count));
    std::ranges::copy(source, to.begin() + ((taken.run * rows + row) * cols + first));
  }
}

// Gives every query head keys or values of its own: [rows, heads width] of [rows, kv_heads width].
std::vector<float> ForEachHead(std::span<const float> rows,
                               std::int64_t kv_heads,
                               std::int64_t heads,
                               std::int64_t width) {
  const std::int64_t group = heads / kv_heads;
  std::vector<float> wide;
  wide.reserve(rows.size() * static_cast<std::size_t>(group));
  for (std::int64_t at = 0; at < std::ssize(rows); at += width) {
    const auto one = rows.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(width));
    for (std::int64_t i = 0; i < group; ++i) {
      wide.insert(wide.end(), one.begin(), one.end());
    }
  }
  return wide;
}

}  // namespace

std::span<const float> PatchedRuns::Kept(RecordedRows kind, LayerId layer, std::int64_t run) const {
  const std::vector<float>& all = kept_.at({kind, {layer.part, layer.layer}});
  const std::size_t one = all.size() / static_cast<std::size_t>(runs_);
  return std::span(all).subspan(static_cast<std::size_t>(run) * one, one);
}

bool PatchedRuns::Takes(RecordedRows kind, LayerId layer) const {
  return std::ranges::any_of(
      taken_, [&](const TakenRows& taken) { return taken.kind == kind && taken.layer == layer; });
}

void PatchedRuns::Take(RecordedRows kind, LayerId layer, Activations* rows) const {
  if (!Takes(kind, layer)) {
    return;
  }
  std::vector<float> all = ReadRows(*backend_, *rows);
  const std::int64_t width = StackOf(model_, layer.part).WidthsAt(layer.layer).value;
  for (const TakenRows& taken : taken_) {
    if (taken.kind == kind && taken.layer == layer) {
      PutRows(taken, taken.rows, rows->cols(), width, all);
    }
  }
  backend_->Load(all, rows);
}

void PatchedRuns::Freeze(RecordedRows kind, LayerId layer, Activations* rows) const {
  const std::span<const float> one = frozen_->Rows(kind, layer);
  for (std::int64_t run = 0; run < runs_; ++run) {
    backend_->LoadRows(one, run * (std::ssize(one) / rows->cols()), rows);
  }
}

Status PatchedRuns::ChangeStream(LayerId layer, Activations* hidden) {
  Take(RecordedRows::kStream, layer, hidden);
  return {};
}

Status PatchedRuns::Attend(LayerId layer,
                           const AttentionInput& input,
                           Backend* backend,
                           AttentionObserver* observer,
                           Activations* context,
                           const std::stop_token& stop) {
  if (input.text == 0 && std::ranges::find(kept_layers_, layer) != kept_layers_.end()) {
    const std::array<const Activations*, 3> read = {input.queries, input.keys, input.values};
    for (std::size_t i = 0; i < read.size(); ++i) {
      kept_[{kAttentionInputs[i], {layer.part, layer.layer}}] = ReadRows(*backend, *read[i]);
    }
  }
  const auto is_of_text = [&](const TakenRows& taken) {
    return taken.layer == layer && taken.run == input.text &&
           std::ranges::find(kAttentionInputs, taken.kind) != kAttentionInputs.end();
  };
  if (std::ranges::none_of(taken_, is_of_text)) {
    return LayerChanges::Attend(layer, input, backend, observer, context, stop);
  }
  const auto makes_one_row = [&](const TakenRows& taken) {
    return is_of_text(taken) && taken.weights >= 0;
  };
  HEADSCOPE_TRY(std::vector<float> rows, AttendAlone(layer, input, backend, observer, true, stop));
  const bool has_one_row = std::ranges::any_of(taken_, makes_one_row);
  if (has_one_row) {
    // All other rows of those heads are what they are without.
    HEADSCOPE_TRY(auto without, AttendAlone(layer, input, backend, nullptr, false, stop));
    for (const TakenRows& taken : taken_) {
      if (makes_one_row(taken)) {
        TakenRows row = taken;
        row.run = 0;
        row.row = taken.weights;
        PutRows(row, rows, context->cols(), input.shape.value_dim, without);
      }
    }
    rows = std::move(without);
  }
  HEADSCOPE_TRY(const auto own, MakeRows(backend, rows, context->cols()));
  backend->CopyRows(*own, input.text * input.shape.queries, context);
  return {};
}

// This text alone, with keys and values of its own for every head. `takes_weights`: also what makes one
// row of weights, in all rows.
Result<std::vector<float>> PatchedRuns::AttendAlone(LayerId layer,
                                                    const AttentionInput& input,
                                                    Backend* backend,
                                                    AttentionObserver* observer,
                                                    bool takes_weights,
                                                    const std::stop_token& stop) const {
  const AttentionShape& shape = input.shape;
  const std::array<const Activations*, 3> given = {input.queries, input.keys, input.values};
  const std::array<std::int64_t, 3> counts = {shape.queries, shape.keys, shape.keys};
  const std::array<std::int64_t, 3> heads = {shape.heads, shape.kv_heads, shape.kv_heads};
  const std::array<std::int64_t, 3> widths = {shape.head_dim, shape.head_dim, shape.value_dim};
  std::array<std::unique_ptr<Activations>, 3> made;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::vector<float> all = ReadRows(*backend, *given[i]);
    const auto one = static_cast<std::size_t>(counts[i] * given[i]->cols());
    std::vector<float> wide =
        ForEachHead(std::span(all).subspan(static_cast<std::size_t>(input.text) * one, one),
                    heads[i],
                    shape.heads,
                    widths[i]);
    for (const TakenRows& taken : taken_) {
      const bool is_taken = taken.layer == layer && taken.run == input.text &&
                            taken.kind == kAttentionInputs[i] &&
                            (takes_weights || taken.weights < 0);
      if (is_taken) {
        TakenRows alone = taken;
        alone.run = 0;
        PutRows(alone,
                ForEachHead(taken.rows, heads[i], shape.heads, widths[i]),
                shape.heads * widths[i],
                widths[i],
                wide);
      }
    }
    HEADSCOPE_TRY(made[i], MakeRows(backend, wide, shape.heads * widths[i]));
  }
  AttentionInput alone = input;
  alone.shape.kv_heads = shape.heads;
  alone.queries = made[0].get();
  alone.keys = made[1].get();
  alone.values = made[2].get();
  alone.texts = 1;
  alone.text = 0;
  HEADSCOPE_TRY(const auto own, backend->Make(shape.queries, shape.heads * shape.value_dim));
  HEADSCOPE_TRY(backend->Attend(alone, observer, own.get(), stop));
  return ReadRows(*backend, *own);
}

Status PatchedRuns::ChangeContext(LayerId layer, Activations* context) {
  if (frozen_ != nullptr) {
    Freeze(RecordedRows::kContext, layer, context);
  }
  Take(RecordedRows::kContext, layer, context);
  return {};
}

Status PatchedRuns::ChangeAttention(LayerId layer, Activations* output) {
  Take(RecordedRows::kAttention, layer, output);
  return {};
}

Status PatchedRuns::ChangeMlp(LayerId layer, Activations* output) {
  if (frozen_ != nullptr && freezes_mlps_) {
    Freeze(RecordedRows::kMlp, layer, output);
  }
  Take(RecordedRows::kMlp, layer, output);
  return {};
}

Status PatchedRuns::OnEnd(ModelPart stack, const Activations& states) {
  if (stack != ModelPart::kEncoder) {
    end_ = ReadRows(*backend_, states);
  }
  return {};
}

}  // namespace headscope
