// What a person can do to the window, as a monkey does it: an event is a few steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "app/platform/key_press.h"

namespace headscope::monkey {

enum class Does { kMove, kPress, kRelease, kWheel, kKey, kText, kDrop, kResize, kRest };

struct Step {
  Does does = Does::kMove;
  float x = 0.0F;  // a place, or a size, in pixels; y: notches of the wheel
  float y = 0.0F;
  int button = 0;
  KeyPress key = {};
  char32_t letter = 0;
  std::vector<std::filesystem::path> paths = {};
  bool at_once = false;  // the next step comes before a frame is drawn
};

struct Event {
  std::vector<Step> steps;
  std::string words = {};  // "click 120,40"
};

struct Place {
  float x = 0.0F;
  float y = 0.0F;
};

// The window as the event finds it.
struct Sight {
  float width = 0.0F;
  float height = 0.0F;
  float scale = 1.0F;
  std::vector<Place> drawn = {};  // some of the places where something is drawn
};

using Random = std::mt19937_64;
[[nodiscard]] std::size_t Below(Random* random, std::size_t count);  // 0 to count - 1
[[nodiscard]] bool Chance(Random* random, double share);

[[nodiscard]] Event MakeEvent(Random* random,
                              const Sight& sight,
                              const std::vector<std::filesystem::path>& drops);

}  // namespace headscope::monkey
