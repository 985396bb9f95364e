#include "app/window/library.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/files/assets.h"
#include "app/files/file_list.h"
#include "app/files/user_folders.h"
#include "app/views/screens.h"
#include "core/attention/attention_file.h"
#include "core/base/atomic_file.h"
#include "core/base/home_path.h"
#include "core/base/mapped_file.h"
#include "core/heads/flags/file.h"
#include "core/io/annotated_text.h"
#include "core/io/json.h"
#include "core/io/npy.h"
#include "core/io/text_file.h"
#include "core/model/model_cache.h"
#include "core/model/model_folder.h"
#include "core/model/model_series.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSampleListBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostTextBytes = std::uint64_t{16} << 20U;  // the capacity of a text field
constexpr std::size_t kMostRecent = 12;
constexpr std::size_t kMostCached = 500;

fs::path RecentFile() {
  const fs::path folder = StateFolder();
  return folder.empty() ? folder : folder / "recent";
}

std::vector<ModelChoice> ReadCached() {
  std::vector<ModelChoice> models;
  for (const CachedModel& model : ListCachedModels(CacheFolder())) {
    // The list shows what could open; a repository without weights could not.
    if (model.bytes > 0 && models.size() < kMostCached) {
      models.push_back({model.name, model.folder});
    }
  }
  return models;
}

std::string TextOr(const JsonObject& object, std::string_view key) {
  auto text = object.String(key, std::string());
  return text ? *text : std::string();
}

std::vector<Sample> ReadSamples(const fs::path& folder) {
  std::vector<Sample> samples;
  const auto document = JsonDocument::Read(folder / "samples.json", kMostSampleListBytes);
  if (!document) {
    return samples;
  }
  const auto root = JsonObject::Root(*document);
  if (!root) {
    return samples;
  }
  const auto list = root->Array("samples");
  if (!list || !*list) {
    return samples;
  }
  const std::string first = TextOr(*root, "default");
  for (const JsonValue entry : **list) {
    const std::optional<JsonObject> fields = JsonObject::Of(entry, "samples.json");
    if (!fields) {
      continue;
    }
    const JsonObject& object = *fields;
    const fs::path file = fs::path(TextOr(object, "file")).filename();
    const Result<std::string> text = ReadTextFile(folder / file);
    if (file.empty() || !text) {
      continue;
    }
    const auto query = object.Integer("query", 0, 1 << 20);
    Sample sample{.title = TextOr(object, "title"),
                  .text = *text,
                  .about = TextOr(object, "shows"),
                  .model = TextOr(object, "model"),
                  .head = ParseHeadName(TextOr(object, "head")),
                  .query = query ? std::optional(*query) : std::nullopt,
                  .only_model = object.Boolean("only_model", false).value_or(false),
                  .pair = std::nullopt,
                  .of_model = TextOr(object, "in_model")};
    const fs::path pair_file = fs::path(TextOr(object, "pair_file")).filename();
    if (const auto pair = ReadTextFile(folder / pair_file); !pair_file.empty() && pair) {
      sample.pair = *pair;
    }
    const bool is_first = TextOr(object, "id") == first;
    samples.insert(is_first ? samples.begin() : samples.end(), std::move(sample));
  }
  return samples;
}

std::vector<ModelChoice> ReadRecent() {
  std::vector<ModelChoice> models;
  std::ifstream file(RecentFile());
  for (std::string line; std::getline(file, line) && models.size() < kMostRecent;) {
    std::error_code error;
    if (!line.empty() && fs::exists(line, error)) {
      models.push_back({ModelName(line), line});
    }
  }
  return models;
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// True if a .npy file holds rows, as embeddings do, and not maps.
bool HoldsRows(const fs::path& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) {
    return false;
  }
  const Result<NpyArray> array = ParseNpyArray(file->bytes(), path.string());
  return array && array->shape.size() == 2;
}

// A text of several lines, or in WinoBias format, can also be a probe; a single line is a sentence.
std::optional<OfferProbe> OfferFor(const fs::path& path, std::string_view text) {
  std::int64_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += text.substr(at, end - at).find_first_not_of(" \t\r") != text.npos ? 1 : 0;
    at = end + 1;
  }
  OfferProbe offer{path, lines, HasMentionsInBrackets(text)};
  const bool is_probe =
      Lowered(path.extension().string()) == ".txt" && (lines > 1 || offer.has_mentions);
  return is_probe ? std::optional(std::move(offer)) : std::nullopt;
}

}  // namespace

