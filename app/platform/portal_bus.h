// The session's D-Bus, where desktops answer through their portals: what the file chooser and the
// desktop's theme share.
//
// Errors   none: where there is no bus, the connection is null.
// Threads  any; a connection is used on the thread that made it.
#pragma once

#include <gio/gio.h>
#include <memory>

namespace headscope {

inline constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
inline constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
inline constexpr int kPortalAnswerMs = 10'000;  // for a call; the user may take any time

struct Unref {
  void operator()(GDBusConnection* object) const { g_object_unref(object); }
  void operator()(GDBusMessage* object) const { g_object_unref(object); }
  void operator()(GCancellable* object) const { g_object_unref(object); }
  void operator()(GVariant* value) const { g_variant_unref(value); }
  void operator()(GMainContext* context) const { g_main_context_unref(context); }
  void operator()(GMainLoop* loop) const { g_main_loop_unref(loop); }
  void operator()(char* text) const { g_free(text); }
};
template <typename T>
using Held = std::unique_ptr<T, Unref>;

[[nodiscard]] Held<GDBusConnection> ConnectToSession(GCancellable* cancel);

// Runs the loop until it is quit or `cancel` is cancelled, from any thread. If the loop does not run
// yet, it will run what waits in its context first.
void RunUntilCancelled(GMainLoop* loop, GCancellable* cancel, bool is_done);

}  // namespace headscope
