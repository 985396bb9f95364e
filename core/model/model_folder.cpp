#include "core/model/model_folder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/model_cache.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::string_view kTrainerPrefix = "checkpoint-";

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool HasSafetensorsName(const fs::path& path) {
  return path.extension() == ".safetensors";
}

bool HasPickleName(const fs::path& path) {
  constexpr std::array<std::string_view, 5> kExtensions = {".bin", ".pt", ".pth", ".pkl", ".ckpt"};
  const std::string extension = path.extension().string();
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

// torch.save writes a zip archive or, before version 1.6, a bare pickle of protocol 2.
bool StartsAsPickle(const fs::path& path) {
  std::array<char, 4> start = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const std::string_view bytes(start.data(), static_cast<std::size_t>(file.gcount()));
  return bytes.starts_with(std::string_view("PK\x03\x04", 4)) ||
         bytes.starts_with(std::string_view("\x80\x02", 2)) ||
         bytes.starts_with(std::string_view("\x80\x04", 2));
}

tl::unexpected<Error> RefusePickle(const fs::path& path) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: is a pickle, which can run any code when it is read, expected "
                          "model.safetensors; where you trust it, convert it in Python: "
                          "AutoModel.from_pretrained(folder).save_pretrained(new_folder)",
                          path.string()));
}

Error FileError(const fs::path& path) {
  if (HasPickleName(path) || StartsAsPickle(path)) {
    return RefusePickle(path).value();
  }
  return {ErrorCode::kFormat,
          fmt::format("{}: is a file, expected a GGUF file, the .safetensors state of an attention "
                      "module or a model folder with config.json and model.safetensors; open the "
                      "folder it lies in",
                      path.string())};
}

bool StartsAsGguf(const fs::path& path) {
  std::array<char, 4> start = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == "GGUF";
}

// What a folder holds that decides how its lack of something else is explained.
struct Listing {
  bool is_empty = true;
  fs::path pickle;
  std::vector<fs::path> ggufs;
};

Result<Listing> List(const fs::path& folder) {
  std::error_code error;
  Listing listing;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    listing.is_empty = false;
    const fs::path& path = entry->path();
    if (path.extension() == ".gguf") {
      listing.ggufs.push_back(path);
    } else if (path.filename() != "training_args.bin" && HasPickleName(path)) {
      listing.pickle = path;
    }
  }
  if (error) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()));
  }
  return listing;
}

// What is in `folder` in place of config.json and weights.
Result<ModelFiles> FindOther(const fs::path& folder) {
  const Result<Listing> listing = List(folder);
  HEADSCOPE_TRY(listing);
  const std::string name = folder.string();
  if (listing->is_empty) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: the folder is empty, expected config.json and model.safetensors", name));
  }
  if (listing->ggufs.size() == 1) {
    return ModelFiles{.kind = ModelFiles::Kind::kGguf,
                      .folder = folder,
                      .config = {},
                      .weights = listing->ggufs[0]};
  }
  if (listing->ggufs.size() > 1) {
    const fs::path& first = *std::ranges::min_element(listing->ggufs);
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: holds {} GGUF files, expected one; name the one to open, such as "
                            "{}",
                            name,
                            listing->ggufs.size(),
                            Quoted(first.filename().string())));
  }
  if (!IsThere(folder / kConfig)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: there is no config.json in it; expected a Hugging Face model "
                            "folder",
                            name));
  }
  if (!listing->pickle.empty()) {
    return RefusePickle(listing->pickle);
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: there is no model.safetensors in it; expected the weights next to "
                          "config.json",
                          name));
}

// Absolute, without a slash at the end.
fs::path WholePath(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (error) {
    whole = path.lexically_normal();
  }
  return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

Result<ModelFiles> FindModelFiles(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const bool is_missing = !error || error == std::errc::no_such_file_or_directory ||
                            status.type() == fs::file_type::not_found;
    if (is_missing && IsRepositoryName(path)) {
      const fs::path cache = CacheFolder();
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
    const bool is_gguf = StartsAsGguf(path);
    if (!is_gguf && !HasSafetensorsName(path)) {
      return PassOn(FileError(path));
    }
    return ModelFiles{.kind = is_gguf ? ModelFiles::Kind::kGguf : ModelFiles::Kind::kModule,
                      .folder = path.parent_path(),
                      .config = {},
                      .weights = path};
  }
  const fs::path folder = CurrentSnapshot(WholePath(path)).value_or(path);
  if (IsThere(folder / kConfig)) {
    for (const auto& [kind, weights] : {std::pair(ModelFiles::Kind::kFolder, kWeights),
                                        std::pair(ModelFiles::Kind::kShards, kIndex)}) {
      if (IsThere(folder / weights)) {
        return ModelFiles{.kind = kind,
                          .folder = folder,
                          .config = folder / kConfig,
                          .weights = folder / weights};
      }
    }
  }
  return FindOther(folder);
}

std::optional<std::int64_t> StepOfCheckpoint(std::string_view folder_name) {
  for (const std::string_view prefix : {kCheckpointPrefix, kTrainerPrefix}) {
    if (folder_name.starts_with(prefix)) {
      const std::string_view digits = folder_name.substr(prefix.size());
      std::int64_t step = 0;
      const auto [end, error] = std::from_chars(digits.begin(), digits.end(), step);
      const bool is_step = error == std::errc() && end == digits.end() && step >= 0;
      return is_step ? std::optional(step) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::string ModelName(const fs::path& path) {
  const fs::path whole = WholePath(path);
  for (fs::path at = whole; at.has_filename(); at = at.parent_path()) {
    if (const auto repository = RepositoryName(at)) {
      return whole.extension() == ".gguf" ? *repository + "/" + whole.stem().string() : *repository;
    }
  }
  // Attention that somebody saved is called as files are, too.
  if (whole.extension() == ".gguf" || HasSafetensorsName(whole) || whole.extension() == ".npz" ||
      whole.extension() == ".npy") {
    return whole.stem().string();
  }
  if (whole.filename() == "hf" && whole.parent_path().has_filename()) {
    return whole.parent_path().filename().string();
  }
  const std::string name = whole.filename().string();
  const bool is_checkpoint = StepOfCheckpoint(name) && whole.parent_path().has_filename();
  return is_checkpoint ? whole.parent_path().filename().string() + "/" + name : name;
}

}  // namespace headscope
