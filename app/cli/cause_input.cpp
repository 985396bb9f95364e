#include "app/cli/cause_input.h"

#include <utility>

#include <fmt/format.h>

#include "core/causes/token_names.h"
#include "core/figure/figure_format.h"
#include "core/model/head_widths.h"

namespace headscope {

CommandStatus RefuseRounding(const Options& options) {
  if (options.precision == "bf16") {
    return Usage("--precision bf16: what single heads do is lost in its rounding; leave it out");
  }
  return {};
}

CommandResult<std::int32_t> ReadTokenOption(const Model& model,
                                            const std::string& option,
                                            const std::string& text) {
  auto id = ReadToken(model, text);
  if (!id) {
    id.error().message = fmt::format("{}: {}", option, id.error().message);
    return PassOn(std::move(id.error()));
  }
  return *id;
}

bool IsPicture(const Options& options) {
  return FormatOf(options.out) != nullptr;
}

CommandStatus WriteEffects(const Options& options, const Model& model, EffectMap map) {
  const FigureKind* kind =
      FindFigureKind(FigureOf::kEffects, map.columns.empty() ? kPlainView : kPositionsView);
  FigureSubject subject;
  HEADSCOPE_TRY(subject.context, ReadFigureContext(options));
  const ModelDescription& shape = model.description();
  subject.context.model = ModelLine(
      model.name(), shape.family, shape.layers, shape.heads, shape.model_dim, HeadDimText(shape));
  subject.effects = std::make_shared<const EffectMap>(std::move(map));
  return WriteFigureTo(options, *kind, subject);
}

}  // namespace headscope
