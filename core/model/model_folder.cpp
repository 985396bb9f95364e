#include "core/model/model_folder.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
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

tl::unexpected<Error> RefuseGguf(const fs::path& path) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: GGUF files do not open yet; open a folder with config.json and "
                          "model.safetensors",
                          path.string()));
}

Error FileError(const fs::path& path) {
  if (path.extension() == ".gguf") {
    return RefuseGguf(path).value();
  }
  if (HasPickleName(path) || StartsAsPickle(path)) {
    return RefusePickle(path).value();
  }
  return {ErrorCode::kFormat,
          fmt::format("{}: is a file, expected a model folder with config.json and "
                      "model.safetensors; open the folder it lies in",
                      path.string())};
}

// What a folder holds that decides how its lack of something else is explained.
struct Listing {
  bool is_empty = true;
  fs::path pickle;
  fs::path gguf;
};

Result<Listing> List(const fs::path& folder) {
  std::error_code error;
  Listing listing;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    listing.is_empty = false;
    const fs::path& path = entry->path();
    if (path.extension() == ".gguf") {
      listing.gguf = path;
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

}  // namespace

Result<ModelFiles> FindModelFiles(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) {
    const bool is_missing = !error || error == std::errc::no_such_file_or_directory ||
                            status.type() == fs::file_type::not_found;
    return Fail(ErrorCode::kIo,
                fmt::format("{}: {}, expected a model folder with config.json and "
                            "model.safetensors",
                            folder.string(),
                            is_missing ? "no such folder" : error.message()));
  }
  if (!fs::is_directory(status)) {
    return PassOn(FileError(folder));
  }
  if (IsThere(folder / kConfig)) {
    if (IsThere(folder / kWeights)) {
      return ModelFiles{.config = folder / kConfig, .weights = folder / kWeights};
    }
    if (IsThere(folder / kIndex)) {
      return ModelFiles{.config = folder / kConfig, .weights = folder / kIndex, .is_sharded = true};
    }
  }
  const Result<Listing> listing = List(folder);
  if (!listing) {
    return PassOn(listing.error());
  }
  if (listing->is_empty) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the folder is empty, expected config.json and model.safetensors",
                            folder.string()));
  }
  if (!listing->gguf.empty()) {
    return RefuseGguf(listing->gguf);
  }
  if (!IsThere(folder / kConfig)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: there is no config.json in it; expected a Hugging Face model "
                            "folder",
                            folder.string()));
  }
  if (!listing->pickle.empty()) {
    return RefusePickle(listing->pickle);
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: there is no model.safetensors in it; expected the weights next to "
                          "config.json",
                          folder.string()));
}

std::string ModelName(const fs::path& folder) {
  std::error_code error;
  fs::path path = fs::absolute(folder, error).lexically_normal();
  if (error) {
    path = folder.lexically_normal();
  }
  if (!path.has_filename()) {
    path = path.parent_path();  // a slash at the end
  }
  if (path.filename() == "hf" && path.parent_path().has_filename()) {
    path = path.parent_path();
  }
  return path.filename().string();
}

}  // namespace headscope
