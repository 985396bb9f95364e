#include "app/state/inspect/loss_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/inspect/cut_edges.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"

namespace headscope {
namespace {

std::string SaidWords(const NamedLosses& named, std::size_t row) {
  const RowSaid& said = named.losses.rows[row];
  return fmt::format("loss {:.2f}, rank {}; likeliest: {}, {}",
                     said.next->loss,
                     said.next->rank,
                     named.likeliest[row],
                     PercentText(said.likeliest.probability));
}

std::optional<double> LossAt(const NamedLosses* named, std::size_t row) {
  const bool is_there = named != nullptr && row < named->losses.rows.size() &&
                        named->losses.rows[row].next.has_value();
  return is_there ? std::optional(named->losses.rows[row].next->loss) : std::nullopt;
}

}  // namespace

LossBars LossBarsOf(const AppState& state) {
  LossBars made;
  const WholeText& text = state.whole_text;
  if (text.of != state.shown.request) {
    made.told = "computing…";
    return made;
  }
  const NamedLosses* const whole = text.answer.whole.get();
  if (whole == nullptr) {
    made.told = text.fault.empty() ? text.answer.why_not : text.fault;
    return made;
  }
  const auto& encoding = state.shown.target != nullptr ? state.shown.target : state.shown.encoding;
  const HeadsOff* const off = HeadsOffInView(state);
  const NamedLosses* const without = off != nullptr ? state.heads_off.said.without.get() : nullptr;
  if (const std::optional<WordPlace> held = HeldRow(state)) {
    made.held = held->row;
  }
  made.most = 1e-9;
  for (std::size_t token = 0; token < encoding->tokens.size(); ++token) {
    LossBar& bar = made.bars.emplace_back();
    const std::string name = TokenLabel(*encoding, static_cast<std::int64_t>(token));
    if (token == 0) {
      bar.words = name + ": the first token, which nothing comes before";
      continue;
    }
    const std::size_t row = token - 1;
    bar.row = static_cast<std::int64_t>(row);
    bar.whole = LossAt(whole, row);
    bar.without = LossAt(without, row);
    bar.words = name + (bar.whole ? ": " + SaidWords(*whole, row) : "");
    if (bar.without) {
      bar.words +=
          fmt::format("\nwithout {}: {}", HeadsOffWords(state, *off), SaidWords(*without, row));
    }
    made.most = std::max({made.most, bar.whole.value_or(0.0), bar.without.value_or(0.0)});
  }
  if (whole->losses.loss) {
    made.told = fmt::format("mean {:.2f} nats, highest bar {:.1f}", *whole->losses.loss, made.most);
  }
  if (without != nullptr && without->losses.loss) {
    made.told +=
        fmt::format("; orange: without {}, {:.2f}",
                    off->edges.empty() && off->heads.size() == 1 ? HeadName(off->heads.front())
                                                                 : OffCounted(*off),
                    *without->losses.loss);
  }
  return made;
}

}  // namespace headscope