LibraryFound FindLibrary() {
  LibraryFound library;
  for (const fs::path& folder : BundledModels()) {
    library.bundled.push_back({ModelName(folder), folder, {}, CheckpointSteps(folder)});
  }
  const fs::path assets = AssetsFolder();
  if (!assets.empty()) {
    library.samples = ReadSamples(assets / "samples");
  }
  library.cached = ReadCached();
  library.recent = ReadRecent();
  const fs::path data = DataFolder();
  library.sessions_folder = data.empty() ? data : data / "sessions";
  std::error_code error;
  library.exports_folder = fs::current_path(error);
  library.home = ExpandHome("~");
  library.probes = AssetsFolder() / "probes";
  const fs::path cache = OwnCacheFolder();
  library.scans = cache.empty() ? cache : cache / "scans";
  return library;
}

void RememberRecentModel(const fs::path& folder) {
  const fs::path file = RecentFile();
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error);
  const std::string line = whole.string();
  if (file.empty() || error || line.find('\n') != std::string::npos) {
    return;
  }
  std::string text = line + "\n";
  for (const ModelChoice& other : ReadRecent()) {
    if (other.folder != whole) {
      text += other.folder.string() + "\n";
    }
  }
  fs::create_directories(file.parent_path(), error);
  if (!error) {
    // Failing to store the list is no reason to disturb the user.
    static_cast<void>(WriteFileAtomically(file, text));
  }
}

fs::path PathOfTyped(const std::string& typed) {
  const std::size_t first = std::min(typed.find_first_not_of(" \t"), typed.size());
  const std::string text = typed.substr(first, typed.find_last_not_of(" \t") + 1 - first);
  const fs::path path = ExpandHome(text);
  return Exists(path) ? path : ResolveModel(path.string());
}

Action ActionForDrop(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return OpenFolder{path};
  }
  const std::string ending = Lowered(path.extension().string());
  if (ending == ".npy" && HoldsRows(path)) {
    InputText input;
    input.embeddings = path;
    return SetInput{std::move(input)};
  }
  if (const fs::path folder = FolderOfModelFile(path); !folder.empty() && !HoldsAttention(path)) {
    return OpenFolder{folder};
  }
  if (constexpr std::array<std::string_view, 3> kNoSessions = {"adapter_config.json",
                                                               "model_index.json",
                                                               "params.json"};
      std::ranges::find(kNoSessions, path.filename().string()) != kNoSessions.end()) {
    return OpenFolder{path};
  }
  if ((ending == ".json" || ending == ".csv") && LooksLikeFlagFile(path)) {
    return ImportFlags{path};
  }
  if (ending == ".json") {
    return OpenSession{path};
  }
  if (ending == ".txt" || ending == ".text" || ending == ".md") {
    Result<std::string> text = ReadTextFile(path, kMostTextBytes);
    if (!text) {
      return ReportError{ErrorPlace::kText, std::move(text.error().message)};
    }
    return SetInput{InputText{.text = std::move(*text), .pair = {}, .ids = {}}};
  }
  if (ending == ".conllu") {
    // What cannot be read is told where its scores would be.
    if (Result<AnnotatedText> text = ReadAnnotatedText(path)) {
      return OpenTreebank{std::make_shared<const Treebank>(Treebank{path, std::move(*text)}),
                          &ScreenNamed("inspect").kind,
                          &ScreenNamed("heads").kind};
    }
  }
  constexpr std::array<std::string_view, 4> kProbes = {".conllu", ".tsv", ".ids", ".dev"};
  if (std::ranges::find(kProbes, std::string_view(ending)) != kProbes.end()) {
    return DropProbe{path, &ScreenNamed("heads").kind};
  }
  return OpenFolder{path};  // the core says what it is and what to do
}

std::vector<Action> ActionsForDrops(std::span<const fs::path> paths) {
  std::vector<Action> actions;
  const auto opens = [](const Action& action, const fs::path& folder) {
    const auto* open = action.As<OpenFolder>();
    return open != nullptr && open->folder == folder;
  };
  for (const fs::path& path : paths) {
    Action action = ActionForDrop(path);
    const auto* open = action.As<OpenFolder>();
    const bool again = open != nullptr && std::ranges::any_of(actions, [&](const Action& other) {
                         return opens(other, open->folder);
                       });
    if (again) {
      continue;
    }
    std::optional<OfferProbe> offer;
    if (const auto* const input = action.As<SetInput>()) {
      offer = OfferFor(path, input->input.text);
    }
    actions.push_back(std::move(action));
    if (offer) {
      actions.push_back(std::move(*offer));
    }
  }
  return actions;
}

}  // namespace headscope
