// A session bus of a test's own with a desktop's portal behind it.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <gio/gio.h>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/temp_folder.h"

namespace headscope::test {

// Answers as a bus and as the portal behind it: each call to the chooser gets `how` and `uri`; 3: the
// chooser stays open, 4: the call has no reply.
class FakeDesktop {
 public:
  guint32 scheme = 9;  // what the portal says of dark and light; 9: it has no settings

  FakeDesktop(bool has_portal, guint32 how, std::string uri, guint32 scheme_in = 9)
      : scheme(scheme_in),
        has_portal_(has_portal),
        how_(how),
        uri_(std::move(uri)),
        thread_([this] { Run(); }) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !address_.empty(); });
    setenv("DBUS_SESSION_BUS_ADDRESS", address_.c_str(), 1);
  }
  ~FakeDesktop() {
    g_main_loop_quit(loop_);
    thread_.join();
    setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1);
  }
  FakeDesktop(const FakeDesktop&) = delete;
  FakeDesktop& operator=(const FakeDesktop&) = delete;

  std::string Asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  // A person chooses another theme.
  void Choose(guint32 other) {
    GDBusMessage* signal = g_dbus_message_new_signal(
        "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "SettingChanged");
    g_dbus_message_set_body(
        signal,
        g_variant_new(
            "(ssv)", "org.freedesktop.appearance", "color-scheme", g_variant_new_uint32(other)));
    Send(connection_, signal);
  }
  bool WasClosed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  void Run() {
    GMainContext* context = g_main_context_new();
    g_main_context_push_thread_default(context);
    loop_ = g_main_loop_new(context, FALSE);
    char* guid = g_dbus_generate_guid();
    const std::string place = "unix:dir=" + folder_.path().string();
    GDBusServer* server = g_dbus_server_new_sync(
        place.c_str(), G_DBUS_SERVER_FLAGS_NONE, guid, nullptr, nullptr, nullptr);
    g_signal_connect(server, "new-connection", G_CALLBACK(Connected), this);
    g_dbus_server_start(server);
    {
      const std::lock_guard lock(mutex_);
      address_ = g_dbus_server_get_client_address(server);
    }
    ready_.notify_one();
    g_main_loop_run(loop_);
    g_dbus_server_stop(server);
    g_object_unref(server);
    if (connection_ != nullptr) {
      g_object_unref(connection_);
    }
    g_free(guid);
    g_main_loop_unref(loop_);
    g_main_context_pop_thread_default(context);
    g_main_context_unref(context);
  }

  static gboolean Connected(GDBusServer* /*server*/, GDBusConnection* connection, gpointer self) {
    auto* const own = static_cast<FakeDesktop*>(self);
    own->connection_ = G_DBUS_CONNECTION(g_object_ref(connection));
    g_dbus_connection_add_filter(connection, Filter, self, nullptr);
    return TRUE;
  }

  static void Send(GDBusConnection* connection, GDBusMessage* message) {
    g_dbus_message_set_sender(message, ":1.1");
    g_dbus_connection_send_message(
        connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nullptr, nullptr);
    g_object_unref(message);
  }

  static GDBusMessage* Filter(GDBusConnection* connection,
                              GDBusMessage* message,
                              gboolean incoming,
                              gpointer self) {
    if (incoming == FALSE ||
        g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_METHOD_CALL) {
      return message;
    }
    static_cast<FakeDesktop*>(self)->Answer(connection, message);
    g_object_unref(message);
    return nullptr;
  }

  void Answer(GDBusConnection* connection, GDBusMessage* call) {
    const std::string member = g_dbus_message_get_member(call);
    GDBusMessage* reply = g_dbus_message_new_method_reply(call);
    if (member == "Hello") {
      g_dbus_message_set_body(reply, g_variant_new("(s)", ":1.7"));
    } else if (member == "GetNameOwner") {
      g_dbus_message_set_body(reply, g_variant_new("(s)", ":1.1"));
    } else if (member == "OpenFile" || member == "SaveFile") {
      if (!has_portal_) {
        g_object_unref(reply);
        Send(connection,
             g_dbus_message_new_method_error_literal(
                 call, "org.freedesktop.DBus.Error.ServiceUnknown", "nobody"));
        return;
      }
      char* text = g_variant_print(g_dbus_message_get_body(call), FALSE);
      {
        const std::lock_guard lock(mutex_);
        asked_ = member + " " + text;
      }
      g_free(text);
      if (how_ == 4) {
        g_object_unref(reply);
        return;
      }
      const std::string request = "/org/freedesktop/portal/desktop/request/1_7/headscope";
      g_dbus_message_set_body(reply, g_variant_new("(o)", request.c_str()));
      Send(connection, reply);
      if (how_ < 3) {
        Respond(connection, request);
      }
      return;
    } else if (member == "Read" && scheme != 9) {
      GVariant* const inner = g_variant_new_variant(g_variant_new_uint32(scheme));
      g_dbus_message_set_body(reply, g_variant_new("(v)", inner));
    } else if (member == "Read") {
      g_object_unref(reply);
      Send(connection,
           g_dbus_message_new_method_error_literal(
               call, "org.freedesktop.DBus.Error.ServiceUnknown", "nobody"));
      return;
    } else if (member == "Close") {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    Send(connection, reply);
  }

  void Respond(GDBusConnection* connection, const std::string& request) {
    GVariantBuilder results;
    g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
    const char* uris[] = {uri_.c_str(), nullptr};
    if (!uri_.empty()) {
      g_variant_builder_add(&results, "{sv}", "uris", g_variant_new_strv(uris, -1));
    }
    GDBusMessage* signal =
        g_dbus_message_new_signal(request.c_str(), "org.freedesktop.portal.Request", "Response");
    g_dbus_message_set_body(signal, g_variant_new("(ua{sv})", how_, &results));
    Send(connection, signal);
  }

  const TempFolder folder_;
  bool has_portal_;
  guint32 how_;
  std::string uri_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::string address_;
  std::string asked_;
  bool closed_ = false;
  GMainLoop* loop_ = nullptr;
  GDBusConnection* connection_ = nullptr;
  std::thread thread_;
};

}  // namespace headscope::test
