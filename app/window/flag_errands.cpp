#include "app/window/flag_errands.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/assets.h"
#include "core/heads/flags/session_merge.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/methods.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSessions = 100;
constexpr std::size_t kMostText = 400;  // bytes of a session's text

// "2026-11-23 14:05", by the machine's clock.
std::string Minute(std::time_t time) {
  std::tm local{};
  if (localtime_r(&time, &local) == nullptr) {
    return "";
  }
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}",
                     local.tm_year + 1900,
                     local.tm_mon + 1,
                     local.tm_mday,
                     local.tm_hour,
                     local.tm_min);
}

Result<bool> Written(const Status& status) {
  if (!status) {
    return PassOn(status.error());
  }
  return true;
}

// False: ask the user.
Result<bool> MayWrite(const fs::path& path, bool is_there, bool is_ours, bool overwrite) {
  if (!is_there) {
    return true;
  }
  if (!is_ours) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is there and is another kind of file, so it is not overwritten; "
                            "choose another name",
                            path.string()));
  }
  return overwrite;
}

}  // namespace

Action ReadSessionFor(const std::filesystem::path& session) {
  std::error_code error;
  if (!std::filesystem::exists(session, error) && !error) {
    return SessionLoaded{session, std::optional<SessionFile>()};
  }
  auto read = LoadSession(session);
  if (!read) {
    return SessionLoaded{session, PassOn(std::move(read.error()))};
  }
  return SessionLoaded{session, std::optional(std::move(*read))};
}

Action WriteSessionFor(const StoreSession& store) {
  std::error_code error;
  if (store.path.has_parent_path()) {
    std::filesystem::create_directories(store.path.parent_path(), error);
  }
  Result<UpdatedSession> updated = UpdateSession(store.path, store.known, store.session);
  if (!updated) {
    return SessionStored{store.path, store.session, PassOn(std::move(updated.error()))};
  }
  return SessionStored{
      store.path, store.session, std::move(updated->session), std::move(updated->conflicts)};
}

Action SaveSessionFor(const SaveSessionFile& save) {
  std::error_code error;
  if (save.path.has_parent_path()) {
    fs::create_directories(save.path.parent_path(), error);
  }
  const bool is_there = fs::exists(save.path, error);
  Result<bool> written =
      MayWrite(save.path, is_there, !is_there || LoadSession(save.path), save.overwrite);
  if (written && *written) {
    written = Written(SaveSession(save.path, save.session));
  }
  return SessionSaved{.path = save.path, .session = save.session, .written = std::move(written)};
}

Action ListSessionsIn(const fs::path& folder) {
  std::vector<std::pair<std::time_t, fs::path>> files;
  std::error_code error;
  for (auto file = fs::directory_iterator(folder, error); !error && file != fs::end(file);
       file.increment(error)) {
    struct stat about {};
    if (file->path().extension() == ".json" && stat(file->path().c_str(), &about) == 0 &&
        S_ISREG(about.st_mode)) {
      files.emplace_back(about.st_mtime, file->path());
    }
  }
  std::ranges::sort(files, std::greater<>());
  SessionList list{.is_read = true};
  if (files.size() > kMostSessions) {
    list.left_out = static_cast<std::int64_t>(files.size() - kMostSessions);
    files.resize(kMostSessions);
  }
  for (const auto& [time, path] : files) {
    SessionEntry& entry =
        list.entries.emplace_back(SessionEntry{.path = path, .day = Minute(time)});
    const Result<SessionFile> session = LoadSession(path);
    if (!session) {
      entry.fault = session.error().message;
      continue;
    }
    entry.model = session->model_name;
    entry.text = session->text.substr(0, kMostText);
    entry.flags = session->flags.size();
    entry.has_view = !session->view_json.empty();
  }
  return SessionsListed{std::move(list)};
}

Action ReadFlagsFor(const ReadFlags& asked) {
  return FlagFileRead{.path = asked.path, .use = asked.use, .file = ReadFlagFile(asked.path)};
}

Action WriteFlagsFor(const WriteFlags& asked) {
  std::error_code error;
  const bool is_there = fs::exists(asked.path, error);
  Result<bool> written =
      MayWrite(asked.path, is_there, LooksLikeFlagFile(asked.path), asked.overwrite);
  if (written && *written) {
    written = Written(WriteFlagFile(asked.path, asked.file));
  }
  return FlagsExported{.file = asked.file, .path = asked.path, .written = std::move(written)};
}

Action WriteScanFor(const WriteScan& asked) {
  const ScanFiles files = ScanFilesAt(asked.path);
  const ScanFilesThere there = LookForScanFiles(files);
  Result<bool> written = MayWrite(
      files.text, there != ScanFilesThere::kNone, there == ScanFilesThere::kOurs, asked.overwrite);
  std::string done = files.text.string();
  if (written && *written) {
    const Result<std::vector<fs::path>> paths = WriteScanFiles(
        files, *asked.report, {.model = asked.model, .probes = AssetsFolder() / "probes"});
    written = paths ? Result<bool>(true) : Result<bool>(PassOn(paths.error()));
    for (std::size_t i = 1; paths && i < paths->size(); ++i) {
      done += fmt::format(", {}", (*paths)[i].filename().string());
    }
  }
  return ScanSaved{.done = std::move(done), .written = std::move(written)};
}

std::string AccountName() {
  std::array<char, 4096> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(getuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) {
    return "";
  }
  const std::string full = entry.pw_gecos != nullptr ? entry.pw_gecos : "";
  const std::string name = full.substr(0, full.find(','));  // room and telephone numbers follow
  return !name.empty() || entry.pw_name == nullptr ? name : entry.pw_name;
}

std::string Today() {
  return Minute(std::time(nullptr)).substr(0, 10);
}

}  // namespace headscope
