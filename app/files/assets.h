// Finds the bundled models and samples, and resolves the name that the user gives for a model.
//
// Errors   none: what is missing is an empty path or list; opening it gives the error message.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

inline constexpr const char* kDefaultModel = "english";
inline constexpr const char* kSecondModel = "gpt-h8";  // offered next to it

// Returns $HEADSCOPE_ASSETS, otherwise share/headscope/assets next to the program's bin, otherwise
// the nearest assets with models above the program. Empty: none.
[[nodiscard]] std::filesystem::path AssetsFolder();

// Resolves an existing path (a file in a model's folder gives the folder), otherwise the name of a
// bundled model or of one of its checkpoints ("gpt-h8/step-64"), otherwise a model in the Hugging
// Face cache ("org/name", or its address on the Hub), otherwise the path or name as given. "" is the default model.
[[nodiscard]] std::filesystem::path ResolveModel(const std::string& name);

// Folders with a config.json under assets/models, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> BundledModels();

}  // namespace headscope
