#include "app/platform/window.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include "app/platform/imgui_layer.h"

namespace headscope {
namespace {

// By this the desktop finds the window's icon and name: packaging/org.headscope.Headscope.desktop.
constexpr const char* kDesktopId = "org.headscope.Headscope";

// GLFW reports reasons through a callback without a user pointer.
std::string& LastGlfwError() {
  static std::string text;
  return text;
}

// Counts calls of glfwInit and glfwTerminate: tests open several windows.
class GlfwLibrary {
 public:
  GlfwLibrary() : ready_(Users()++ > 0 || Start()) {}
  ~GlfwLibrary() {
    if (--Users() == 0 && ready_) {
      glfwTerminate();
    }
  }
  GlfwLibrary(const GlfwLibrary&) = delete;
  GlfwLibrary& operator=(const GlfwLibrary&) = delete;
  [[nodiscard]] bool ready() const { return ready_; }

 private:
  static int& Users() {
    static int users = 0;
    return users;
  }
  static bool Start() {
    glfwSetErrorCallback(
        [](int /*code*/, const char* text) { LastGlfwError() = text == nullptr ? "" : text; });
#ifdef GLFW_PLATFORM_X11
    // If probed without a Wayland desktop, libwayland complains on standard error.
    if (std::getenv("DISPLAY") != nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr &&
        std::getenv("WAYLAND_SOCKET") == nullptr && glfwPlatformSupported(GLFW_PLATFORM_X11)) {
      glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
    }
#endif
    return glfwInit() == GLFW_TRUE;
  }
  bool ready_;
};

constexpr auto kNamedKeys = std::to_array<std::pair<int, Key>>({
    {GLFW_KEY_LEFT, Key::kLeft},
    {GLFW_KEY_RIGHT, Key::kRight},
    {GLFW_KEY_UP, Key::kUp},
    {GLFW_KEY_DOWN, Key::kDown},
    {GLFW_KEY_HOME, Key::kHome},
    {GLFW_KEY_END, Key::kEnd},
    {GLFW_KEY_PAGE_UP, Key::kPageUp},
    {GLFW_KEY_PAGE_DOWN, Key::kPageDown},
    {GLFW_KEY_ESCAPE, Key::kEscape},
    {GLFW_KEY_ENTER, Key::kEnter},
    {GLFW_KEY_KP_ENTER, Key::kEnter},
    {GLFW_KEY_TAB, Key::kTab},
    {GLFW_KEY_BACKSPACE, Key::kBackspace},
    {GLFW_KEY_DELETE, Key::kDelete},
    {GLFW_KEY_INSERT, Key::kInsert},
    {GLFW_KEY_F5, Key::kF5},
});

// Converts a key to a press; nothing for keys that arrive as characters or have no function here.
std::optional<KeyPress> KeyPressOf(int key, int scancode, int modifiers) {
  KeyPress press{.ctrl = (modifiers & GLFW_MOD_CONTROL) != 0,
                 .shift = (modifiers & GLFW_MOD_SHIFT) != 0,
                 .alt = (modifiers & GLFW_MOD_ALT) != 0};
  if (const auto named = std::ranges::find(kNamedKeys, key, &std::pair<int, Key>::first);
      named != kNamedKeys.end()) {
    press.key = named->second;
    return press;
  }
  if (!press.ctrl || key < GLFW_KEY_SPACE || key > GLFW_KEY_GRAVE_ACCENT) {
    return std::nullopt;
  }
  const char* const name = glfwGetKeyName(key, scancode);  // according to the layout
  const char letter = name != nullptr && name[1] == 0 ? name[0] : static_cast<char>(key);
  press.letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return press;
}

void SetHints(const WindowOptions& options) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_ALPHA_BITS, 0);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // it is positioned before it is shown
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, kDesktopId);
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headscope");
#ifdef GLFW_WAYLAND_APP_ID
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, kDesktopId);
#endif
  glfwWindowHint(GLFW_MAXIMIZED, options.place.maximized ? GLFW_TRUE : GLFW_FALSE);
#ifdef GLFW_SCALE_FRAMEBUFFER
  glfwWindowHint(GLFW_SCALE_FRAMEBUFFER, GLFW_FALSE);  // window and framebuffer pixels are the same
#endif
}

// True if a window's size is in screen pixels, so that a larger scale needs more of them. On
// Wayland it is not: the desktop scales the window.
bool IsSizeInPixels() {
#ifdef GLFW_PLATFORM_X11
  return glfwGetPlatform() != GLFW_PLATFORM_WAYLAND;
#else
  return dlsym(RTLD_DEFAULT, "glfwGetX11Display") != nullptr;
#endif
}

