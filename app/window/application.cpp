#include "app/window/application.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/files/user_folders.h"
#include "app/platform/frame_log.h"
#include "app/platform/frame_pacer.h"
#include "app/platform/picture_clipboard.h"
#include "app/state/queries.h"
#include "app/state/reducer.h"
#include "app/state/status_words.h"
#include "app/state/work_under_way.h"
#include "app/views/kit/style.h"
#include "app/views/maps/map_textures.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "app/window/desktop.h"
#include "app/window/errands.h"
#include "app/window/export_place.h"
#include "app/window/exports.h"
#include "app/window/figure_answers.h"
#include "app/window/flag_errands.h"
#include "app/window/library.h"
#include "app/window/model_looks.h"
#include "app/window/preferences.h"
#include "app/window/train_orders.h"
#include "core/base/home_path.h"
#include "core/base/sweep.h"
#include "core/base/thread_role.h"
#include "core/worker/compute_worker.h"
#include "core/worker/train_crew.h"

namespace headscope {
namespace {

constexpr double kHeldFrameSeconds = 0.01;  // between checks whether it may be drawn

class Application {
 public:
  Application(WindowHost host, WindowArguments arguments)
      : arguments_(std::move(arguments)),
        window_(std::move(host.window)),
        renderer_(std::move(host.renderer)),
        asks_desktop_(host.asks_desktop),
        watch_(std::move(host.watch)) {}

  Status Open();
  Status Run();

 private:
  [[nodiscard]] double Now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void Dispatch(Action action);
  void Perform(const Effect& effect);
  void MakeFigure(const headscope::MakeFigure& make);
  void TakeInput();
  void TakePreferences(const Preferences& preferences);
  void KeepPreferences(bool at_once);
  void SweepOldFiles();
  int DrawFrame();
  [[nodiscard]] bool Works() const {
    return Busy(state_) || !worker_->Idle() || !errands_->Idle() || !sessions_->Idle();
  }
  // True if drawing waits for work in progress. A screenshot shows the final state: labels get
  // their places in a texture as they are drawn, so intermediate frames, which depend on the
  // machine's speed, would change its last bits.
  [[nodiscard]] bool HoldsFrame() const { return !arguments_.screenshot.empty() && Works(); }
  // True if everything that the window shows is computed and drawn.
  [[nodiscard]] bool Settled() const;
  // Runs until the window is closed, or drawn as the screenshot should show it.
  void Draw();
  Status SaveScreenshot();

