// What a person does with kept figures. Part of app/state/actions.h.
#pragma once

#include <cstdint>
#include <string>

#include "app/state/action.h"
#include "app/state/figures/state.h"

namespace headscope {

void KeepShown(Reducer* reducer);     // what the screen shows
void KeepExported(Reducer* reducer);  // what the export dialog says
struct KeepKind {                     // of what is open
  const FigureKind* kind = nullptr;
  void Do(Reducer* reducer) const;
};
struct FigureKept {
  KeptFigure figure;
  void Do(Reducer* reducer) const;
};
struct FigureNotKept {
  std::string why;  // a sentence
  void Do(Reducer* reducer) const;
};
struct ChooseKept {  // past an end: the one there
  std::int64_t place = 0;
  void Do(Reducer* reducer) const;
};
struct MoveKept {  // the chosen one, so many places on; past an end: to it
  std::int64_t by = 0;
  void Do(Reducer* reducer) const;
};
// Waiting figures are made again: this one, or all of them.
struct MakeAgain {
  std::int64_t number = 0;  // 0: all
  void Do(Reducer* reducer) const;
};
void StopMaking(Reducer* reducer);
// Everything that the window shows is computed and drawn, while figures are made.
void TakeSettled(Reducer* reducer);
void RemoveKept(Reducer* reducer);  // the chosen one
struct ExportKind {                 // the dialog, for this figure, whatever else the screen shows
  const FigureKind* kind = nullptr;
  void Do(Reducer* reducer) const;
};

}  // namespace headscope