// The first one is the desktop's primary screen.
std::vector<ScreenArea> Screens() {
  std::vector<ScreenArea> screens;
  int count = 0;
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    ScreenArea screen;
    glfwGetMonitorWorkarea(monitors[i], &screen.x, &screen.y, &screen.width, &screen.height);
    float across = 1.0F;
    float down = 1.0F;
    glfwGetMonitorContentScale(monitors[i], &across, &down);
    screen.scale = IsSizeInPixels() && across > 0.0F ? static_cast<double>(across) : 1.0;
    if (screen.width > 0 && screen.height > 0) {
      screens.push_back(screen);
    }
  }
  return screens;
}

// The default size grows with the scale; the size of an earlier window is kept.
WindowPlacement WishOf(const WindowOptions& options, std::span<const ScreenArea> screens) {
  WindowPlacement wish = options.place;
  if (!options.is_kept) {
    const double scale = options.scale > 0.0 ? options.scale : ScreenOf(wish, screens).scale;
    wish.width = static_cast<int>(std::lround(wish.width * scale));
    wish.height = static_cast<int>(std::lround(wish.height * scale));
  }
  return wish;
}

// Names the OpenGL version that the machine has instead of 3.3.
std::string FoundVersion() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* const window = glfwCreateWindow(64, 64, "", nullptr, nullptr);
  if (window == nullptr) {
    return "no OpenGL at all";
  }
  glfwMakeContextCurrent(window);
  const auto* const version = reinterpret_cast<const char*>(glGetString(GL_VERSION));
  std::string found = fmt::format("OpenGL {}", version == nullptr ? "of no version" : version);
  glfwDestroyWindow(window);
  return found;
}

