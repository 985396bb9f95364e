#include "app/platform/window.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include "app/platform/imgui_layer.h"

namespace headscope {
namespace {

// GLFW tells why through a callback without a user pointer.
std::string& LastGlfwError() {
  static std::string text;
  return text;
}

// glfwInit and glfwTerminate, counted: tests open several windows.
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
    return glfwInit() == GLFW_TRUE;
  }
  bool ready_;
};

// Nothing for keys that are no shortcut of ours.
std::optional<KeyPress> KeyPressOf(int key, int scancode, int modifiers) {
  KeyPress press{.key = Key::kLetter,
                 .letter = 0,
                 .ctrl = (modifiers & GLFW_MOD_CONTROL) != 0,
                 .shift = (modifiers & GLFW_MOD_SHIFT) != 0};
  switch (key) {
    case GLFW_KEY_LEFT:
      press.key = Key::kLeft;
      return press;
    case GLFW_KEY_RIGHT:
      press.key = Key::kRight;
      return press;
    case GLFW_KEY_UP:
      press.key = Key::kUp;
      return press;
    case GLFW_KEY_DOWN:
      press.key = Key::kDown;
      return press;
    case GLFW_KEY_ESCAPE:
      press.key = Key::kEscape;
      return press;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      press.key = Key::kEnter;
      return press;
    case GLFW_KEY_BACKSPACE:
      press.key = Key::kBackspace;
      return press;
    default:
      break;
  }
  if (!press.ctrl || key < GLFW_KEY_SPACE || key > GLFW_KEY_GRAVE_ACCENT) {
    return std::nullopt;
  }
  const char* const name = glfwGetKeyName(key, scancode);  // by the layout
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
  glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR,
                 options.scale > 0.0 || !options.visible ? GLFW_FALSE : GLFW_TRUE);
#ifdef GLFW_SCALE_FRAMEBUFFER
  glfwWindowHint(GLFW_SCALE_FRAMEBUFFER, GLFW_FALSE);  // window and framebuffer pixels are one
#endif
}

// No larger than the screen's free part.
std::pair<int, int> FitToScreen(const WindowOptions& options) {
  std::pair<int, int> size{options.width, options.height};
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (options.visible && monitor != nullptr) {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
    size.first = width > 0 ? std::min(size.first, width) : size.first;
    size.second = height > 0 ? std::min(size.second, height) : size.second;
  }
  return size;
}

// What the machine has instead of OpenGL 3.3.
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
    SetHints(options);
    LastGlfwError().clear();
    const auto [width, height] = FitToScreen(options);
    window_ = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
    if (window_ == nullptr) {
      const std::string reason = LastGlfwError();
      return Fail(
          ErrorCode::kGl,
          fmt::format("the window needs OpenGL 3.3 core; found {} ({}); update the graphics "
                      "driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw in software",
                      FoundVersion(),
                      reason));
    }
    glfwMakeContextCurrent(window_);
    if (epoxy_gl_version() < 33) {
      return Fail(ErrorCode::kGl,
                  fmt::format("the window needs OpenGL 3.3 core; found {}.{}; update the graphics "
                              "driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw in software",
                              epoxy_gl_version() / 10,
                              epoxy_gl_version() % 10));
    }
    // Software drawing gains nothing from waiting for a refresh that is not there.
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
    imgui_.emplace(window_, scale_);
    return {};
  }

  [[nodiscard]] bool ShouldClose() const override {
    return glfwWindowShouldClose(window_) == GLFW_TRUE;
  }
  [[nodiscard]] int width() const override { return FramebufferSize().first; }
  [[nodiscard]] int height() const override { return FramebufferSize().second; }
  [[nodiscard]] double scale() const override { return scale_; }

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
  void PollEvents() override { glfwPollEvents(); }
  void Swap() override { glfwSwapBuffers(window_); }
  void Wake() override {
    woken_.store(true);
    glfwPostEmptyEvent();
  }

  [[nodiscard]] std::vector<std::filesystem::path> TakeDroppedPaths() override {
    return std::exchange(dropped_, {});
  }
  [[nodiscard]] std::vector<KeyPress> TakeKeyPresses() override {
    // What was typed before a key comes before it, though ImGui may spread it over frames.
    const auto waits = std::ranges::find_if(key_presses_, [&](const Pressed& pressed) {
      return imgui_->events_taken() <= pressed.events_before && ImGuiWaits();
    });
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

  void BeginImGuiFrame() override { imgui_->Begin(); }
  void RenderImGui() override { imgui_->Render(); }
  [[nodiscard]] Fonts fonts() const override { return imgui_->fonts(); }

 private:
  [[nodiscard]] std::pair<int, int> FramebufferSize() const {
    std::pair<int, int> size;
    glfwGetFramebufferSize(window_, &size.first, &size.second);
    return size;
  }

  struct Pressed {
    KeyPress press;
    std::uint64_t events_before = 0;  // that ImGui was given
  };

  [[nodiscard]] bool ImGuiWaits() const { return imgui_->events_taken() < imgui_->events_given(); }

  static GlfwWindow& Of(GLFWwindow* window) {
    return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window));
  }

  // All that makes a frame worth drawing. ImGui sets its own callbacks later and calls these.
  void SetCallbacks() {
    glfwSetKeyCallback(window_,
                       [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
                         Of(window).something_came_ = true;
                         const std::optional<KeyPress> press = KeyPressOf(key, scancode, modifiers);
                         if (action != GLFW_RELEASE && press) {
                           const std::uint64_t before = Of(window).imgui_->events_given();
                           Of(window).key_presses_.push_back({*press, before});
                         }
                       });
    glfwSetCharCallback(window_,
                        [](GLFWwindow* window, unsigned) { Of(window).something_came_ = true; });
    glfwSetMouseButtonCallback(
        window_, [](GLFWwindow* window, int, int, int) { Of(window).something_came_ = true; });
    glfwSetCursorPosCallback(
        window_, [](GLFWwindow* window, double, double) { Of(window).something_came_ = true; });
    glfwSetCursorEnterCallback(window_,
                               [](GLFWwindow* window, int) { Of(window).something_came_ = true; });
    glfwSetScrollCallback(
        window_, [](GLFWwindow* window, double, double) { Of(window).something_came_ = true; });
    glfwSetFramebufferSizeCallback(
        window_, [](GLFWwindow* window, int, int) { Of(window).something_came_ = true; });
    glfwSetWindowRefreshCallback(window_,
                                 [](GLFWwindow* window) { Of(window).something_came_ = true; });
    glfwSetWindowFocusCallback(window_,
                               [](GLFWwindow* window, int) { Of(window).something_came_ = true; });
    glfwSetWindowCloseCallback(window_,
                               [](GLFWwindow* window) { Of(window).something_came_ = true; });
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
  bool something_came_ = false;
  std::atomic<bool> woken_ = false;
  std::vector<std::filesystem::path> dropped_;
  std::vector<Pressed> key_presses_;
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
