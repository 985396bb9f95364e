#include "app/cli/options.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/home_path.h"
#include "core/base/parse_number.h"
#include "core/figure/theme.h"
#include "core/io/text_file.h"

namespace headscope {
void ExpandHomes(Options* options) {
  const auto expand = [](std::string* path) { *path = ExpandHome(*path).string(); };
  for (std::string* path : {&options->model,
                            &options->out,
                            &options->tree,
                            &options->file,
                            &options->session,
                            &options->screenshot,
                            &options->frame_log,
                            &options->preferences}) {
    expand(path);
  }
  for (ComparedOption& one : options->compared) {
    expand(&one.value);
  }
  std::ranges::for_each(options->scores, [&](std::string& path) { expand(&path); });
  std::ranges::for_each(options->runs, [&](std::string& path) { expand(&path); });
  InputOptions& input = options->input;
  for (std::optional<std::string>* path : {&options->attention,
                                           &options->train.from,
                                           &options->train.data,
                                           &options->causes.pairs,
                                           &input.text_file,
                                           &input.embeddings,
                                           &input.key_embeddings,
                                           &input.value_embeddings}) {
    if (*path) {
      expand(&**path);
    }
  }
}

tl::unexpected<CommandError> Usage(std::string message) {
  return tl::unexpected<CommandError>({{ErrorCode::kInput, std::move(message)}, true});
}

tl::unexpected<CommandError> NotYet(const std::string& what) {
  return tl::unexpected<CommandError>({{ErrorCode::kUnsupported, what + ": not yet"}, true});
}

CommandResult<std::vector<std::int64_t>> ParseNumbers(const std::string& text,
                                                      const std::string& option,
                                                      std::int64_t least,
                                                      std::int64_t most) {
  std::vector<std::int64_t> numbers;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::string_view item = rest.substr(0, comma);
    while (item.starts_with(' ')) {
      item.remove_prefix(1);
    }
    while (item.ends_with(' ')) {
      item.remove_suffix(1);
    }
    const std::optional<std::int64_t> number = ParseAs<std::int64_t>(item);
    if (!number || *number < least || *number > most) {
      return Usage(
          fmt::format("{}: \"{}\" is not a whole number from {} to {}; write them as 1,2,3",
                      option,
                      item,
                      least,
                      most));
    }
    numbers.push_back(*number);
    if (comma == std::string_view::npos) {
      return numbers;
    }
    rest.remove_prefix(comma + 1);
  }
}

CommandResult<LayerRange> ParseLayers(const std::string& text, std::int64_t layers) {
  const std::size_t dash = text.find('-');
  const std::string_view view = text;
  const auto first = ParseAs<std::int64_t>(view.substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : ParseAs<std::int64_t>(view.substr(dash + 1));
  if (!first || !last || *first < 0 || *first > *last) {
    return Usage(
        fmt::format("--layers: \"{}\" is not a layer or a range of layers such as 0-3", text));
  }
  if (*last >= layers) {
    return Fail(ErrorCode::kInput,
                fmt::format("--layers {}: the model has layers 0 to {}", text, layers - 1));
  }
  return LayerRange{*first, *last};
}

CommandResult<ModelPart> ParsePartName(const std::string& text) {
  for (const ModelPart part : {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
    if (text == PartName(part)) {
      return part;
    }
  }
  return Usage(fmt::format("--part: \"{}\" is not encoder, decoder or cross", text));
}

CommandResult<std::optional<ModelPart>> ParsePart(const std::optional<std::string>& text,
                                                  const ModelDescription& model) {
  if (!text) {
    return std::optional<ModelPart>();
  }
  HEADSCOPE_TRY(const auto part, ParsePartName(*text));
  if (!model.decoder) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("--part {}: {} models have one part only; leave it out", *text, model.family));
  }
  return std::optional(part);
}

