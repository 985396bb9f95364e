#include "app/platform/portal_bus.h"

namespace headscope {
namespace {

void QuitSoon(GCancellable* /*cancel*/, gpointer loop) {
  GSource* const quit = g_idle_source_new();
  g_source_set_callback(
      quit,
      [](gpointer running) -> gboolean {
        g_main_loop_quit(static_cast<GMainLoop*>(running));
        return G_SOURCE_REMOVE;
      },
      loop,
      nullptr);
  g_source_attach(quit, g_main_loop_get_context(static_cast<GMainLoop*>(loop)));
  g_source_unref(quit);
}

}  // namespace

Held<GDBusConnection> ConnectToSession(GCancellable* cancel) {
  const Held<char> address(g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, cancel, nullptr));
  if (address == nullptr) {
    return nullptr;
  }
  const auto flags =
      static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                        G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
  return Held<GDBusConnection>(
      g_dbus_connection_new_for_address_sync(address.get(), flags, nullptr, cancel, nullptr));
}

// Cancelling ends the wait through the context, like an answer. GLib's own source for that may leak
// if the cancelling thread is still using it.
void RunUntilCancelled(GMainLoop* loop, GCancellable* cancel, bool is_done) {
  const gulong stop = g_cancellable_connect(cancel, G_CALLBACK(QuitSoon), loop, nullptr);
  if (!is_done) {
    g_main_loop_run(loop);
  }
  g_cancellable_disconnect(cancel, stop);
}

}  // namespace headscope
