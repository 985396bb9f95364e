#include "app/platform/file_portal.h"

#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/platform/portal_bus.h"

namespace headscope {
namespace {

constexpr const char* kRequest = "org.freedesktop.portal.Request";
constexpr const char* kToken = "headscope";

// Paths are zero-terminated bytes.
GVariant* BytesOf(const std::filesystem::path& path) {
  return g_variant_new_bytestring(path.c_str());
}

GVariant* FiltersOf(const FileQuestion& question) {
  GVariantBuilder patterns;
  g_variant_builder_init(&patterns, G_VARIANT_TYPE("a(us)"));
  for (const std::string& ending : question.endings) {
    g_variant_builder_add(&patterns, "(us)", 0U, fmt::format("*{}", ending).c_str());
  }
  GVariantBuilder filters;
  g_variant_builder_init(&filters, G_VARIANT_TYPE("a(sa(us))"));
  g_variant_builder_add(&filters, "(sa(us))", question.endings_name.c_str(), &patterns);
  return g_variant_builder_end(&filters);
}

GVariant* CallOf(const FileQuestion& question) {
  GVariantBuilder options;
  g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
  const auto add = [&options](const char* name, GVariant* value) {
    g_variant_builder_add(&options, "{sv}", name, value);
  };
  add("handle_token", g_variant_new_string(kToken));
  add("modal", g_variant_new_boolean(TRUE));
  if (question.kind == FileQuestion::Kind::kFolder) {
    add("directory", g_variant_new_boolean(TRUE));
  } else if (!question.endings.empty()) {
    add("filters", FiltersOf(question));
  }
  if (!question.folder.empty()) {
    add("current_folder", BytesOf(question.folder));
  }
  if (question.kind == FileQuestion::Kind::kSave &&
      g_utf8_validate(question.name.c_str(), -1, nullptr) != 0) {
    add("current_name", g_variant_new_string(question.name.c_str()));
  }
  return g_variant_new("(ssa{sv})", "", question.title.c_str(), &options);
}

// The bus name ":1.42" becomes "1_42" in the path of its requests.
std::string RequestPath(GDBusConnection* bus) {
  const char* const name = g_dbus_connection_get_unique_name(bus);
  std::string sender = name != nullptr && *name == ':' ? name + 1 : "";
  for (char& letter : sender) {
    letter = letter == '.' ? '_' : letter;
  }
  return fmt::format("{}/request/{}/{}", kPortalPath, sender, kToken);
}

// Reads a Response signal: (u how, a{sv} results).
FileAnswer AnswerOf(GVariant* parameters) {
  guint32 how = 2;
  GVariant* read = nullptr;
  g_variant_get(parameters, "(u@a{sv})", &how, &read);
  const Held<GVariant> results(read);
  if (how == 1) {
    return {FileAnswer::Kind::kClosed, {}};
  }
  const Held<GVariant> uris(
      g_variant_lookup_value(results.get(), "uris", G_VARIANT_TYPE_STRING_ARRAY));
  if (how != 0 || uris == nullptr || g_variant_n_children(uris.get()) == 0) {
    return {FileAnswer::Kind::kNoPortal, {}};
  }
  const char* uri = nullptr;
  g_variant_get_child(uris.get(), 0, "&s", &uri);
  const Held<char> path(g_filename_from_uri(uri, nullptr, nullptr));
  return path != nullptr ? FileAnswer{FileAnswer::Kind::kChosen, path.get()}
                         : FileAnswer{FileAnswer::Kind::kNoPortal, {}};
}

}  // namespace

// One question, from the call to the answer.
class FilePortal::Conversation {
 public:
  Conversation(FileQuestion question, std::function<void()> wake)
      : question_(std::move(question)), wake_(std::move(wake)), thread_([this] { Run(); }) {}

  ~Conversation() {
    g_cancellable_cancel(cancel_.get());
    thread_.join();
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  std::optional<FileAnswer> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answer_, std::nullopt);
  }

