// Curves of training runs that headscope train wrote.
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "core/worker/train_curves.h"

namespace headscope {

CommandStatus RenderRuns(const Options& options) {
  if (options.attention || HasInput(options.input) || !options.model.empty() || options.head ||
      options.layer || options.all || !options.view.empty()) {
    return Usage(
        "--runs holds all that is drawn: leave --model, --attention, the input, heads and --view "
        "out");
  }
  const FigureKind* const kind = FindFigureKind(FigureOf::kTraining);
  HEADSCOPE_TRY(CheckOutput(options, NumberEndings(*kind), Figures::kYes));
  std::vector<NamedTrain> runs;
  for (const std::string& folder : options.runs) {
    HEADSCOPE_TRY(auto found, ReadTrainRuns(folder, {}));
    runs.insert(
        runs.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  FigureSubject subject;
  HEADSCOPE_TRY(subject.context, ReadFigureContext(options));
  subject.training = std::make_shared<const TrainingCurves>(CurvesOfRuns(runs));
  return WriteFigureTo(options, *kind, subject);
}

}  // namespace headscope
