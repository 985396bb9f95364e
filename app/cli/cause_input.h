// What predict and patch share.
//
// Errors   CommandError.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/commands.h"

namespace headscope {

// Refuses bfloat16: differences as small as a head's would be lost in it.
[[nodiscard]] CommandStatus RefuseRounding(const Options& options);

// Reads the token of an option; the option's name begins the message.
[[nodiscard]] CommandResult<std::int32_t> ReadTokenOption(const Model& model,
                                                          const std::string& option,
                                                          const std::string& text);

// Which file an ending asks for.
[[nodiscard]] bool IsPicture(const Options& options);

// Writes a map of effects as a picture.
[[nodiscard]] CommandStatus WriteEffects(const Options& options, const Model& model, EffectMap map);

}  // namespace headscope
