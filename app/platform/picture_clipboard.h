// A picture on the desktop's clipboard, for a slide or a letter. GLFW has text alone.
//
// Under X11 the program itself answers whoever pastes, as long as it runs; where there is only
// Wayland, wl-copy (package wl-clipboard) does.
//
// Errors   kIo: there is neither, or wl-copy fails; kInput: larger than the display takes at once.
// Threads  any; X11 has a thread and a connection of its own, made when first needed.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"

namespace headscope {

class PictureClipboard {
 public:
  PictureClipboard();
  ~PictureClipboard();
  PictureClipboard(const PictureClipboard&) = delete;
  PictureClipboard& operator=(const PictureClipboard&) = delete;

  // The bytes of a PNG; they take the place of what was offered before.
  [[nodiscard]] Status Offer(std::string png);

 private:
  class Owner;
  std::unique_ptr<Owner> owner_;
};

}  // namespace headscope
