#include "core/heads/measure/tree_lanes.h"

#include "core/attention/lanes.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

struct TreeMaps {
  const float* cells = nullptr;  // [words][words][8]
  std::size_t words = 0;
  std::span<const std::size_t> some;
  std::size_t root = 0;
};

// [some][some][8], as bits: floats that are not below 0 are in their order.
HEADSCOPE_BODY void Join(const TreeMaps& maps, std::int32_t* to) {
  for (const std::size_t left : maps.some) {
    for (const std::size_t right : maps.some) {
      const Lanes both = LoadLanes(maps.cells + (left * maps.words + right) * kLanes) +
                         LoadLanes(maps.cells + (right * maps.words + left) * kLanes);
      StoreLanes(both, to);
      to += kLanes;
    }
  }
}

HEADSCOPE_BODY void Draw(const TreeMaps& maps, TreeRoom* room, std::int32_t* parents) {
  std::int32_t* const joined = room->joined.data();
  std::int32_t* const nearest = room->nearest.data();
  std::int32_t* const is_in = room->is_in.data();
  const std::size_t count = maps.some.size();
  Join(maps, joined);
  const LaneCounts none = LaneCounts{} - 1;
  for (std::size_t word = 0; word < count; ++word) {
    StoreLanes(none, nearest + word * kLanes);
    StoreLanes(none, parents + word * kLanes);
    StoreLanes(LaneCounts{}, is_in + word * kLanes);
  }
  LaneCounts newest = LaneCounts{} + static_cast<std::int32_t>(maps.root);
  for (std::size_t step = 1; step < count; ++step) {
    const std::int32_t* row[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      row[lane] = joined + static_cast<std::size_t>(newest[lane]) * count * kLanes + lane;
    }
    LaneCounts most = none;
    LaneCounts next = {};
    for (std::size_t word = 0; word < count; ++word) {
      const std::size_t at = word * kLanes;
      const LaneCounts number = LaneCounts{} + static_cast<std::int32_t>(word);
      // What is in the tree has all bits set, so that it is below all others.
      const LaneCounts in = LoadAs<LaneCounts>(is_in + at) | (newest == number);
      const LaneCounts own = LaneCounts{row[0][at],
                                        row[1][at],
                                        row[2][at],
                                        row[3][at],
                                        row[4][at],
                                        row[5][at],
                                        row[6][at],
                                        row[7][at]} |
                             in;
      const LaneCounts before = LoadAs<LaneCounts>(nearest + at);
      const LaneCounts is_nearer = own > before;
      const LaneCounts now = is_nearer ? own : before;
      StoreLanes(in, is_in + at);
      StoreLanes(now, nearest + at);
      StoreLanes(is_nearer ? newest : LoadAs<LaneCounts>(parents + at), parents + at);
      const LaneCounts out = now | in;
      const LaneCounts is_more = out > most;
      most = is_more ? out : most;
      next = is_more ? number : next;
    }
    newest = next;
  }
}

using Drawer = void (*)(const TreeMaps& maps, TreeRoom* room, std::int32_t* parents);

#define HEADSCOPE_TREE_KERNEL(name, target)                                             \
  target void Draw##name(const TreeMaps& maps, TreeRoom* room, std::int32_t* parents) { \
    Draw(maps, room, parents);                                                          \
  }

HEADSCOPE_TREE_KERNEL(Plain, )
#if defined(__x86_64__)
HEADSCOPE_TREE_KERNEL(Avx2, HEADSCOPE_AVX2)
HEADSCOPE_TREE_KERNEL(Avx512, HEADSCOPE_AVX512)
#endif

Drawer ChosenDrawer() {
#if defined(__x86_64__)
  static const Drawer kChosen = UsableAvx512() ? DrawAvx512 : (UsableAvx2() ? DrawAvx2 : DrawPlain);
  return kChosen;
#else
  return DrawPlain;
#endif
}

}  // namespace

void DrawTrees(const float* maps,
               std::size_t words,
               std::span<const std::size_t> some,
               std::size_t root,
               TreeRoom* room,
               std::span<std::int32_t> parents) {
  const std::size_t cells = some.size() * kLanesOfGroup;
  room->joined.resize(cells * some.size());
  room->nearest.resize(cells);
  room->is_in.resize(cells);
  ChosenDrawer()({maps, words, some, root}, room, parents.data());
}

}  // namespace headscope
