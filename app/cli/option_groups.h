// Options that several commands share, each with its line of help.
//
// Threads  the main thread, before anything else runs.
#pragma once

#include <initializer_list>
#include <string>

#include "app/cli/options.h"
#include "core/figure/figure_kind.h"

namespace CLI {
class App;
}

namespace headscope {

void AddModel(CLI::App* app, Options* options);
void AddPrecision(CLI::App* app, Options* options);
void AddTheme(CLI::App* app, Options* options, const char* words);  // "of the picture"
void AddSeed(CLI::App* app, Options* options, const char* words);
void AddInput(CLI::App* app, InputOptions* input);
void AddPart(CLI::App* app, Options* options);
void AddOut(CLI::App* app, Options* options, const std::string& endings);
// --size, --width, --preset, --font-size, and what a picture is without.
void AddSize(CLI::App* app, Options* options);
// --view with the views of the available figures.
void AddView(CLI::App* app, Options* options, std::initializer_list<FigureOf> subjects);
void AddAttention(CLI::App* app, Options* options);
void AddColours(CLI::App* app, Options* options);
void AddScores(CLI::App* app, Options* options);
// --theme, --colormap and --size of a picture of what heads do.
void AddEffectPicture(CLI::App* app, Options* options);
void AddPredict(CLI::App* app, Options* options);
void AddPatch(CLI::App* app, Options* options);

}  // namespace headscope
