#include "app/platform/picture_clipboard.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

// Last: its names of the preprocessor are ours, too.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#undef Status

namespace headscope {
namespace {

constexpr const char* kPng = "image/png";

// Of the connection below errors are of windows that paste and are gone; those of others are theirs.
Display* own_display = nullptr;
XErrorHandler others_errors = nullptr;

int HearError(Display* display, XErrorEvent* error) {
  return display == own_display || others_errors == nullptr ? 0 : others_errors(display, error);
}

// Where there is no X11, another program holds the picture.
Status OfferByCommand(const std::string& png) {
  FILE* const pipe = popen("wl-copy --type image/png 2>/dev/null", "we");
  const bool is_written = pipe != nullptr && fwrite(png.data(), 1, png.size(), pipe) == png.size();
  if (pipe == nullptr || pclose(pipe) != 0 || !is_written) {
    return Fail(ErrorCode::kIo,
                "The picture cannot be copied: under Wayland it needs wl-copy (package "
                "wl-clipboard), which is not there or failed. Save it as a file.");
  }
  return {};
}

}  // namespace

// The owner of the selection: answers those who paste until another program copies something.
class PictureClipboard::Owner {
 public:
  static std::unique_ptr<Owner> Make() {
    Display* const display = XOpenDisplay(nullptr);
    return display == nullptr ? nullptr : std::unique_ptr<Owner>(new Owner(display));
  }
  ~Owner() {
    stops_ = true;
    Wake();
    thread_.join();
    close(woken_);
    XCloseDisplay(display_);
    own_display = nullptr;
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  // Bytes that a paste may have in one piece.
  [[nodiscard]] std::size_t most() const { return most_; }

  void Offer(std::string png) {
    {
      const std::lock_guard lock(mutex_);
      png_ = std::move(png);
      is_new_ = true;
    }
    Wake();
  }

 private:
  explicit Owner(Display* display) : display_(display), woken_(eventfd(0, EFD_CLOEXEC)) {
    own_display = display;
    others_errors = XSetErrorHandler(HearError);
    window_ = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    clipboard_ = XInternAtom(display, "CLIPBOARD", False);
    targets_ = XInternAtom(display, "TARGETS", False);
    picture_ = XInternAtom(display, kPng, False);
    const long extended = XExtendedMaxRequestSize(display);
    const long words = extended > 0 ? extended : XMaxRequestSize(display);
    constexpr std::size_t kHeader = 64;
    most_ = static_cast<std::size_t>(words) * 4 - kHeader;
    thread_ = std::thread([this] { Run(); });
  }

  void Wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(write(woken_, &one, sizeof one));
  }

  void Run() {
    while (!stops_) {
      std::array<pollfd, 2> wait = {{{ConnectionNumber(display_), POLLIN, 0}, {woken_, POLLIN, 0}}};
      if (XPending(display_) == 0) {
        poll(wait.data(), wait.size(), -1);
      }
      if ((wait[1].revents & POLLIN) != 0) {
        std::uint64_t count = 0;
        static_cast<void>(read(woken_, &count, sizeof count));
      }
      if (const std::lock_guard lock(mutex_); std::exchange(is_new_, false)) {
        XSetSelectionOwner(display_, clipboard_, window_, CurrentTime);
        XFlush(display_);
      }
      while (XPending(display_) > 0) {
        XEvent event;
        XNextEvent(display_, &event);
        Hear(event);
      }
    }
  }

  void Hear(const XEvent& event) {
    if (event.type == SelectionClear) {
      const std::lock_guard lock(mutex_);
      if (!is_new_) {
        png_.clear();
      }
    } else if (event.type == SelectionRequest) {
      Answer(event.xselectionrequest);
    }
  }

  void Answer(const XSelectionRequestEvent& asked) {
    XEvent answer = {};
    answer.xselection.type = SelectionNotify;
    answer.xselection.requestor = asked.requestor;
    answer.xselection.selection = asked.selection;
    answer.xselection.target = asked.target;
    answer.xselection.time = asked.time;
    answer.xselection.property = asked.property != None ? asked.property : asked.target;
    const std::lock_guard lock(mutex_);
    if (asked.target == targets_) {
      const std::array<Atom, 2> there = {targets_, picture_};
      Put(asked.requestor, answer.xselection.property, XA_ATOM, 32, there.data(), 2);
    } else if (asked.target == picture_ && !png_.empty()) {
      Put(asked.requestor,
          answer.xselection.property,
          picture_,
          8,
          png_.data(),
          static_cast<int>(png_.size()));
    } else {
      answer.xselection.property = None;
    }
    XSendEvent(display_, asked.requestor, False, NoEventMask, &answer);
    XFlush(display_);
  }

  void Put(::Window window, Atom property, Atom type, int bits, const void* data, int count) {
    XChangeProperty(display_,
                    window,
                    property,
                    type,
                    bits,
                    PropModeReplace,
                    static_cast<const unsigned char*>(data),
                    count);
  }

  Display* display_;
  int woken_;
  ::Window window_ = None;
  Atom clipboard_ = None;
  Atom targets_ = None;
  Atom picture_ = None;
  std::size_t most_ = 0;
  std::mutex mutex_;
  std::string png_;
  bool is_new_ = false;  // to be offered
  std::atomic<bool> stops_ = false;
  std::thread thread_;  // last: it uses all of the above
};

PictureClipboard::PictureClipboard() = default;
PictureClipboard::~PictureClipboard() = default;

Status PictureClipboard::Offer(std::string png) {
  if (owner_ == nullptr) {
    owner_ = Owner::Make();
  }
  if (owner_ == nullptr) {
    return OfferByCommand(png);
  }
  if (png.size() > owner_->most()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("The picture has {} bytes, and the display's clipboard takes {}: choose "
                    "a smaller size, or save it as a file.",
                    png.size(),
                    owner_->most()));
  }
  owner_->Offer(std::move(png));
  return {};
}

}  // namespace headscope