  WindowArguments arguments_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  // Destroyed in reverse order: the renderer before the window, the worker before what it wakes.
  std::unique_ptr<Window> window_;
  std::unique_ptr<Renderer> renderer_;
  std::unique_ptr<MapTextures> maps_;
  std::unique_ptr<ComputeWorker> worker_;
  PictureClipboard clipboard_;
  std::unique_ptr<Errands> errands_;
  std::unique_ptr<ModelLooks> looks_;
  std::unique_ptr<Errands> sessions_;  // reads and writes in order, independently of other errands
  std::unique_ptr<TrainCrew> trainings_;
  std::unique_ptr<Desktop> desktop_;  // null: nobody asks it
  bool asks_desktop_ = false;
  std::function<void(const AppState&, bool)> watch_;
  std::optional<FrameLog> frame_log_;
  FramePacer pacer_;
  AppState state_;
  ViewMemory memory_;
  Scene scene_;
  std::vector<Action> actions_;
  std::deque<Action> queue_;
  std::optional<std::pair<Theme, double>> styled_;
  std::string title_;
  double wake_in_s_ = -1.0;
  bool quit_ = false;
  int settled_frames_ = 0;
  std::filesystem::path train_shelf_;       // empty: runs are kept in memory alone
  std::filesystem::path preferences_file_;  // empty: nothing is stored
  Preferences preferences_;                 // the current ones
  Preferences kept_;                        // those in the file
  double preferences_changed_s_ = 0.0;
};

Status Application::Open() {
  if (!arguments_.frame_log.empty()) {
    HEADSCOPE_TRY(auto log, FrameLog::Open(arguments_.frame_log));
    frame_log_.emplace(std::move(log));
  }
  const Rect least = LeastWindow(static_cast<float>(window_->scale()));
  window_->SetLeastSize(static_cast<int>(least.width), static_cast<int>(least.height));
  preferences_file_ = arguments_.preferences;
  const Result<Preferences> preferences = ReadPreferences(preferences_file_);
  maps_ = std::make_unique<MapTextures>(renderer_.get());
  const auto wake = [window = window_.get()] { window->Wake(); };
  worker_ = std::make_unique<ComputeWorker>(
      [](Precision precision) { return MakeOnednnBackend(precision); }, wake);
  errands_ = std::make_unique<Errands>(wake);
  sessions_ = std::make_unique<Errands>(wake);
  looks_ = std::make_unique<ModelLooks>(wake);
  trainings_ = std::make_unique<TrainCrew>(wake);
  if (asks_desktop_) {
    desktop_ = std::make_unique<Desktop>(wake);
  }
  Dispatch(FindLibrary());
  Dispatch(KnowScreens{FindScreenKind});
  TakePreferences(preferences.value_or(Preferences{}));
  if (!preferences) {
    Dispatch(ReportError{ErrorPlace::kPreferences, preferences.error().message});
  }
  SweepOldFiles();
  // Without preferences nothing is left behind.
  train_shelf_ = preferences_file_.empty() ? std::filesystem::path() : TrainShelf();
  FindKeptRuns(train_shelf_, errands_.get());
  Dispatch(Start{.model = arguments_.model,
                 .input = arguments_.input,
                 .session = arguments_.session,
                 .screen = &ScreenNamed(arguments_.view).kind,
                 .how = arguments_.how,
                 .names_screen = !arguments_.view.empty()});
  renderer_->Prepare();  // while the worker opens the model
  return {};
}

void Application::TakePreferences(const Preferences& preferences) {
  for (Action& action : ActionsFor(preferences)) {
    Dispatch(std::move(action));
  }
  Dispatch(ShowDoors{preferences.shows_doors && !preferences_file_.empty()});
  Dispatch(SetAuthor{preferences.author.empty() ? AccountName() : preferences.author});
  if (!preferences.files_folder.empty()) {
    Dispatch(SetFilesFolder{preferences.files_folder});
  }
  preferences_ = preferences;
  KeepPreferences(false);
  kept_ = preferences_;
}

// Written by an errand once nothing has changed for a moment, as a disk may be slow.
void Application::KeepPreferences(bool at_once) {
  constexpr double kCalmSeconds = 1.0;
  if (preferences_file_.empty()) {
    return;
  }
  Preferences now = preferences_;
  TakeFromState(state_, &now);
  if (const std::optional<WindowPlacement> at = window_->Placement()) {
    if (at->maximized) {
      now.window.maximized = true;  // the size and the place before it are kept
    } else {
      now.window = *at;
    }
  }
  if (now != preferences_) {
    preferences_ = now;
    preferences_changed_s_ = Now();
  }
  if (preferences_ == kept_) {
    return;
  }
  const double left = preferences_changed_s_ + kCalmSeconds - Now();
  if (left > 0.0 && !at_once) {
    wake_in_s_ = wake_in_s_ < 0.0 ? left : std::min(wake_in_s_, left);
    return;
  }
  kept_ = preferences_;
  errands_->Send([file = preferences_file_, kept = kept_]() -> std::vector<Action> {
    if (const Status status = WritePreferences(file, kept); !status) {
      return {ReportError{ErrorPlace::kPreferences, status.error().message}};
    }
    return {};
  });
}

// Removes files that a killed run left half written, in the folders that this run will write to.
void Application::SweepOldFiles() {
  if (preferences_file_.empty()) {
    return;  // such a run leaves and touches nothing
  }
  std::vector<std::filesystem::path> folders = {
      ConfigFolder(), StateFolder(), state_.sessions_folder, state_.exports_folder};
  if (!arguments_.session.empty()) {
    folders.push_back(std::filesystem::absolute(arguments_.session).parent_path());
  }
  errands_->Send([folders]() -> std::vector<Action> {
    for (const std::filesystem::path& folder : folders) {
      SweepTemporaryFiles(folder);
    }
    return {};
  });
}

void Application::Dispatch(Action action) {
  queue_.push_back(std::move(action));
  if (queue_.size() > 1) {
    return;  // the loop below is further up the stack
  }
  while (!queue_.empty()) {
    for (const Effect& effect : Reduce(&state_, queue_.front())) {
      Perform(effect);
    }
    queue_.pop_front();
  }
}

// The figure shows what is on screen now, however long it waits for its turn.
void Application::MakeFigure(const headscope::MakeFigure& make) {
  Result<FigureJob> job = FigureToMake(state_, make.copies);
  if (!job) {
    Dispatch(ReportError{ErrorPlace::kExport, job.error().message});
    return;
  }
  errands_->Send([make, job = *job]() -> std::vector<Action> {
    return {make.copies ? CopyByFile(job) : LookBeforeFigure(job, make.overwrite)};
  });
}

void Application::Perform(const Effect& effect) {
  if (const auto* submit = std::get_if<Submit>(&effect)) {
    worker_->Submit(submit->id, submit->request);
    Dispatch(Submitted{submit->id, Now()});
  } else if (const auto* cancel = std::get_if<Cancel>(&effect)) {
    worker_->Cancel(cancel->id);
  } else if (const auto* load = std::get_if<LoadSessionFile>(&effect)) {
    sessions_->Send([path = load->path] { return std::vector{ReadSessionFor(path)}; });
  } else if (const auto* store = std::get_if<StoreSession>(&effect)) {
    sessions_->Send([store = *store] { return std::vector{WriteSessionFor(store)}; });
  } else if (const auto* save = std::get_if<SaveSessionFile>(&effect)) {
    sessions_->Send([save = *save] { return std::vector{SaveSessionFor(save)}; });
  } else if (const auto* list = std::get_if<headscope::ListSessions>(&effect)) {
    errands_->Send([folder = list->folder] { return std::vector{ListSessionsIn(folder)}; });
  } else if (const auto* flags = std::get_if<ReadFlags>(&effect)) {
    errands_->Send([flags = *flags] { return std::vector{ReadFlagsFor(flags)}; });
  } else if (const auto* write = std::get_if<WriteFlags>(&effect)) {
    errands_->Send([write = *write] { return std::vector{WriteFlagsFor(write)}; });
  } else if (const auto* scan = std::get_if<WriteScan>(&effect)) {
    errands_->Send([scan = *scan] { return std::vector{WriteScanFor(scan)}; });
  } else if (const auto* make = std::get_if<headscope::MakeFigure>(&effect)) {
    MakeFigure(*make);
  } else if (std::holds_alternative<DrawPreviewNow>(effect)) {
    Dispatch(AskPreview(state_));
  } else if (std::holds_alternative<KeepFigureNow>(effect)) {
    Dispatch(KeepFigure(state_));
  } else if (const auto* open = std::get_if<OpenPath>(&effect)) {
    errands_->Send([typed = open->typed] {
      const std::filesystem::path path = PathOfTyped(typed);
      return ActionsForDrops({&path, 1});
    });
  } else if (const auto* ask = std::get_if<headscope::AskDesktop>(&effect)) {
    desktop_ != nullptr ? desktop_->Ask(*ask) : Dispatch(DesktopHasNoChooser);
  } else if (const auto* read = std::get_if<ReadFolder>(&effect)) {
    errands_->Send([read = *read]() -> std::vector<Action> {
      return {FolderListed{ListFolder(read.folder, read.wanted, read.shows_hidden)}};
    });
  } else if (const auto* typed = std::get_if<FindTypedFile>(&effect)) {
    errands_->Send([typed = *typed]() -> std::vector<Action> {
      return {TypedFileFound{typed.typed, FindPath(typed.typed, typed.folder)}};
    });
  } else if (const auto* copy = std::get_if<PutOnClipboard>(&effect)) {
    window_->SetClipboard(copy->text);
  } else if (const auto* picture = std::get_if<PutPictureOnClipboard>(&effect)) {
    errands_->Send([this, file = picture->file] {
      return std::vector<Action>{CopyPictureFile(file, &clipboard_)};
    });
  } else if (std::holds_alternative<CopyTable>(effect)) {
    if (const Result<std::string> values = ValuesToCopy(state_)) {
      window_->SetClipboard(*values);
    } else {
      Dispatch(ReportError{ErrorPlace::kExport, values.error().message});
    }
  } else if (const auto* look = std::get_if<LookAtModels>(&effect)) {
    looks_->Look(look->folders);
  } else if (const auto* remember = std::get_if<RememberModel>(&effect)) {
    errands_->Send([folder = remember->folder]() -> std::vector<Action> {
      RememberRecentModel(folder);
      return {};
    });
  } else if (const auto* order = std::get_if<TrainOrder>(&effect)) {
    DoTrainOrder(*order, train_shelf_, trainings_.get(), errands_.get());
  } else if (std::holds_alternative<Quit>(effect)) {
    quit_ = true;
  }
}

void Application::TakeInput() {
  if (std::string day = Today(); day != state_.flag_files.day) {
    Dispatch(DayIs{std::move(day)});
  }
  for (const Event& event : worker_->Drain()) {
    Dispatch(ToAction(event));
    Busy(state_) ? pacer_.TouchSoon(Now()) : pacer_.Touch();
  }
  TrainNews news = trainings_->Drain();
  if (news.shelf_changed) {
    FindKeptRuns(train_shelf_, errands_.get());
  }
  if (!news.sights.empty() || !news.written.empty()) {
    Dispatch(TrainingSeen{std::move(news), &ScreenNamed("inspect").kind});
    pacer_.TouchSoon(Now());
  }
  if (std::vector<std::filesystem::path> dropped = window_->TakeDroppedPaths(); !dropped.empty()) {
    errands_->Send([dropped = std::move(dropped)] { return ActionsForDrops(dropped); });
  }
  for (Errands* const errands : {errands_.get(), sessions_.get(), &looks_->errands()}) {
    for (Action& action : errands->Drain()) {
      Dispatch(std::move(action));
      pacer_.Touch();
    }
  }
  for (Action& action : desktop_ != nullptr ? desktop_->Drain() : std::vector<Action>{}) {
    Dispatch(std::move(action));
    pacer_.Touch();
  }
  if (window_->TakeClose() && !quit_) {
    Dispatch(CloseWindow);
  }
  const std::string title = WindowTitle(state_);
  if (title != title_) {
    title_ = title;
    window_->SetTitle(title);
  }
}

int Application::DrawFrame() {
  window_->SetZoom(state_.zoom);
  const std::pair style{state_.theme, window_->scale()};
  window_->BeginImGuiFrame();
  if (styled_ != style) {
    ApplyStyle(style.first, static_cast<float>(style.second));
    styled_ = style;
  }
  maps_->BeginFrame();
  actions_.clear();
  Ui ui{.state = state_,
        .actions = &actions_,
        .renderer = renderer_.get(),
        .maps = maps_.get(),
        .scene = &scene_,
        .memory = &memory_,
        .keys = window_->TakeKeyPresses(),
        .fonts = window_->fonts(),
        .layout = LayOut({.width = static_cast<float>(window_->width()),
                          .height = static_cast<float>(window_->height()),
                          .scale = static_cast<float>(window_->scale()),
                          .detail_width = state_.detail_width,
                          .sheet_open = state_.sheet_open,
                          .has_target = HasTarget(state_),
                          .presents = state_.presenting.has_value()}),
        .scale = static_cast<float>(window_->scale()),
        .now_s = Now(),
        .primary_selection = [this] { return window_->PrimarySelection(); },
        .set_primary_selection =
            [this](const std::string& text) { window_->SetPrimarySelection(text); }};
  DrawWindow(&ui);
  wake_in_s_ = ui.wake_in_s;
  const int redrawn = renderer_->DrawScene(scene_, window_->width(), window_->height());
  window_->RenderImGui();
  return redrawn;
}

bool Application::Settled() const {
  return !Works() && !maps_->Behind() && actions_.empty() &&
         (state_.shown.request != 0 || !state_.notices.empty() || AwaitsChoice(state_));
}

Status Application::SaveScreenshot() {
  for (const Notice& notice : state_.notices) {
    if (notice.place != ErrorPlace::kFile && notice.place != ErrorPlace::kModelNote &&
        notice.place != ErrorPlace::kFlags && notice.place != ErrorPlace::kShared) {
      return Fail(ErrorCode::kInput, notice.sentence);
    }
  }
  return WritePng(arguments_.screenshot,
                  renderer_->ReadWindow(window_->width(), window_->height()));
}

void Application::Draw() {
  const InThreadRole role(ThreadRole::kDrawing);
  while (!quit_) {
    double wait = HoldsFrame() ? kHeldFrameSeconds : pacer_.WaitSeconds(Now());
    const bool sleeps = wait < 0.0;
    if (sleeps && wake_in_s_ >= 0.0) {
      wait = wake_in_s_;
    }
    if (watch_) {
      watch_(state_, Works());
    }
    const Came came = window_->WaitEvents(wait);
    if (frame_log_) {
      frame_log_->TurnBegins();
    }
    if (came == Came::kInput || (sleeps && wake_in_s_ >= 0.0)) {
      pacer_.Touch();
    }
    TakeInput();
    if (quit_ || !pacer_.ShouldDraw(Now()) || HoldsFrame()) {
      if (frame_log_) {
        frame_log_->TurnEnds();
      }
      continue;
    }
    const int redrawn = DrawFrame();
    if (!arguments_.screenshot.empty() || state_.figures.making) {
      settled_frames_ = Settled() ? settled_frames_ + 1 : 0;
      if (settled_frames_ > 2 && !arguments_.screenshot.empty()) {
        return;
      }
      if (settled_frames_ > 2) {
        settled_frames_ = 0;
        actions_.push_back(TakeSettled);
      }
      if (settled_frames_ > 0) {
        pacer_.Touch();
      }
    }
    window_->Swap();
    pacer_.FrameDrawn();
    if (window_->InputWaits()) {
      pacer_.Touch();
    }
    KeepPreferences(false);
    if (!actions_.empty()) {
      pacer_.Touch();
      for (Action& action : std::exchange(actions_, {})) {
        Dispatch(std::move(action));
      }
    }
    if (frame_log_) {
      frame_log_->FrameEnds(
          fmt::format("{} regions {} bytes uploaded", redrawn, maps_->uploaded_bytes()));
    }
  }
  KeepPreferences(true);  // what was changed just before, too
}

Status Application::Run() {
  Draw();
  return quit_ ? Status{} : SaveScreenshot();
}

}  // namespace

Status RunWindow(const WindowArguments& arguments) {
  WindowArguments own = arguments;
  if (own.preferences.empty() && own.screenshot.empty()) {
    own.preferences = PreferencesFile();
  }
  const Result<Preferences> preferences = ReadPreferences(own.preferences);
  const WindowPlacement place = preferences ? preferences->window : WindowPlacement{};
  HEADSCOPE_TRY(
      auto window,
      Window::Create(
          {.place = place, .is_kept = place != WindowPlacement{}, .scale = arguments.scale}));
  HEADSCOPE_TRY(auto renderer, Renderer::Create());
  return RunWindowOn({.window = std::move(window),
                      .renderer = std::move(renderer),
                      .asks_desktop = own.screenshot.empty()},
                     own);
}

Status RunWindowOn(WindowHost host, const WindowArguments& arguments) {
  Application application(std::move(host), arguments);
  HEADSCOPE_TRY(application.Open());
  return application.Run();
}

}  // namespace headscope
