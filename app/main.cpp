#include <csignal>
#include <cstdio>
#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "app/cli/command_line.h"
#include "app/cli/short_waits.h"
#include "app/files/portable_folder.h"

#ifdef HEADSCOPE_WINDOW
#include "app/views/screens.h"
#include "app/window/application.h"
#endif

namespace {

int OpenWindow(const headscope::WindowArguments& arguments) {
#ifdef HEADSCOPE_WINDOW
  const headscope::Status status = headscope::RunWindow(arguments);
  if (!status) {
    std::fprintf(stderr, "headscope: %s\n", status.error().message.c_str());
    return 1;
  }
  return 0;
#else
  static_cast<void>(arguments);
  std::fputs("headscope: this build has no window; configure with -DHEADSCOPE_WINDOW=ON\n", stderr);
  return 1;
#endif
}

headscope::ViewChoices Views() {
  headscope::ViewChoices views;
#ifdef HEADSCOPE_WINDOW
  for (const headscope::Screen* screen : headscope::AllScreens()) {
    views.push_back(screen->kind.id);
  }
#endif
  return views;
}

// What one text's heads held is taken again by the next: fresh pages cost more than filling them.
void KeepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 160 << 20);
#endif
}

// A file that outgrows a limit is an error like a full disk, said in a sentence.
void OutliveFileLimits() {
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
}

}  // namespace

int main(int argc, char** argv) {
  headscope::UsePortableFolder();
  headscope::RestartWithShortWaits(argv);
  OutliveFileLimits();
  KeepFreedMemory();
  return headscope::RunCommandLine(argc, argv, {.open = OpenWindow, .views = Views()});
}
