// A monkey at the window: random events on every screen, menu and dialog, with the real worker, the
// real disk and models of many shapes behind them; only OpenGL and the screen are missing.
//
//   headscope_monkey SOURCE_FOLDER [EVENTS [SEED]]
//
// It fails when the program crashes, hangs, draws what is no number or a map that is not there,
// says something on its standard error, or holds ever more memory. The seed is printed; a walk with
// the same seed takes the same steps, as far as threads allow.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "app/window/application.h"
#include "tests/monkey/hands.h"
#include "tests/monkey/memory.h"
#include "tests/monkey/scripted_window.h"
#include "tests/support/temp_folder.h"
#include "tests/ui/recording_renderer.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace headscope::monkey {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kHangSeconds = 120.0;
constexpr std::size_t kWholeWalk = 2000;  // events after which every screen and menu was seen
constexpr int kMostFrames = 2000;  // after an event, with nothing under way: a long text takes some
// What all lives after the first third may leave behind: buffers that libraries keep and enlarge.
constexpr double kLeftBehindBytes = 4e6;

// The last events, for the report of a fault or a crash.
std::deque<std::string>& Trail() {
  static std::deque<std::string> trail;
  return trail;
}
std::string& Replay() {
  static std::string words;
  return words;
}

void TellTrail() {
  std::fprintf(stderr, "monkey: %s; the last events:\n", Replay().c_str());
  for (const std::string& words : Trail()) {
    std::fprintf(stderr, "  %s\n", words.c_str());
  }
}

[[noreturn]] void Fault(const std::string& what) {
  std::fprintf(stderr, "monkey: %s\n", what.c_str());
  TellTrail();
  std::_Exit(1);
}

// Draws nothing, but minds what it is asked to draw.
class MindfulRenderer final : public test::RecordingRenderer {
 public:
  int DrawScene(const Scene& scene, int width, int height) override {
    labels.clear();
    for (const SceneRegion& region : scene.regions) {
      for (const MapPlacement& placed : region.maps) {
        const auto map = maps.find(placed.map);
        if (map == maps.end()) {
          Fault("a map is drawn that is not there");
        }
        const auto [rows, cols] = map->second;
        const Rect& source = placed.source;
        const bool inside = source.x >= 0.0F && source.y >= 0.0F &&
                            source.x + source.width <= static_cast<float>(cols) * 1.0001F &&
                            source.y + source.height <= static_cast<float>(rows) * 1.0001F;
        if (!inside || !(placed.target.width >= 0.0F) || !(placed.target.height >= 0.0F)) {
          Fault("a part of a map is drawn that it does not have");
        }
      }
      if (!(region.rect.x >= 0.0F) || !(region.rect.y >= 0.0F) ||
          !(region.rect.x + region.rect.width <= static_cast<float>(width) + 0.5F) ||
          !(region.rect.y + region.rect.height <= static_cast<float>(height) + 0.5F)) {
        Fault("a panel lies outside of the window");
      }
    }
    return 0;
  }
  LabelTexture Label(std::string_view utf8, const TextStyle& style) override {
    LabelTexture label = RecordingRenderer::Label(utf8, style);
    label.texture = utf8.empty() ? nullptr : this;  // so that there is something to aim at
    return label;
  }
};

// The files that are dropped, typed and opened.
struct Larder {
  std::vector<fs::path> models;
  std::vector<fs::path> drops;
};

Larder Fill(const fs::path& source, const test::TempFolder& folder) {
  Larder larder;
  const auto add = [&](const fs::path& path) {
    if (!fs::exists(path)) {
      Fault(fmt::format("{} is not there", path.string()));
    }
    larder.models.push_back(path);
    larder.drops.push_back(path);
  };
  const fs::path assets = source / "assets" / "models";
  const fs::path golden = source / "tests" / "golden";
  for (const char* name : {"probe", "probe", "copy-h1", "copy-h4", "english", "gpt-h16"}) {
    add(assets / name);
  }
  for (const char* name : {"bart_plain",
                           "t5_plain",
                           "marian_plain",
                           "bert_plain",
                           "gpt2_one_head",
                           "mistral_window",
                           "gemma2_plain",
                           "probe_attention.safetensors"}) {
    add(golden / "data" / name);
  }
  add(golden / "gguf" / "llama" / "q8_0.gguf");
  add(golden / "modules" / "fused_other_keys" / "module.safetensors");
  std::string words;
  for (int i = 0; i < 3000; ++i) {
    words += fmt::format("the old sailor {} ", i % 7);
  }
  fs::create_directories(folder / "broken");
  larder.drops.insert(larder.drops.end(),
                      {folder.Write("short.txt", "the cat sat on the mat\n"),
                       folder.Write("mark.txt",
                                    "\xEF\xBB\xBF"
                                    "the cat\r\n"),
                       folder.Write("long.txt", words),
                       folder.Write("middle.txt", words.substr(0, 1200)),
                       folder.Write("empty.txt", ""),
                       folder.Write("scripts.txt", "我 喜欢 مرحبا नमस्ते 😀 e\xCC\x81"),
                       folder.Write("no_text.txt", std::string("\x00\xFF\xFE\x80", 4)),
                       folder.Write("with %20 é and blanks.txt", "the cat"),
                       folder.Write("none.npy", "\x93NUMPY\x01"),
                       folder.Write("cut.gguf", "GGUF\x03"),
                       folder.Write("none.safetensors", "12345678"),
                       folder.Write("none.json", "{"),
                       folder.Write("thing.unknown", "?"),
                       folder.Write("broken/config.json", "{}"),
                       folder / "broken",
                       folder / "not there",
                       fs::path("")});
  return larder;
}

