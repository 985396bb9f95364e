// Drops files on a window as a file manager does (XDND, version 5).
//
//   drop_files WINDOW FILE...        WINDOW as xdotool prints it; the display is DISPLAY
//
// Names are percent-encoded as text/uri-list wants them, byte by byte, whatever their bytes are.
// Ends with 0 when the window took the files.
// Source  https://www.freedesktop.org/wiki/Specifications/XDND/
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

namespace {

std::string UriOf(const std::string& name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char letter : std::filesystem::absolute(name).string()) {
    if (kPlain.find(letter) != std::string_view::npos) {
      uri += letter;
    } else {
      const auto byte = static_cast<unsigned char>(letter);
      uri += '%';
      uri += kHex[byte / 16U];
      uri += kHex[byte % 16U];
    }
  }
  return uri;
}

class Drag {
 public:
  Drag(Display* display, Window target, std::string list)
      : display_(display), target_(target), list_(std::move(list)) {
    source_ = XCreateSimpleWindow(display_, DefaultRootWindow(display_), 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display_, Named("XdndSelection"), source_, CurrentTime);
  }

  // Whether the target took the files.
  bool Run() {
    Send("XdndEnter", {long{5} << 24, static_cast<long>(Named("text/uri-list")), 0, 0});
    Send("XdndPosition",
         {0, (long{40} << 16) | 40, CurrentTime, static_cast<long>(Named("XdndActionCopy"))});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (XPending(display_) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        continue;
      }
      XEvent event;
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) {
        Answer(event.xselectionrequest);
      } else if (event.type == ClientMessage && event.xclient.message_type == Named("XdndStatus")) {
        if ((event.xclient.data.l[1] & 1) == 0) {
          return false;  // it takes none of this
        }
        Send("XdndDrop", {0, CurrentTime, 0, 0});
      } else if (event.type == ClientMessage &&
                 event.xclient.message_type == Named("XdndFinished")) {
        return event.xclient.data.l[1] != 0;  // GLFW tells how many bytes it read
      }
    }
    return false;
  }

 private:
  [[nodiscard]] Atom Named(const char* name) const { return XInternAtom(display_, name, False); }

  void Send(const char* kind, const std::array<long, 4>& values) {
    XEvent event = {};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = Named(kind);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(source_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      event.xclient.data.l[i + 1] = values.at(i);
    }
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  void Answer(const XSelectionRequestEvent& request) {
    XChangeProperty(display_,
                    request.requestor,
                    request.property,
                    request.target,
                    8,
                    PropModeReplace,
                    reinterpret_cast<const unsigned char*>(list_.data()),
                    static_cast<int>(list_.size()));
    XEvent event = {};
    event.xselection.type = SelectionNotify;
    event.xselection.requestor = request.requestor;
    event.xselection.selection = request.selection;
    event.xselection.target = request.target;
    event.xselection.property = request.property;
    event.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &event);
    XFlush(display_);
  }

  Display* display_;
  Window target_;
  Window source_ = 0;
  std::string list_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: drop_files WINDOW FILE...\n", stderr);
    return 2;
  }
  Display* const display = XOpenDisplay(nullptr);
  if (display == nullptr) {
    std::fputs("drop_files: no display\n", stderr);
    return 1;
  }
  std::string list;
  for (int i = 2; i < argc; ++i) {
    list += UriOf(argv[i]) + "\r\n";
  }
  const bool taken = Drag(display, std::strtoul(argv[1], nullptr, 0), list).Run();
  XCloseDisplay(display);
  if (!taken) {
    std::fputs("drop_files: the window did not take the files\n", stderr);
  }
  return taken ? 0 : 1;
}
