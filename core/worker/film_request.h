// The request for one head over the steps of a training, and its frames (core/worker/requests.h).
//
// Threads  as there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compute/precision.h"
#include "core/figure/film_strip.h"
#include "core/heads/measure/head_name.h"
#include "core/heads/scan/head_scan_settings.h"
#include "core/model/model_series.h"
#include "core/worker/model_input.h"
#include "core/worker/request_rule.h"

namespace headscope {

// Runs a text through one checkpoint after another, up to the head's layer, besides the open model;
// each frame is published when it is there. A step that cannot be run is a frame that says why.
struct FilmJob {
  std::vector<SeriesModel> steps;  // frames, in order
  HeadIndex head;
  InputText input;
  std::string metric;                 // of the score under each frame
  HeadScanSettings settings = {};     // of the scan that roles are from, where it is kept
  std::filesystem::path probes = {};  // as in HeadScan::Make
  std::filesystem::path kept = {};
  bool scans = false;  // steps without a kept scan are scanned

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kText, .gives_way = false};
  [[nodiscard]] Status Run(Job* job) const;
};

class Backend;
class FilmKept;  // core/worker/film_kept.h
// One frame. kCancelled; other errors are in the frame. `kept`: what steps gave, begun for this text;
// null: nothing is kept.
[[nodiscard]] Result<FilmFrame> MakeFilmFrame(const SeriesModel& step,
                                              const FilmJob& asked,
                                              Backend* backend,
                                              const std::stop_token& stop,
                                              FilmKept* kept = nullptr);

struct FilmFrameReady {
  std::size_t place = 0;  // among the steps
  FilmFrame frame;
};

}  // namespace headscope
