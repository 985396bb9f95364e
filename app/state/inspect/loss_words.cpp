#include "app/state/inspect/loss_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/state/inspect/cut_edges.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"
#include "core/figure/figure_context.h"

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

std::optional<double> LossAt(const NamedLosses* named, std::size_t token) {
  const RowSaid* const said = SaidOfToken(named, token);
  return said != nullptr ? std::optional(said->next->loss) : std::nullopt;
}

const Encoding& TextOfLosses(const AppState& state) {
  return *(state.shown.target != nullptr ? state.shown.target : state.shown.encoding);
}

// Of what is said without the heads that are off; null: none are.
const NamedLosses* LossesWithout(const AppState& state) {
  return HeadsOffInView(state) != nullptr ? state.heads_off.said.without.get() : nullptr;
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
  const NamedLosses* const without = LossesWithout(state);
  if (const std::optional<WordPlace> held = HeldRow(state)) {
    made.held = held->row;
  }
  made.most = 1e-9;
  made.bars.resize(TextOfLosses(state).tokens.size());
  for (std::size_t token = 1; token < made.bars.size(); ++token) {
    LossBar& bar = made.bars[token];
    bar.row = static_cast<std::int64_t>(token) - 1;
    bar.whole = LossAt(whole, token);
    bar.without = LossAt(without, token);
    made.most = std::max({made.most, bar.whole.value_or(0.0), bar.without.value_or(0.0)});
  }
  if (whole->losses.loss) {
    made.told = fmt::format("mean {:.2f} nats, highest bar {:.1f}", *whole->losses.loss, made.most);
  }
  if (without != nullptr && without->losses.loss) {
    const HeadsOff& off = *HeadsOffInView(state);
    made.told += fmt::format(
        "; orange: without {}, {:.2f}",
        off.edges.empty() && off.heads.size() == 1 ? HeadName(off.heads.front()) : OffCounted(off),
        *without->losses.loss);
  }
  return made;
}

bool HasLosses(const AppState& state) {
  return state.whole_text.of == state.shown.request && state.whole_text.answer.whole != nullptr;
}

std::shared_ptr<const ShownLosses> LossesInView(const AppState& state) {
  const WholeText& text = state.whole_text;
  if (!HasLosses(state)) {
    return nullptr;
  }
  ShownLosses losses{
      .tokens = AxisTokens(TextOfLosses(state)),
      .whole = text.answer.whole,
      .without = nullptr,
      .part = state.shown.target != nullptr ? ModelPart::kDecoder : ModelPart::kWhole};
  if (const HeadsOff* const off = HeadsOffInView(state)) {
    losses.without = state.heads_off.said.without;
    losses.off = HeadsOffWords(state, *off);
  }
  return std::make_shared<const ShownLosses>(std::move(losses));
}

std::string WordsOfLoss(const AppState& state, std::size_t token) {
  const std::string name = TokenLabel(TextOfLosses(state), static_cast<std::int64_t>(token));
  if (token == 0) {
    return name + ": the first token, which nothing comes before";
  }
  const NamedLosses* const whole = state.whole_text.answer.whole.get();
  const NamedLosses* const without = LossesWithout(state);
  std::string words = name;
  if (SaidOfToken(whole, token) != nullptr) {
    words += ": " + SaidWords(*whole, token - 1);
  }
  if (SaidOfToken(without, token) != nullptr) {
    words += fmt::format("\nwithout {}: {}",
                         HeadsOffWords(state, *HeadsOffInView(state)),
                         SaidWords(*without, token - 1));
  }
  return words;
}

}  // namespace headscope
