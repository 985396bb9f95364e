#include "app/cli/patch_evidence.h"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/causes/role_evidence_file.h"
#include "core/causes/task_evidence.h"
#include "core/heads/probe/probe.h"

namespace headscope {

CommandStatus CheckEvidenceOptions(const Options& options) {
  const CauseOptions& causes = options.causes;
  if (causes.what || causes.at || causes.direction || causes.from || causes.to ||
      causes.freeze_mlps || options.shard || options.resume) {
    return Usage(
        "--evidence goes with texts and tokens alone: leave --what, --at, --direction, --from, --to, "
        "--freeze-mlps, --shard and --resume out");
  }
  return {};
}

CommandStatus WriteRoleEvidence(const Options& options,
                                Forward* forward,
                                const std::vector<PatchPair>& pairs) {
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  const auto tell = [is_terminal](double done) {
    if (is_terminal) {
      fmt::print(stderr, "\r{:.0f} %\033[K", 100.0 * done);
    }
  };
  const auto found = [&]() -> Result<RoleEvidence> {
    HEADSCOPE_TRY(auto evidence, FindRoleEvidence(forward, pairs, {}, tell));
    HEADSCOPE_TRY(const auto maps, ReadTokenMaps(AssetsFolder() / "token_maps.txt"));
    HEADSCOPE_TRY(AddTaskEvidence(forward,
                                  TablesFor(forward->model(), maps),
                                  ReadVocabulary(forward->model()).begin,
                                  {},
                                  tell,
                                  &evidence));
    return evidence;
  }();
  if (is_terminal) {
    fmt::print(stderr, "\r\033[K");
  }
  HEADSCOPE_TRY(const RoleEvidence& evidence, found);
  const EvidenceAbout about{.model = forward->model().name(),
                            .input = options.causes.pairs.value_or(options.input.text.value_or(
                                options.input.ids.value_or(options.input.text_file.value_or("")))),
                            .pairs = std::ssize(pairs)};
  HEADSCOPE_TRY(WriteFileAtomically(
      options.out,
      options.out.ends_with(".json") ? EvidenceJson(evidence, about) : EvidenceCsv(evidence)));
  return {};
}

}  // namespace headscope
