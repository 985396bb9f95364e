#include "core/model/model_folder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/base/parse_number.h"
#include "core/io/gguf_parts.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"
#include "core/model/adapter.h"
#include "core/model/attention_module.h"
#include "core/model/config.h"
#include "core/model/foreign_kind.h"
#include "core/model/model_cache.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kTorchWeights = "pytorch_model.bin";
constexpr const char* kTorchIndex = "pytorch_model.bin.index.json";
constexpr const char* kLensConfig = "cfg.json";
constexpr std::string_view kTrainerPrefix = "checkpoint-";

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool HasSafetensorsName(const fs::path& path) {
  return path.extension() == ".safetensors";
}

// Whether torch.save wrote it, since it writes zips.
bool IsTorch(const fs::path& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  return file && IsTorchFile(file->bytes());
}

// The folder's settings: config.json, or cfg.json as TransformerLens' users keep them; empty if it
// has none.
fs::path ConfigIn(const fs::path& folder) {
  for (const char* name : {kConfig, kLensConfig}) {
    if (IsThere(folder / name)) {
      return folder / name;
    }
  }
  return {};
}

// Whether it is a checkpoint of nanoGPT, which holds its settings.
bool HoldsSettings(const fs::path& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file || !IsTorchFile(file->bytes())) {
    return false;
  }
  const auto settings = TorchSettings(file->bytes(), path.string(), kCheckpointSettings);
  return settings && settings->has_value();
}

// Whether it is a name like "model-00001-of-00003.safetensors".
bool IsShardName(const fs::path& path) {
  return HasSafetensorsName(path) && PartOfName(path.stem().string()).has_value();
}

// Whether a .safetensors file is the state of a torch.nn.MultiheadAttention.
bool HoldsAttentionModule(const fs::path& path) {
  const Result<WeightStore> file = WeightStore::OpenSafetensors(path);
  return file && ModuleWidth(file->tensors()).has_value();
}

Error FileError(const fs::path& path) {
  if (auto foreign = ForeignFile(path)) {
    return std::move(*foreign);
  }
  return {ErrorCode::kFormat,
          fmt::format("{}: is a file, expected a GGUF file, the .safetensors state of an attention "
                      "module or a model folder with config.json and model.safetensors; open the "
                      "folder it lies in",
                      path.string())};
}

// Returns "llama" for "llama-00001-of-00003.gguf".
std::string NameOfWhole(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto part = PartOfName(stem);
  return part ? std::string(part->name) : stem;
}

bool StartsAsGguf(const fs::path& path) {
  std::array<char, 4> start = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "GGUF";
}

// The content of a folder that decides how to explain what it lacks.
struct Listing {
  bool is_empty = true;
  std::vector<fs::path> ggufs;
  std::vector<fs::path> safetensors;
  fs::path broken;  // a symbolic link to nothing
};

Result<Listing> List(const fs::path& folder) {
  std::error_code error;
  Listing listing;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    listing.is_empty = false;
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (entry->is_symlink(ignored) && !IsThere(path)) {
      listing.broken = path;
    } else if (path.extension() == ".gguf") {
      listing.ggufs.push_back(path);
    } else if (HasSafetensorsName(path)) {
      listing.safetensors.push_back(path);
    }
  }
  if (error) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()));
  }
  std::ranges::sort(listing.ggufs);
  std::ranges::sort(listing.safetensors);
  return listing;
}

// Finds the model's own GGUF file in a folder: an image encoder may lie next to it, and the first
// of several parts stands for all.
Result<ModelFiles> FindGguf(const fs::path& folder, std::vector<fs::path> ggufs) {
  std::set<fs::path> models;
  for (const fs::path& path : ggufs) {
    models.insert(FirstGgufPart(path));
  }
  if (models.size() > 1) {
    std::erase_if(models, [](const fs::path& path) { return IsGgufBesideModel(path); });
  }
  if (models.size() != 1) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: holds {} GGUF files, expected one model; name the one to open, such as {}",
                    folder.string(),
                    ggufs.size(),
                    (models.empty() ? ggufs.front() : *models.begin()).string()));
  }
  return ModelFiles{.kind = ModelFiles::Kind::kGguf,
                    .path = folder,
                    .folder = folder,
                    .config = {},
                    .weights = *models.begin()};
}