// The selection that a middle click pastes. GLFW has it only for X11, and not in every build.
void* X11Function(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

bool IsDrawnInSoftware() {
  const auto* const name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view renderer = name == nullptr ? "" : name;
  return renderer.find("llvmpipe") != std::string_view::npos ||
         renderer.find("softpipe") != std::string_view::npos;
}

class GlfwWindow final : public Window {
 public:
  explicit GlfwWindow(std::unique_ptr<GlfwLibrary> library) : library_(std::move(library)) {}

  ~GlfwWindow() override {
    imgui_.reset();
    if (window_ != nullptr) {
      glfwDestroyWindow(window_);
    }
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  Status Open(const WindowOptions& options) {
    const std::vector<ScreenArea> screens = Screens();
    WindowPlacement place = options.place;
    const bool is_fitted = options.visible && !screens.empty();
    if (is_fitted) {
      place = FitOnScreen(WishOf(options, screens), {}, screens);
    }
    SetHints(options);
    LastGlfwError().clear();
    window_ = glfwCreateWindow(place.width, place.height, options.title.c_str(), nullptr, nullptr);
    if (window_ == nullptr) {
      const std::string reason = LastGlfwError();
      return Fail(
          ErrorCode::kGl,
          fmt::format("the window needs OpenGL 3.3 core; found {} ({}); update the graphics "
                      "driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw in software",
                      FoundVersion(),
                      reason));
    }
    if (is_fitted) {
      PutInPlace(WishOf(options, screens), screens);
    }
    if (options.visible) {
      glfwShowWindow(window_);
    }
    glfwMakeContextCurrent(window_);
    if (epoxy_gl_version() < 33) {
      return Fail(ErrorCode::kGl,
                  fmt::format("the window needs OpenGL 3.3 core; found {}.{}; update the graphics "
                              "driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw in software",
                              epoxy_gl_version() / 10,
                              epoxy_gl_version() % 10));
    }
    // Software drawing gains nothing from waiting for a refresh that does not exist.
    glfwSwapInterval(IsDrawnInSoftware() ? 0 : 1);
    glfwSetWindowUserPointer(window_, this);
    SetCallbacks();
    scale_ = options.scale;
    if (!(scale_ > 0.0)) {
      float across = 1.0F;
      float down = 1.0F;
      glfwGetWindowContentScale(window_, &across, &down);
      scale_ = across > 0.0F ? static_cast<double>(across) : 1.0;
    }
    first_scale_ = scale_;
    imgui_.emplace(window_, scale_);
    return {};
  }

  [[nodiscard]] bool TakeClose() override {
    const bool is_asked = glfwWindowShouldClose(window_) == GLFW_TRUE;
    glfwSetWindowShouldClose(window_, GLFW_FALSE);
    return is_asked;
  }
  [[nodiscard]] int width() const override { return FramebufferSize().first; }
  [[nodiscard]] int height() const override { return FramebufferSize().second; }
  [[nodiscard]] double scale() const override { return scale_; }
  void SetZoom(double zoom) override {
    if (const double scale = first_scale_ * zoom; scale != scale_) {
      scale_ = scale;
      imgui_->SetScale(scale_);
    }
  }

  [[nodiscard]] std::optional<WindowPlacement> Placement() const override {
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE) {
      return std::nullopt;
    }
    WindowPlacement at;
    glfwGetWindowSize(window_, &at.width, &at.height);
    at.maximized = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
    int x = 0;
    int y = 0;
    glfwGetError(nullptr);
    glfwGetWindowPos(window_, &x, &y);
    if (glfwGetError(nullptr) == GLFW_NO_ERROR) {  // Wayland does not say
      at.x = x;
      at.y = y;
    }
    return at;
  }

  void SetLeastSize(int width, int height) override {
    const std::vector<ScreenArea> screens = Screens();
    if (!screens.empty()) {
      const WindowPlacement at = Placement().value_or(WindowPlacement{});
      const ScreenArea& screen = ScreenOf(at, screens);
      const WindowFrame frame = Frame();
      width = std::min(width, screen.width - frame.left - frame.right);
      height = std::min(height, screen.height - frame.top - frame.bottom);
    }
    glfwSetWindowSizeLimits(
        window_, std::max(1, width), std::max(1, height), GLFW_DONT_CARE, GLFW_DONT_CARE);
  }

  Came WaitEvents(double seconds) override {
    if (something_came_ || seconds == 0.0) {
      glfwPollEvents();
    } else if (seconds < 0.0) {
      glfwWaitEvents();
    } else {
      glfwWaitEventsTimeout(seconds);
    }
    const bool woken = woken_.exchange(false);
    if (std::exchange(something_came_, false)) {
      return Came::kInput;
    }
    return woken ? Came::kWake : Came::kNothing;
  }
  void Swap() override {
    glfwSwapBuffers(window_);
    frame_s_ = glfwGetTime() - frame_began_s_;
  }
  void Wake() override {
    woken_.store(true);
    glfwPostEmptyEvent();
  }

  [[nodiscard]] std::vector<std::filesystem::path> TakeDroppedPaths() override {
    return std::exchange(dropped_, {});
  }
  [[nodiscard]] std::vector<KeyPress> TakeKeyPresses() override {
    // Keys pressed after a click wait until a frame has seen the click's effect.
    const auto waits = std::ranges::find_if(
        key_presses_, [&](const Pressed& pressed) { return pressed.clicks_before > clicks_seen_; });
    std::vector<KeyPress> taken;
    std::transform(key_presses_.begin(), waits, std::back_inserter(taken), [](const Pressed& one) {
      return one.press;
    });
    key_presses_.erase(key_presses_.begin(), waits);
    return taken;
  }
  [[nodiscard]] bool InputWaits() const override { return ImGuiWaits() || !key_presses_.empty(); }
  void SetTitle(const std::string& title) override { glfwSetWindowTitle(window_, title.c_str()); }
  void SetClipboard(const std::string& text) override {
    glfwSetClipboardString(window_, text.c_str());
  }

  [[nodiscard]] std::string PrimarySelection() override {
    const auto get = reinterpret_cast<const char* (*)()>(X11Function("glfwGetX11SelectionString"));
    const char* const text = get != nullptr ? get() : nullptr;
    return text != nullptr ? text : "";
  }
  void SetPrimarySelection(const std::string& text) override {
    const auto set =
        reinterpret_cast<void (*)(const char*)>(X11Function("glfwSetX11SelectionString"));
    if (set != nullptr) {
      set(text.c_str());
    }
  }

  void BeginImGuiFrame() override {
    clicks_seen_ = clicks_before_frame_;
    frame_began_s_ = glfwGetTime();
    imgui_->Begin(frame_s_);
    // A click is done once ImGui has consumed an event that it was given after the click.
    while (!click_events_.empty() &&
           (click_events_.front() < imgui_->events_taken() || !ImGuiWaits())) {
      click_events_.erase(click_events_.begin());
      ++clicks_before_frame_;
    }
  }
  void RenderImGui() override { imgui_->Render(); }
  [[nodiscard]] Fonts fonts() const override { return imgui_->fonts(); }

 private:
  // Unknown until the frame exists, and on some desktops always.
  [[nodiscard]] WindowFrame Frame() const {
    WindowFrame frame;
    glfwGetWindowFrameSize(window_, &frame.left, &frame.top, &frame.right, &frame.bottom);
    return frame;
  }

  void PutInPlace(const WindowPlacement& wish, std::span<const ScreenArea> screens) {
    const WindowPlacement place = FitOnScreen(wish, Frame(), screens);
    glfwSetWindowSize(window_, place.width, place.height);
    if (place.x && place.y) {
      glfwSetWindowPos(window_, *place.x, *place.y);
    }
  }

  [[nodiscard]] std::pair<int, int> FramebufferSize() const {
    std::pair<int, int> size;
    glfwGetFramebufferSize(window_, &size.first, &size.second);
    return size;
  }

  struct Pressed {
    KeyPress press;
    std::uint64_t clicks_before = 0;
  };

  void Keep(const KeyPress& press) {
    something_came_ = true;
    key_presses_.push_back({press, clicks_});
  }

  [[nodiscard]] bool ImGuiWaits() const { return imgui_->events_taken() < imgui_->events_given(); }

  static GlfwWindow& Of(GLFWwindow* window) {
    return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window));
  }

  template <typename... What>
  static void HearSomething(GLFWwindow* window, What... /*what*/) {
    Of(window).something_came_ = true;
  }

  // Everything that makes a new frame necessary. ImGui sets its own callbacks later and calls
  // these.
  void SetCallbacks() {
    glfwSetKeyCallback(window_,
                       [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
                         Of(window).something_came_ = true;
                         // The characters of a key come right after it.
                         Of(window).key_repeats_ = action == GLFW_REPEAT;
                         std::optional<KeyPress> press = KeyPressOf(key, scancode, modifiers);
                         if (action != GLFW_RELEASE && press) {
                           press->repeats = action == GLFW_REPEAT;
                           Of(window).Keep(*press);
                         }
                       });
    glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned character) {
      Of(window).Keep(
          {.key = Key::kCharacter, .character = character, .repeats = Of(window).key_repeats_});
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int, int action, int) {
      Of(window).something_came_ = true;
      if (action == GLFW_PRESS) {
        ++Of(window).clicks_;
        Of(window).click_events_.push_back(Of(window).imgui_->events_given());
      }
    });
    glfwSetCursorPosCallback(window_, HearSomething);
    glfwSetCursorEnterCallback(window_, HearSomething);
    glfwSetScrollCallback(window_, HearSomething);
    glfwSetFramebufferSizeCallback(window_, HearSomething);
    glfwSetWindowRefreshCallback(window_, HearSomething);
    glfwSetWindowFocusCallback(window_, HearSomething);
    glfwSetWindowCloseCallback(window_, HearSomething);
    glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
      for (int index = 0; index < count; ++index) {
        Of(window).dropped_.emplace_back(paths[index]);
      }
      Of(window).something_came_ = true;
    });
  }

  std::unique_ptr<GlfwLibrary> library_;
  GLFWwindow* window_ = nullptr;
  std::optional<ImGuiLayer> imgui_;
  double scale_ = 1.0;
  double first_scale_ = 1.0;
  bool something_came_ = false;
  bool key_repeats_ = false;  // the last key was held down, not pressed
  std::atomic<bool> woken_ = false;
  std::vector<std::filesystem::path> dropped_;
  std::vector<Pressed> key_presses_;
  std::uint64_t clicks_ = 0;               // received
  std::uint64_t clicks_before_frame_ = 0;  // consumed by ImGui
  double frame_began_s_ = 0.0;
  double frame_s_ = 0.0;           // what the last one took
  std::uint64_t clicks_seen_ = 0;  // in earlier frames
  std::vector<std::uint64_t>
      click_events_;  // events given to ImGui before each click that it has not consumed
};

}  // namespace

Result<std::unique_ptr<Window>> Window::Create(const WindowOptions& options) {
  auto library = std::make_unique<GlfwLibrary>();
  if (!library->ready()) {
    const char* const display = std::getenv("DISPLAY");
    return Fail(ErrorCode::kGl,
                fmt::format("no display to open a window on (DISPLAY is {}; {}); run it in a "
                            "graphical session or under xvfb-run, or use the subcommands, such as "
                            "`headscope render`, which need none",
                            display == nullptr ? "not set" : fmt::format("\"{}\"", display),
                            LastGlfwError()));
  }
  auto window = std::make_unique<GlfwWindow>(std::move(library));
  HEADSCOPE_TRY(window->Open(options));
  return window;
}

}  // namespace headscope
