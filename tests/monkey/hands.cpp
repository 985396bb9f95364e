#include "tests/monkey/hands.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace headscope::monkey {
namespace {

constexpr std::u32string_view kShortcuts = U"fmscrvtp123456 0?/+-=[]";
constexpr std::string_view kCtrlLetters = "EKZYLAVCXF.0";
constexpr std::array kNamedKeys = {Key::kLeft,
                                   Key::kRight,
                                   Key::kUp,
                                   Key::kDown,
                                   Key::kEscape,
                                   Key::kEscape,
                                   Key::kEnter,
                                   Key::kTab,
                                   Key::kHome,
                                   Key::kEnd,
                                   Key::kPageUp,
                                   Key::kPageDown,
                                   Key::kDelete,
                                   Key::kInsert,
                                   Key::kBackspace};
constexpr std::array<std::u32string_view, 16> kTexts = {
    U"the cat sat on the mat",
    U"When Anna met Anna, she told Anna",
    U"L1H2",
    U"layer 0 head 1",
    U"ids: 5, 17, 3",
    U"1,2,3",
    U"~/",
    U"nowhere.png",
    U"a picture.svg",
    U"我喜欢自然语言处理",
    U"مرحبا بالعالم",
    U"שלום shalom",
    U"नमस्ते दुनिया",
    U"e\u0301a\u0308\u0323 \U0001F600\U0001F469\u200D\U0001F4BB\U0001F1E9\U0001F1EA",
    U"\u202Eabc\u202C\u200B\uFEFF",
    U"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};
constexpr std::array<Place, 8> kSizes = {Place{1600, 1000},
                                         Place{1000, 700},
                                         Place{640, 480},
                                         Place{2560, 1440},
                                         Place{1199, 801},
                                         Place{3000, 400},
                                         Place{400, 1200},
                                         Place{97, 61}};

float Between(Random* random, float low, float high) {
  return low + (high - low) * static_cast<float>(Below(random, 10001)) / 10000.0F;
}

Place SomePlace(Random* random, const Sight& sight) {
  if (!sight.drawn.empty() && Chance(random, 0.5)) {
    const Place at = sight.drawn[Below(random, sight.drawn.size())];
    return {at.x + Between(random, -6.0F, 6.0F), at.y + Between(random, -6.0F, 6.0F)};
  }
  return {Between(random, -5.0F, sight.width + 5.0F), Between(random, -5.0F, sight.height + 5.0F)};
}

Step MoveTo(Place at) {
  return {.does = Does::kMove, .x = at.x, .y = at.y};
}

Event Click(Random* random, const Sight& sight) {
  const Place at = SomePlace(random, sight);
  const int button = Chance(random, 0.9) ? 0 : static_cast<int>(1 + Below(random, 2));
  const int times = Chance(random, 0.1) ? 2 : 1;
  Event event{{MoveTo(at)}};
  for (int i = 0; i < times; ++i) {
    event.steps.push_back({.does = Does::kPress, .button = button});
    event.steps.push_back({.does = Does::kRelease, .button = button});
  }
  event.words = fmt::format("{} {:.0f},{:.0f}", times == 2 ? "double click" : "click", at.x, at.y);
  return event;
}

Event Drag(Random* random, const Sight& sight) {
  const Place from = SomePlace(random, sight);
  const Place to = SomePlace(random, sight);
  Event event{{MoveTo(from), {.does = Does::kPress}}};
  const std::size_t parts = 1 + Below(random, 4);
  for (std::size_t i = 1; i <= parts; ++i) {
    const float part = static_cast<float>(i) / static_cast<float>(parts);
    event.steps.push_back(
        MoveTo({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part}));
  }
  event.steps.push_back({.does = Does::kRelease});
  event.words = fmt::format("drag {:.0f},{:.0f} to {:.0f},{:.0f}", from.x, from.y, to.x, to.y);
  return event;
}

Event Wheel(Random* random, const Sight& sight) {
  const Place at = SomePlace(random, sight);
  const float notches = Between(random, -8.0F, 8.0F);
  return {{MoveTo(at), {.does = Does::kWheel, .y = notches}},
          fmt::format("wheel {:.1f} at {:.0f},{:.0f}", notches, at.x, at.y)};
}

Event NamedKey(Random* random) {
  const Key key = kNamedKeys.at(Below(random, kNamedKeys.size()));
  const KeyPress press{
      .key = key, .letter = 0, .ctrl = Chance(random, 0.15), .shift = Chance(random, 0.15)};
  Event event;
  const std::size_t times = Chance(random, 0.2) ? 1 + Below(random, 12) : 1;
  for (std::size_t i = 0; i < times; ++i) {
    event.steps.push_back({.does = Does::kKey, .key = press, .at_once = true});
  }
  event.words = fmt::format("{} times key {}{}{}",
                            times,
                            press.ctrl ? "ctrl+" : "",
                            press.shift ? "shift+" : "",
                            static_cast<int>(key));
  return event;
}

Event CtrlKey(Random* random) {
  const char letter = kCtrlLetters.at(Below(random, kCtrlLetters.size()));
  const KeyPress press{.key = Key::kLetter, .letter = letter, .ctrl = true, .shift = false};
  return {{{.does = Does::kKey, .key = press}}, fmt::format("ctrl+{}", letter)};
}

Event Type(Random* random) {
  const bool shortcut = Chance(random, 0.6);
  const std::size_t which = Below(random, kTexts.size());
  const std::u32string_view text =
      shortcut ? kShortcuts.substr(Below(random, kShortcuts.size()), 1) : kTexts.at(which);
  const bool at_once = Chance(random, 0.5);
  Event event;
  for (const char32_t letter : text) {
    event.steps.push_back({.does = Does::kText, .letter = letter, .at_once = at_once});
  }
  event.words = shortcut ? fmt::format("letter {}", static_cast<char>(text.front()))
                         : fmt::format("text {}{}", which, at_once ? " at once" : "");
  return event;
}

Event Drop(Random* random, const std::vector<std::filesystem::path>& drops) {
  Step step{.does = Does::kDrop};
  const std::size_t count = Chance(random, 0.2) ? 2 + Below(random, 3) : 1;
  for (std::size_t i = 0; i < count; ++i) {
    step.paths.push_back(drops[Below(random, drops.size())]);
  }
  std::string words = "drop " + step.paths.front().string();
  return {{std::move(step)}, std::move(words)};
}

Event Resize(Random* random) {
  const Place size = kSizes.at(Below(random, kSizes.size()));
  return {{{.does = Does::kResize, .x = size.x, .y = size.y}},
          fmt::format("resize {:.0f} x {:.0f}", size.x, size.y)};
}

}  // namespace

std::size_t Below(Random* random, std::size_t count) {
  return static_cast<std::size_t>((*random)() % count);
}

bool Chance(Random* random, double share) {
  return static_cast<double>((*random)() >> 11) * 0x1p-53 < share;
}

Event MakeEvent(Random* random,
                const Sight& sight,
                const std::vector<std::filesystem::path>& drops) {
  const std::size_t kind = Below(random, 1000);
  if (kind < 230) {
    const Place at = SomePlace(random, sight);
    return {{MoveTo(at)}, fmt::format("move {:.0f},{:.0f}", at.x, at.y)};
  }
  if (kind < 500) {
    return Click(random, sight);
  }
  if (kind < 570) {
    return Drag(random, sight);
  }
  if (kind < 640) {
    return Wheel(random, sight);
  }
  if (kind < 760) {
    return NamedKey(random);
  }
  if (kind < 820) {
    return CtrlKey(random);
  }
  if (kind < 945) {
    return Type(random);
  }
  if (kind < 975) {
    return Drop(random, drops);
  }
  if (kind < 995) {
    return Resize(random);
  }
  return {{{.does = Does::kRest}}, "rest"};
}

}  // namespace headscope::monkey
