#include "app/views/application.h"

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/platform/frame_log.h"
#include "app/platform/frame_pacer.h"
#include "app/platform/window.h"
#include "app/state/queries.h"
#include "app/state/reducer.h"
#include "app/views/exports.h"
#include "app/views/library.h"
#include "app/views/map_textures.h"
#include "app/views/panels.h"
#include "app/views/style.h"
#include "core/io/session_merge.h"
#include "core/session/compute_worker.h"

namespace headscope {
namespace {

constexpr double kHeldFrameSeconds = 0.01;  // between looks whether it may be drawn

class Application {
 public:
  Application(WindowParts parts, WindowArguments arguments)
      : arguments_(std::move(arguments)),
        window_(std::move(parts.window)),
        renderer_(std::move(parts.renderer)),
        watch_(std::move(parts.watch)) {}

  Status Open();
  Status Run();

 private:
  [[nodiscard]] double Now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void Dispatch(Action action);
  void Perform(const Effect& effect);
  void SubmitRequest(const Request& request);
  void WriteFigureFile(bool overwrite);
  void TakeInput();
  int DrawFrame();
  [[nodiscard]] bool Works() const { return Busy(state_) || !worker_->Idle(); }
  // Whether the frame waits for what is under way. A screenshot is of what stands in the end:
  // labels take their places in a texture as they are drawn, so that frames on the way there, which
  // come at the machine's pace, would change its last bits.
  [[nodiscard]] bool HoldsFrame() const { return !arguments_.screenshot.empty() && Works(); }
  // Whether what the window shows is computed and drawn.
  [[nodiscard]] bool Settled() const;
  Status SaveScreenshot();

  WindowArguments arguments_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  // In this order: what draws goes before the window, what computes before what it wakes.
  std::unique_ptr<Window> window_;
  std::unique_ptr<Renderer> renderer_;
  std::unique_ptr<MapTextures> maps_;
  std::unique_ptr<ComputeWorker> worker_;
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
};

Status Application::Open() {
  if (!arguments_.frame_log.empty()) {
    auto log = FrameLog::Open(arguments_.frame_log);
    if (!log) {
      return PassOn(std::move(log.error()));
    }
    frame_log_.emplace(std::move(*log));
  }
  maps_ = std::make_unique<MapTextures>(renderer_.get());
  worker_ = std::make_unique<ComputeWorker>(
      [](Precision precision) { return MakeOnednnBackend(precision); },
      [window_ptr = window_.get()] { window_ptr->Wake(); });
  Dispatch(FindLibrary());
  Dispatch(Start{.model = arguments_.model,
                 .input = arguments_.input,
                 .session = arguments_.session,
                 .screen = arguments_.view,
                 .how = arguments_.how});
  return {};
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

void Application::SubmitRequest(const Request& request) {
  const RequestId id = worker_->Submit(request);
  Dispatch(Submitted{request, id, Now()});
}

void Application::WriteFigureFile(bool overwrite) {
  const ExportDraft draft = state_.dialogs.exporting;
  std::error_code error;
  if (!overwrite && std::filesystem::exists(draft.path, error)) {
    Dispatch(OverwriteNeeded{});
    return;
  }
  auto figure = FigureFor(state_, draft);
  if (!figure) {
    Dispatch(ReportError{ErrorPlace::kExport, figure.error().message});
    return;
  }
  SubmitRequest(FigureJob{std::make_shared<const Figure>(std::move(*figure)), draft.path});
}

void Application::Perform(const Effect& effect) {
  if (const auto* submit = std::get_if<Submit>(&effect)) {
    SubmitRequest(submit->request);
  } else if (const auto* cancel = std::get_if<Cancel>(&effect)) {
    worker_->Cancel(cancel->id);
  } else if (const auto* load = std::get_if<LoadSessionFile>(&effect)) {
    std::error_code error;
    SessionLoaded loaded{load->path, std::optional<SessionFile>()};
    if (std::filesystem::exists(load->path, error) || error) {
      auto session = LoadSession(load->path);
      if (session) {
        loaded.session = std::optional<SessionFile>(std::move(*session));
      } else {
        loaded.session = PassOn(std::move(session.error()));
      }
    }
    Dispatch(std::move(loaded));
  } else if (const auto* store = std::get_if<StoreSession>(&effect)) {
    std::error_code error;
    if (store->path.has_parent_path()) {
      std::filesystem::create_directories(store->path.parent_path(), error);
    }
    Dispatch(SessionStored{
        store->path, store->session, UpdateSession(store->path, store->known, store->session)});
  } else if (const auto* make = std::get_if<MakeFigure>(&effect)) {
    WriteFigureFile(make->overwrite);
  } else if (const auto* copy = std::get_if<CopyText>(&effect)) {
    window_->SetClipboard(copy->text);
  } else if (const auto* remember = std::get_if<RememberModel>(&effect)) {
    RememberRecentModel(remember->folder);
  } else if (std::holds_alternative<Quit>(effect)) {
    quit_ = true;
  }
}

void Application::TakeInput() {
  for (const Event& event : worker_->Drain()) {
    Dispatch(ToAction(event));
    if (Busy(state_)) {
      pacer_.TouchSoon(Now());
    } else {
      pacer_.Touch();
    }
  }
  for (Action& action : ActionsForDrops(window_->TakeDroppedPaths())) {
    Dispatch(std::move(action));
    pacer_.Touch();
  }
  if (window_->ShouldClose() && !quit_) {
    Dispatch(CloseWindow{});
  }
  const ModelInfo* model = ShownModel(state_);
  std::string title = "Headscope";
  if (model != nullptr) {
    const bool is_locked = state_.selection.head_locked && ShownLayers(state_) > 0;
    title = fmt::format(
        "{}{} – Headscope", model->name, is_locked ? " " + HeadName(state_.selection.head) : "");
  }
  if (title != title_) {
    title_ = title;
    window_->SetTitle(title);
  }
}

int Application::DrawFrame() {
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
                          .has_target = HasTarget(state_)}),
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
    if (notice.place != ErrorPlace::kFile && notice.place != ErrorPlace::kFlags &&
        notice.place != ErrorPlace::kShared) {
      return Fail(ErrorCode::kInput, notice.sentence);
    }
  }
  return WritePng(arguments_.screenshot,
                  renderer_->ReadWindow(window_->width(), window_->height()));
}