// What a walk has come by: one that stays in a corner shows nothing.
struct Seen {
  std::set<std::string_view> screens = {};
  std::set<Popup> popups = {};
  std::set<std::string> models = {};
  std::set<Theme> themes = {};
  std::size_t flags = 0;
};

struct Life {
  std::size_t first_event = 0;
  std::size_t events = 0;
  std::uint64_t seed = 0;
};

// Decides what comes next; is asked by the window and told by the application.
class Monkey {
 public:
  Monkey(const Life& life, const Larder& larder, Seen* seen)
      : life_(life), larder_(larder), seen_(*seen) {
    TakeNext();
  }

  void Watch(const AppState& state, bool works) {
    seen_.screens.insert(state.screen->id);
    seen_.popups.insert(state.dialogs.popup);
    seen_.themes.insert(state.theme);
    seen_.models.insert(state.shown.model != nullptr ? state.shown.model->name : "");
    for (const ModelWork& work : state.works) {
      seen_.flags = std::max(seen_.flags, work.flags.flags.size());
    }
    works_ = works;
    if (!works) {
      since_ = Clock::now();
    } else if (std::chrono::duration<double>(Clock::now() - since_).count() > kHangSeconds) {
      Fault("work never ends");
    }
  }

  Next Choose(double wanted, const Look& look) {
    if (!steps_.empty()) {
      return Take();
    }
    if (works_ && !eager_) {
      return wanted == 0.0 ? Next{} : Next{.kind = Next::Kind::kSleep, .step = {}, .seconds = 0.05};
    }
    if (wanted == 0.0 && !eager_) {
      if (++frames_ > kMostFrames) {
        Fault("it draws without end, though nothing happens");
      }
      return {};
    }
    frames_ = 0;
    if (rests_ > 0) {
      --rests_;
      return {.kind = Next::Kind::kSleep, .step = {}, .seconds = 0.25};
    }
    if (done_ == life_.events) {
      return {.kind = Next::Kind::kClose};
    }
    Event event = MakeEvent(&random_, look(&random_), larder_.drops);
    Trail().push_back(fmt::format(
        "{}: {}{}", life_.first_event + done_, event.words, works_ ? ", while it works" : ""));
    if (Trail().size() > 25) {
      Trail().pop_front();
    }
    if (std::getenv("HEADSCOPE_MONKEY_TELLS") != nullptr) {
      std::fprintf(stderr, "%s\n", Trail().back().c_str());
    }
    steps_.assign(event.steps.begin(), event.steps.end());
    ++done_;
    TakeNext();
    return Take();
  }

 private:
  Next Take() {
    Next next{.kind = Next::Kind::kStep, .step = std::move(steps_.front())};
    steps_.pop_front();
    if (steps_.empty()) {
      next.step.at_once = false;
    }
    if (next.step.does == Does::kRest) {
      rests_ = 3;
    }
    return next;
  }
  // Every event has numbers of its own, so that it does not hang on how many the others took.
  void TakeNext() {
    random_.seed(life_.seed * 1'000'003 + life_.first_event + done_);
    eager_ = Chance(&random_, 0.2);
  }

  Life life_;
  const Larder& larder_;
  Seen& seen_;
  Random random_;
  std::deque<Step> steps_;
  std::size_t done_ = 0;
  bool works_ = false;
  bool eager_ = false;  // the next event comes whatever is under way
  int rests_ = 0;
  int frames_ = 0;
  Clock::time_point since_ = Clock::now();
};

