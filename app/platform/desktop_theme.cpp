#include "app/platform/desktop_theme.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "app/platform/portal_bus.h"

namespace headscope {
namespace {

constexpr const char* kSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kColorScheme = "color-scheme";

// A number in as many variants as a portal's version wraps about it: 1 dark, 2 light.
std::optional<Theme> ThemeIn(GVariant* value) {
  Held<GVariant> inner(g_variant_ref(value));
  while (g_variant_is_of_type(inner.get(), G_VARIANT_TYPE_VARIANT) != 0) {
    inner.reset(g_variant_get_variant(inner.get()));
  }
  if (g_variant_is_of_type(inner.get(), G_VARIANT_TYPE_UINT32) == 0) {
    return std::nullopt;
  }
  const guint32 scheme = g_variant_get_uint32(inner.get());
  return scheme == 1   ? std::optional(Theme::kDark)
         : scheme == 2 ? std::optional(Theme::kLight)
                       : std::nullopt;
}

// Without one, GLib would start a bus of its own, which outlives the program.
bool HasSession() {
  const char* const address = std::getenv("DBUS_SESSION_BUS_ADDRESS");
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code error;
  return (address != nullptr && *address != 0) ||
         (runtime != nullptr &&
          std::filesystem::exists(std::filesystem::path(runtime) / "bus", error));
}

}  // namespace

class DesktopTheme::Listener {
 public:
  explicit Listener(std::function<void()> wake)
      : wake_(std::move(wake)), thread_([this] { Run(); }) {}

  ~Listener() {
    g_cancellable_cancel(cancel_.get());
    thread_.join();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::optional<std::optional<Theme>> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, std::nullopt);
  }

 private:
  void Run() {
    const Held<GMainContext> context(g_main_context_new());
    g_main_context_push_thread_default(context.get());
    Listen(context.get());
    g_main_context_pop_thread_default(context.get());
  }

  void Listen(GMainContext* context) {
    if (!HasSession()) {
      return;
    }
    const Held<GDBusConnection> bus = ConnectToSession(cancel_.get());
    if (bus == nullptr) {
      return;
    }
    // Subscribes before the call, so that no change comes between.
    const guint heard = g_dbus_connection_signal_subscribe(bus.get(),
                                                           kPortal,
                                                           kSettings,
                                                           "SettingChanged",
                                                           kPortalPath,
                                                           kAppearance,
                                                           G_DBUS_SIGNAL_FLAGS_NONE,
                                                           Heard,
                                                           this,
                                                           nullptr);
    const Held<GVariant> reply(
        g_dbus_connection_call_sync(bus.get(),
                                    kPortal,
                                    kPortalPath,
                                    kSettings,
                                    "Read",
                                    g_variant_new("(ss)", kAppearance, kColorScheme),
                                    G_VARIANT_TYPE("(v)"),
                                    G_DBUS_CALL_FLAGS_NONE,
                                    kPortalAnswerMs,
                                    cancel_.get(),
                                    nullptr));
    if (reply != nullptr) {
      const Held<GVariant> value(g_variant_get_child_value(reply.get(), 0));
      Tell(ThemeIn(value.get()));
      const Held<GMainLoop> loop(g_main_loop_new(context, FALSE));
      RunUntilCancelled(loop.get(), cancel_.get(), false);
    }
    g_dbus_connection_signal_unsubscribe(bus.get(), heard);
    g_dbus_connection_close_sync(bus.get(), nullptr, nullptr);
  }

  void Tell(std::optional<Theme> theme) {
    {
      const std::lock_guard lock(mutex_);
      news_ = theme;
    }
    wake_();
  }

  static void Heard(GDBusConnection* /*bus*/,
                    const char* /*sender*/,
                    const char* /*path*/,
                    const char* /*interface*/,
                    const char* /*signal*/,
                    GVariant* parameters,
                    gpointer self) {
    if (g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ssv)")) == 0) {
      return;
    }
    const char* name = nullptr;
    g_variant_get_child(parameters, 1, "&s", &name);
    if (std::string_view(name) == kColorScheme) {
      const Held<GVariant> value(g_variant_get_child_value(parameters, 2));
      static_cast<Listener*>(self)->Tell(ThemeIn(value.get()));
    }
  }

  std::function<void()> wake_;
  Held<GCancellable> cancel_{g_cancellable_new()};
  std::mutex mutex_;
  std::optional<std::optional<Theme>> news_;
  std::thread thread_;  // last: it uses all of the above
};

DesktopTheme::DesktopTheme(std::function<void()> wake)
    : listener_(std::make_unique<Listener>(std::move(wake))) {}
DesktopTheme::~DesktopTheme() = default;

std::optional<std::optional<Theme>> DesktopTheme::Take() {
  return listener_->Take();
}

}  // namespace headscope