// Explains why a model of another kind does not open, whatever its weights are stored as.
std::optional<Error> WhyConfigDoesNotOpen(const fs::path& config) {
  const Result<MappedFile> file = IsThere(config) ? MappedFile::Open(config) : MappedFile();
  if (!file || file->bytes().empty()) {
    return std::nullopt;
  }
  auto described = ParseConfig(
      {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, config.string());
  return !described && described.error().code == ErrorCode::kUnsupported
             ? std::optional(std::move(described.error()))
             : std::nullopt;
}

// Finds what `folder` has instead of config.json and weights.
Result<ModelFiles> FindOther(const fs::path& folder) {
  HEADSCOPE_TRY(auto listing, List(folder));
  const std::string name = folder.string();
  if (listing.is_empty) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: the folder is empty, expected config.json and model.safetensors", name));
  }
  if (!listing.ggufs.empty()) {
    return FindGguf(folder, std::move(listing.ggufs));
  }
  if (auto unsupported = WhyConfigDoesNotOpen(folder / kConfig)) {
    return PassOn(std::move(*unsupported));
  }
  if (auto foreign = ForeignFolder(folder)) {
    return PassOn(std::move(*foreign));
  }
  if (!listing.broken.empty()) {
    std::error_code ignored;
    return Fail(ErrorCode::kIo,
                fmt::format("{}: is a link to {}, which is not there; fetch the model again",
                            listing.broken.string(),
                            fs::read_symlink(listing.broken, ignored).string()));
  }
  if (!IsThere(folder / kConfig)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: there is no config.json in it; expected a Hugging Face model "
                            "folder",
                            name));
  }
  if (!listing.safetensors.empty()) {
    const std::string found = listing.safetensors.front().string();
    return Fail(
        ErrorCode::kFormat,
        IsShardName(found)
            ? fmt::format("{}: there is no {} in it, which says what lies in which shard, such as "
                          "{}; fetch it from where the shards came from",
                          name,
                          kIndex,
                          found)
            : fmt::format("{}: there is no model.safetensors in it, but {}; where these are the "
                          "weights, name that file",
                          name,
                          found));
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: there is no model.safetensors in it; expected the weights next to "
                          "config.json",
                          name));
}

// Whether torch.save wrote it, and not as a part of a training's state.
bool IsTorchWeights(const fs::path& path) {
  const std::string ending = path.extension().string();
  const std::string name = path.filename().string();
  constexpr std::array<std::string_view, 4> kOthers = {
      "optimizer.", "scheduler.", "scaler.", "rng_state"};
  return (ending == ".pth" || ending == ".pt" || ending == ".ckpt") &&
         std::ranges::none_of(kOthers, [&](auto start) { return name.starts_with(start); }) &&
         !ForeignName(path) && IsTorch(path);
}

// Returns the weights that lie in a folder under a name of their own: the only file of them, or the
// one that ends a training ("model_final.pth", nanoGPT's ckpt.pt). Empty: there are none, or several.
fs::path OwnWeights(const fs::path& folder, bool (*is_weights)(const fs::path&)) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_weights(entry->path())) {
      found.push_back(entry->path());
    }
  }
  if (found.size() > 1) {
    std::erase_if(found, [](const fs::path& path) {
      const std::string stem = path.stem().string();
      return !stem.ends_with("final") && stem != "ckpt";
    });
  }
  return found.size() == 1 ? found.front() : fs::path();
}

// Makes a path absolute, without a slash at the end.
fs::path WholePath(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (error) {
    whole = path.lexically_normal();
  }
  return whole.has_filename() ? whole : whole.parent_path();
}