void Live(const Life& life, const Larder& larder, const fs::path& sessions, Seen* seen) {
  Random random(life.seed ^ (life.first_event + 77));
  constexpr std::array<float, 4> kScales = {1.0F, 1.0F, 1.5F, 2.0F};
  const float scale = kScales.at(Below(&random, kScales.size()));
  const Place size = Chance(&random, 0.5) ? Place{1600, 1000} : Place{1000, 700};
  WindowArguments arguments;
  arguments.model = larder.models[Below(&random, larder.models.size())];
  arguments.view = Chance(&random, 0.25) ? "counts" : "inspect";
  // Some take up where an earlier one ended, which may have been another model's.
  arguments.session = sessions / fmt::format("{}.json", Below(&random, 6));
  if (Chance(&random, 0.3)) {
    arguments.model.clear();
  }
  Trail().push_back(fmt::format("starts with model {}, session {}, {} x {} at {}",
                                arguments.model.string(),
                                arguments.session.string(),
                                size.x,
                                size.y,
                                scale));
  Monkey monkey(life, larder, seen);
  WindowHost host;
  host.window = std::make_unique<ScriptedWindow>(
      size,
      scale,
      [&monkey](double wanted, const Look& look) { return monkey.Choose(wanted, look); },
      Fault);
  host.renderer = std::make_unique<MindfulRenderer>();
  host.watch = [&monkey](const AppState& state, bool works) { monkey.Watch(state, works); };
  const Status status = RunWindowOn(std::move(host), arguments);
  if (!status) {
    Fault("the window ended with: " + status.error().message);
  }
}

#if !defined(__SANITIZE_ADDRESS__)
void OnSignal(int signal) {
  TellTrail();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}
#endif

int Run(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: headscope_monkey SOURCE_FOLDER [EVENTS [SEED]]\n", stderr);
    return 2;
  }
  const fs::path source = fs::absolute(argv[1]);
  const std::size_t events = argc > 2 ? std::stoul(argv[2]) : 2000;
  const std::uint64_t seed =
      argc > 3 ? std::stoull(argv[3]) : static_cast<std::uint64_t>(std::time(nullptr));
  const test::TempFolder folder;
  Replay() = fmt::format("{} events, seed {}", events, seed);
  std::printf("monkey: %s\n", Replay().c_str());
  std::fflush(stdout);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(TellTrail);
#else
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, OnSignal);
  }
#endif
  const Larder larder = Fill(source, folder);
  const fs::path home = folder / "home";
  fs::create_directories(home);
  fs::current_path(home);
  for (const char* name : {"HOME",
                           "XDG_DATA_HOME",
                           "XDG_STATE_HOME",
                           "XDG_CONFIG_HOME",
                           "XDG_CACHE_HOME",
                           "HF_HOME"}) {
    setenv(name, home.c_str(), 1);
  }
  // oneDNN keeps up to 1,024 primitives for the life of the process: growth that is none of ours.
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "0", 1);
  setenv("HEADSCOPE_ASSETS", (source / "assets").c_str(), 1);

  std::vector<double> left;
  Seen seen;
  Random random(seed);
  for (std::size_t done = 0; done < events;) {
    const std::size_t wanted = 60 + Below(&random, 240);
    const Life life{.first_event = done, .events = std::min(wanted, events - done), .seed = seed};
    Live(life, larder, home, &seen);
    done += life.events;
    left.push_back(static_cast<double>(AllocatedBytes()));
    std::printf("monkey: %zu events, %.1f MB left behind\n", done, left.back() / 1e6);
    std::fflush(stdout);
  }
  std::printf("monkey: saw %zu screens, %zu popups, %zu models, %zu themes, %zu flags\n",
              seen.screens.size(),
              seen.popups.size(),
              seen.models.size(),
              seen.themes.size(),
              seen.flags);
  std::fflush(stdout);
  const bool is_narrow = seen.screens.size() < 3 || seen.popups.size() < 5 ||
                         seen.models.size() < 5 || seen.themes.size() < 2;
  if (events >= kWholeWalk && is_narrow) {
    Fault("so long a walk comes by more than that");
  }
  const double grown = left.back() - left[left.size() / 3];
  if (grown > kLeftBehindBytes) {
    Fault(fmt::format("{:.1f} MB more are held at the end than after a third", grown / 1e6));
  }
  fs::current_path("/");
  return 0;
}

}  // namespace
}  // namespace headscope::monkey

int main(int argc, char** argv) {
  return headscope::monkey::Run(argc, argv);
}