CommandResult<ColorScale> ParseColorScale(const Options& options) {
  ColorScale scale;
  const std::optional<Curve> curve = ParseCurve(options.curve);
  if (!curve) {
    return Usage(fmt::format("--curve: \"{}\" is not linear, sqrt or log", options.curve));
  }
  const std::optional<Colormap> colormap = ParseColormap(options.colormap);
  if (!colormap || *colormap == Colormap::kDiverging) {
    return Usage(fmt::format("--colormap: \"{}\" is not viridis, cividis, blues or greys",
                             options.colormap));
  }
  scale.curve = *curve;
  scale.colormap = *colormap;
  if (!ParseRange(options.range, &scale)) {
    return Usage(fmt::format(
        "--range: \"{}\" is not row, head, layer, global or low:high with 0 <= low < high",
        options.range));
  }
  return scale;
}

CommandResult<Theme> ParseTheme(const std::string& text) {
  for (const Theme theme : {Theme::kLight, Theme::kDark, Theme::kPrint}) {
    if (text == NameOfTheme(theme)) {
      return theme;
    }
  }
  return Usage(fmt::format("--theme: \"{}\" is not light, dark or print", text));
}

bool HasInput(const InputOptions& options) {
  return options != InputOptions();
}

namespace {

CommandResult<void> ReadIds(const std::string& text,
                            const std::string& option,
                            std::vector<std::int32_t>* ids) {
  HEADSCOPE_TRY(const auto numbers,
                ParseNumbers(text, option, 0, std::numeric_limits<std::int32_t>::max()));
  for (const std::int64_t number : numbers) {
    ids->push_back(static_cast<std::int32_t>(number));
  }
  return {};
}

}  // namespace

CommandResult<InputText> ReadInput(const InputOptions& options) {
  const int given =
      static_cast<int>(options.text.has_value()) + static_cast<int>(options.text_file.has_value()) +
      static_cast<int>(options.ids.has_value()) + static_cast<int>(options.embeddings.has_value());
  if (given != 1) {
    return Usage(given == 0
                     ? "no input: give --text, --text-file, --ids or --embeddings"
                     : "more than one input: give one of --text, --text-file, --ids, --embeddings");
  }
  InputText input;
  if ((options.key_embeddings || options.value_embeddings) && !options.embeddings) {
    return Usage("--key-embeddings and --value-embeddings go with --embeddings");
  }
  if (options.embeddings) {
    if (options.embeddings->empty() || options.key_embeddings == "" ||
        options.value_embeddings == "") {
      return Usage("--embeddings: expected the name of an .npy file, found nothing");
    }
    input.embeddings = *options.embeddings;
    input.key_embeddings = options.key_embeddings.value_or("");
    input.value_embeddings = options.value_embeddings.value_or("");
  }
  if (options.pair && !options.text && !options.text_file) {
    return Usage("--pair goes with --text or --text-file");
  }
  if (options.first_tokens) {
    if (*options.first_tokens < 1) {
      return Usage(fmt::format("--first-tokens: {} is not 1 or more", *options.first_tokens));
    }
    if (options.embeddings) {
      return Usage("--first-tokens goes with --text, --text-file or --ids");
    }
    input.first_tokens = *options.first_tokens;
  }
  input.pair = options.pair;
  if (options.text) {
    input.text = *options.text;
  } else if (options.text_file) {
    HEADSCOPE_TRY(input.text, ReadTextFile(*options.text_file));
  } else if (options.ids) {
    HEADSCOPE_TRY(ReadIds(*options.ids, "--ids", &input.ids));
  }
  if (options.target && options.target_ids) {
    return Usage("more than one target: give one of --target, --target-ids");
  }
  input.target = options.target;
  if (options.target_ids) {
    HEADSCOPE_TRY(ReadIds(*options.target_ids, "--target-ids", &input.target_ids));
  }
  if (options.segment_ids) {
    if (!options.ids) {
      return Usage("--segment-ids goes with --ids");
    }
    HEADSCOPE_TRY(ReadIds(*options.segment_ids, "--segment-ids", &input.segment_ids));
  }
  return input;
}

}  // namespace headscope