// Opens a file that is a model, or weights next to their config.json.
Result<ModelFiles> FindInFile(const fs::path& path) {
  ModelFiles files{.kind = ModelFiles::Kind::kGguf,
                   .path = path,
                   .folder = path.parent_path(),
                   .config = {},
                   .weights = path};
  if (StartsAsGguf(path)) {
    files.path = FirstGgufPart(path);
    return files;
  }
  if (!HasSafetensorsName(path) && !IsTorch(path)) {
    return PassOn(FileError(path));
  }
  if (auto foreign = ForeignName(path)) {
    return PassOn(std::move(*foreign));
  }
  const fs::path config = ConfigIn(path.parent_path());
  if (HoldsSettings(path)) {
    files.kind = ModelFiles::Kind::kCheckpoint;
    return files;
  }
  if (!config.empty() && !HoldsAttentionModule(path)) {
    files.kind = ModelFiles::Kind::kFolder;
    files.config = config;
    return files;
  }
  if (!HasSafetensorsName(path)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: holds weights alone, expected the config.json of their model "
                            "beside them (of a HookedTransformer, its cfg.to_dict() as cfg.json)",
                            path.string()));
  }
  files.kind = ModelFiles::Kind::kModule;
  return files;
}

enum class Adapters { kAreOpened, kAreRefused };

// Finds the files of a path; an adapter's base must not be one itself.
Result<ModelFiles> Find(const fs::path& path, Adapters adapters) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const bool is_missing = !error || error == std::errc::no_such_file_or_directory ||
                            status.type() == fs::file_type::not_found;
    if (is_missing && IsRepositoryName(path)) {
      const fs::path cache = CacheFolder();
      if (auto snapshots = RefuseSnapshots(RepositoryFolder(cache, path.string()))) {
        return PassOn(std::move(*snapshots));
      }
      return Fail(ErrorCode::kIo,
                  fmt::format("{}: no such folder here, and no model of this name in the Hugging "
                              "Face cache{}. Nothing is downloaded: fetch it with `hf download "
                              "{}`, or give the path of a model folder or of a GGUF file",
                              path.string(),
                              cache.empty() ? "" : fmt::format(" ({})", cache.string()),
                              path.string()));
    }
    return Fail(ErrorCode::kIo,
                fmt::format("{}: {}, expected a model folder with config.json and "
                            "model.safetensors, or a GGUF file",
                            path.string(),
                            is_missing ? "no such folder" : error.message()));
  }
  if (!fs::is_directory(status)) {
    if (IsAdapterFile(path)) {
      return Find(path.has_parent_path() ? path.parent_path() : fs::path("."), adapters);
    }
    const fs::path folder = FolderOfModelFile(path);
    return folder.empty() ? FindInFile(path) : Find(folder, adapters);
  }
  if (auto snapshots = RefuseSnapshots(WholePath(path))) {
    return PassOn(std::move(*snapshots));
  }
  const fs::path folder = CurrentSnapshot(WholePath(path)).value_or(path);
  if (const fs::path config = ConfigIn(folder); !config.empty()) {
    for (const auto& [kind, weights] : {std::pair(ModelFiles::Kind::kFolder, kWeights),
                                        std::pair(ModelFiles::Kind::kShards, kIndex),
                                        std::pair(ModelFiles::Kind::kFolder, kTorchWeights),
                                        std::pair(ModelFiles::Kind::kShards, kTorchIndex)}) {
      if (IsThere(folder / weights) && (weights != kTorchWeights || IsTorch(folder / weights))) {
        return ModelFiles{.kind = kind,
                          .path = path,
                          .folder = folder,
                          .config = config,
                          .weights = folder / weights};
      }
    }
    fs::path own = OwnWeights(folder, &IsTorchWeights);
    if (own.empty() && config.filename() == kLensConfig) {
      own = OwnWeights(folder, &HasSafetensorsName);
    }
    if (!own.empty() && !IsAdapter(folder)) {
      return ModelFiles{.kind = ModelFiles::Kind::kFolder,
                        .path = path,
                        .folder = folder,
                        .config = config,
                        .weights = own};
    }
  } else if (const fs::path own = OwnWeights(folder, &IsTorchWeights);
             !own.empty() && HoldsSettings(own)) {
    return ModelFiles{.kind = ModelFiles::Kind::kCheckpoint,
                      .path = path,
                      .folder = folder,
                      .config = {},
                      .weights = own};
  }
  if (IsAdapter(folder)) {
    if (adapters == Adapters::kAreRefused) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: is a LoRA adapter, expected a whole model as the base of another",
                      path.string()));
    }
    HEADSCOPE_TRY(const auto base, FindAdapterBase(folder));
    HEADSCOPE_TRY(auto files, Find(base, Adapters::kAreRefused));
    HEADSCOPE_TRY(CheckTakesAdapter(files, folder));
    files.path = path;
    files.adapter = folder;
    return files;
  }
  Result<ModelFiles> other = FindOther(folder);
  if (other) {
    other->path = path;
  }
  return other;
}

}  // namespace

