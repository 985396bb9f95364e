// Where the bundled models and samples lie, and what a person's word for a model means.
//
// Errors   none: what is not there is an empty path or list; opening it gives the sentence.
// Threads  any.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

inline constexpr const char* kDefaultModel = "english";
inline constexpr const char* kSecondModel = "gpt-h8";  // that is offered beside it

// $HEADSCOPE_ASSETS, else the nearest assets/models above the program, else share/headscope beside
// its bin. Empty: none.
[[nodiscard]] std::filesystem::path AssetsFolder();

// A path that exists (of a file of a model's folder the folder), else the name of a bundled model or
// of a checkpoint of one ("gpt-h8/step-64"), else of a model in the Hugging Face cache ("org/name"),
// else the path as given. "" is the default model.
[[nodiscard]] std::filesystem::path ResolveModel(const std::string& name);

// Folders with a config.json under assets/models, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> BundledModels();

}  // namespace headscope