Status Application::Run() {
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
      frame_log_->FrameBegins();
    }
    if (came == Came::kInput || (sleeps && wake_in_s_ >= 0.0)) {
      pacer_.Touch();
    }
    TakeInput();
    if (quit_ || !pacer_.ShouldDraw(Now()) || HoldsFrame()) {
      continue;
    }
    const int redrawn = DrawFrame();
    if (!arguments_.screenshot.empty()) {
      settled_frames_ = Settled() ? settled_frames_ + 1 : 0;
      if (settled_frames_ > 2) {
        return SaveScreenshot();
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
    if (frame_log_) {
      frame_log_->FrameEnds(
          fmt::format("{} regions {} bytes uploaded", redrawn, maps_->uploaded_bytes()));
    }
    if (!actions_.empty()) {
      pacer_.Touch();
      for (Action& action : std::exchange(actions_, {})) {
        Dispatch(std::move(action));
      }
    }
  }
  return {};
}

}  // namespace

Status RunWindow(const WindowArguments& arguments) {
  auto window = Window::Create({.width = 1600,
                                .height = 1000,
                                .title = "Headscope",
                                .scale = arguments.scale,
                                .visible = true});
  if (!window) {
    return PassOn(std::move(window.error()));
  }
  auto renderer = Renderer::Create();
  if (!renderer) {
    return PassOn(std::move(renderer.error()));
  }
  return RunWindowOn({.window = std::move(*window), .renderer = std::move(*renderer)}, arguments);
}

Status RunWindowOn(WindowParts parts, const WindowArguments& arguments) {
  Application application(std::move(parts), arguments);
  HEADSCOPE_TRY(application.Open());
  return application.Run();
}

}  // namespace headscope