 private:
  void Run() {
    const Held<GMainContext> context(g_main_context_new());
    g_main_context_push_thread_default(context.get());
    const FileAnswer answer = Talk(context.get());
    g_main_context_pop_thread_default(context.get());
    if (g_cancellable_is_cancelled(cancel_.get()) != 0) {
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      answer_ = answer;
    }
    wake_();
  }

  FileAnswer Talk(GMainContext* context) {
    const Held<GDBusConnection> bus = ConnectToSession(cancel_.get());
    if (bus == nullptr) {
      return {};
    }
    const Held<GMainLoop> loop(g_main_loop_new(context, FALSE));
    loop_ = loop.get();
    // Subscribes before the call, so that no answer can come too early.
    const std::string path = RequestPath(bus.get());
    const guint heard = g_dbus_connection_signal_subscribe(bus.get(),
                                                           kPortal,
                                                           kRequest,
                                                           "Response",
                                                           path.c_str(),
                                                           nullptr,
                                                           G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE,
                                                           Heard,
                                                           this,
                                                           nullptr);
    FileAnswer answer = Call(bus.get(), path);
    g_dbus_connection_signal_unsubscribe(bus.get(), heard);
    loop_ = nullptr;
    g_dbus_connection_close_sync(bus.get(), nullptr, nullptr);
    return answer;
  }

  FileAnswer Call(GDBusConnection* bus, const std::string& path) {
    const Held<GVariant> reply(g_dbus_connection_call_sync(
        bus,
        kPortal,
        kPortalPath,
        "org.freedesktop.portal.FileChooser",
        question_.kind == FileQuestion::Kind::kSave ? "SaveFile" : "OpenFile",
        CallOf(question_),
        G_VARIANT_TYPE("(o)"),
        G_DBUS_CALL_FLAGS_NONE,
        kPortalAnswerMs,
        cancel_.get(),
        nullptr));
    // A cancelled call may have opened a chooser anyway.
    if (reply == nullptr && g_cancellable_is_cancelled(cancel_.get()) == 0) {
      return {};
    }
    RunUntilCancelled(loop_, cancel_.get(), heard_.has_value());
    if (!heard_) {  // nobody waits any longer: close the chooser
      const Held<GDBusMessage> close(
          g_dbus_message_new_method_call(kPortal, path.c_str(), kRequest, "Close"));
      g_dbus_message_set_flags(close.get(), G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED);
      g_dbus_connection_send_message(
          bus, close.get(), G_DBUS_SEND_MESSAGE_FLAGS_NONE, nullptr, nullptr);
      g_dbus_connection_flush_sync(bus, nullptr, nullptr);
    }
    return heard_.value_or(FileAnswer{});
  }

  static void Heard(GDBusConnection* /*bus*/,
                    const char* /*sender*/,
                    const char* /*path*/,
                    const char* /*interface*/,
                    const char* /*signal*/,
                    GVariant* parameters,
                    gpointer self) {
    auto* const own = static_cast<Conversation*>(self);
    if (g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ua{sv})")) != 0) {
      own->heard_ = AnswerOf(parameters);
      g_main_loop_quit(own->loop_);
    }
  }

  FileQuestion question_;
  std::function<void()> wake_;
  Held<GCancellable> cancel_{g_cancellable_new()};
  GMainLoop* loop_ = nullptr;        // the thread's own
  std::optional<FileAnswer> heard_;  // the thread's own
  std::mutex mutex_;
  std::optional<FileAnswer> answer_;
  std::thread thread_;  // last: it uses all of the above
};

FilePortal::FilePortal(std::function<void()> wake) : wake_(std::move(wake)) {}
FilePortal::~FilePortal() = default;

void FilePortal::Ask(FileQuestion question) {
  conversation_.reset();
  conversation_ = std::make_unique<Conversation>(std::move(question), wake_);
}

std::optional<FileAnswer> FilePortal::Take() {
  return conversation_ != nullptr ? conversation_->Take() : std::nullopt;
}

}  // namespace headscope