fs::path FolderOfModelFile(const fs::path& path) {
  // "model.safetensors", "model-00001-of-00002.safetensors" and the files next to them.
  constexpr std::array<std::string_view, 19> kFiles = {"config.json",
                                                       kLensConfig,
                                                       kWeights,
                                                       kIndex,
                                                       kTorchIndex,
                                                       "tokenizer.json",
                                                       "tokenizer_config.json",
                                                       "special_tokens_map.json",
                                                       "added_tokens.json",
                                                       "generation_config.json",
                                                       "vocab.json",
                                                       "vocab.txt",
                                                       "bpe.codes",
                                                       "merges.txt",
                                                       "tokenizer.model",
                                                       "spiece.model",
                                                       "sentencepiece.bpe.model",
                                                       "source.spm",
                                                       "target.spm"};
  const std::string name = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const bool is_own = std::ranges::find(kFiles, name) != kFiles.end() ||
                      (IsShardName(name) && IsThere(folder / kIndex));
  const bool is_model = name == kConfig || name == kLensConfig || !ConfigIn(folder).empty();
  return is_own && is_model && IsThere(path) ? folder : fs::path();
}

Result<ModelFiles> FindModelFiles(const fs::path& path) {
  return Find(path, Adapters::kAreOpened);
}

std::optional<std::int64_t> StepOfCheckpoint(std::string_view folder_name) {
  for (const std::string_view prefix : {kCheckpointPrefix, kTrainerPrefix}) {
    if (folder_name.starts_with(prefix)) {
      const auto step = ParseAs<std::int64_t>(folder_name.substr(prefix.size()));
      return step >= 0 ? step : std::nullopt;
    }
  }
  return std::nullopt;
}

std::string ModelName(const fs::path& path) {
  const fs::path whole = WholePath(path);
  for (fs::path at = whole; at.has_filename(); at = at.parent_path()) {
    if (const auto repository = RepositoryName(at)) {
      return whole.extension() == ".gguf" ? *repository + "/" + NameOfWhole(whole) : *repository;
    }
  }
  // Files of attention have such names, too.
  if (whole.extension() == ".gguf" || HasSafetensorsName(whole) || whole.extension() == ".npz" ||
      whole.extension() == ".npy") {
    return NameOfWhole(whole);
  }
  if (whole.filename() == "hf" && whole.parent_path().has_filename()) {
    return whole.parent_path().filename().string();
  }
  const std::string name = whole.filename().string();
  const bool is_checkpoint = StepOfCheckpoint(name) && whole.parent_path().has_filename();
  return is_checkpoint ? whole.parent_path().filename().string() + "/" + name : name;
}

}  // namespace headscope
