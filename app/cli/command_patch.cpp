#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/cli/cause_input.h"
#include "app/cli/patch_evidence.h"
#include "app/cli/patch_output.h"
#include "core/base/atomic_file.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/causes/kept_pairs.h"
#include "core/causes/token_names.h"

namespace headscope {
namespace {

// A pair as given, with its name in messages.
struct GivenPair {
  InputText clean;
  InputText corrupted;
  std::string right;
  std::string wrong;
  std::string where;  // "pairs.tsv: line 3: ", or empty
};

struct PatchShard {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

CommandResult<PatchShard> ReadPatchShard(const Options& options) {
  if (!options.shard) {
    return PatchShard();
  }
  const std::string_view text = *options.shard;
  const std::size_t slash = text.find('/');
  const auto index = ParseAs<std::int64_t>(text.substr(0, slash));
  const auto count = ParseAs<std::int64_t>(slash != text.npos ? text.substr(slash + 1) : "");
  if (!index || !count || *index < 0 || *index >= *count) {
    return Usage(
        fmt::format("--shard: {} is not a share I/N with I from 0 to N - 1", Quoted(text)));
  }
  return PatchShard{*index, *count};
}

CommandStatus CheckPatchOptions(const Options& options) {
  const CauseOptions& causes = options.causes;
  if (causes.from.has_value() != causes.to.has_value()) {
    return Usage("--from and --to go together: senders, and what they change in later heads");
  }
  if (causes.from && causes.what) {
    return Usage("--what goes without --from and --to: along paths outputs are what is sent");
  }
  if (causes.freeze_mlps && !causes.from) {
    return Usage("--freeze-mlps goes with --from and --to");
  }
  if (causes.pairs) {
    const bool has_more = HasInput(options.input) || causes.corrupted || causes.corrupted_ids ||
                          causes.right || causes.wrong;
    return has_more ? Usage("--pairs holds texts and tokens: leave the other ones out")
                    : CommandStatus();
  }
  if (options.shard || options.resume) {
    return Usage("--shard and --resume go with --pairs");
  }
  if (!causes.corrupted && !causes.corrupted_ids) {
    return Usage("--corrupted is missing: the text that --text is compared with");
  }
  if (causes.corrupted && causes.corrupted_ids) {
    return Usage("--corrupted and --corrupted-ids: give one of them");
  }
  if (!causes.right || !causes.wrong) {
    return Usage("--right and --wrong are missing: the tokens whose logits are compared");
  }
  return {};
}

CommandResult<std::vector<GivenPair>> ReadGivenPairs(const Options& options) {
  const CauseOptions& causes = options.causes;
  std::vector<GivenPair> pairs;
  if (causes.pairs) {
    HEADSCOPE_TRY(const auto lines, ReadPairs(*causes.pairs));
    for (const PairLine& line : lines) {
      GivenPair& pair = pairs.emplace_back();
      pair.clean.text = line.clean;
      pair.corrupted.text = line.corrupted;
      pair.right = line.right;
      pair.wrong = line.wrong;
      pair.where = fmt::format("{}: line {}: ", *causes.pairs, line.line);
    }
    return pairs;
  }
  GivenPair& pair = pairs.emplace_back();
  HEADSCOPE_TRY(pair.clean, ReadInput(options.input));
  if (!pair.clean.embeddings.empty()) {
    return Usage("patch reads tokens: give --text or --ids");
  }
  InputOptions other = options.input;
  other.text = causes.corrupted;
  other.text_file = {};
  other.ids = causes.corrupted_ids;
  HEADSCOPE_TRY(pair.corrupted, ReadInput(other));
  pair.right = *causes.right;
  pair.wrong = *causes.wrong;
  return pairs;
}

// What a line of the file is to blame for; a model that gives no numbers is not its fault.
Error InLine(const GivenPair& given, Error error) {
  error.message = (error.code == ErrorCode::kNumeric ? "" : given.where) + error.message;
  return error;
}

// Turns a pair into tokens. Of an encoder-decoder both read the target, by default its start alone.
CommandResult<PatchPair> Prepare(const Model& model,
                                 const GivenPair& given,
                                 const Options& options) {
  const auto in_line = [&](Error error) { return InLine(given, std::move(error)); };
  PatchPair pair;
  for (const auto& [text, input] :
       {std::pair(&given.clean, &pair.clean), std::pair(&given.corrupted, &pair.corrupted)}) {
    auto prepared = PrepareInput(model, *text, {});
    if (!prepared) {
      return PassOn(in_line(std::move(prepared.error())));
    }
    *input = std::move(prepared->forward);
    if (model.description().decoder && input->target_ids.empty()) {
      input->target_ids = {model.description().start_id};
    }
  }
  for (const auto& [name, text, id] : {std::tuple("--right", &given.right, &pair.right),
                                       std::tuple("--wrong", &given.wrong, &pair.wrong)}) {
    auto read = ReadTokenOption(model, name, *text);
    if (!read) {
      return PassOn(in_line(std::move(read.error().error)));
    }
    *id = *read;
  }
  const bool is_in_file = !given.where.empty();
  const char* const names = is_in_file ? "right and wrong" : "--right and --wrong";
  if (Status differ = CheckTokensDiffer(model, pair.right, pair.wrong, names); !differ) {
    if (is_in_file) {
      return PassOn(in_line(std::move(differ.error())));
    }
    return Usage(std::move(differ.error().message));
  }
  const bool has_target = model.description().decoder.has_value();
  pair.row = options.causes.row.value_or(
      std::ssize(has_target ? pair.clean.target_ids : pair.clean.ids) - 1);
  return pair;
}

CommandResult<PatchQuestion> ReadPatchQuestion(const Options& options,
                                               const ModelDescription& model) {
  const CauseOptions& causes = options.causes;
  PatchQuestion question;
  const auto what = ParsePatchWhat(causes.what.value_or("output"));
  if (!what) {
    return Usage(fmt::format(
        "--what: {} is not output, pattern, queries, keys, values, stream, mlp or attention",
        Quoted(*causes.what)));
  }
  question.what = *what;
  question.at = causes.at;
  if (causes.at && (causes.from || !IsOfHeads(*what))) {
    return Usage("--at goes with what is taken of heads: output, pattern, queries, keys or values");
  }
  const std::string direction = causes.direction.value_or(causes.from ? "noise" : "denoise");
  const auto parsed = ParsePatchDirection(direction);
  if (!parsed) {
    return Usage(fmt::format("--direction: {} is not denoise or noise", Quoted(direction)));
  }
  question.direction = *parsed;
  if (!causes.from) {
    return question;
  }
  PatchPaths& paths = question.paths.emplace();
  paths.freezes_mlps = causes.freeze_mlps;
  if (*causes.to != "logits") {
    HEADSCOPE_TRY(paths.to, ReadHeadInputs(*causes.to, model));
  }
  paths.from = SendersTo(model, paths.to);
  if (*causes.from != "all") {
    const std::vector<HeadIndex> before = std::exchange(paths.from, {});
    HEADSCOPE_TRY(paths.from, ReadHeads(*causes.from, model));
    const auto late = std::ranges::find_if(paths.from, [&](HeadIndex head) {
      return std::ranges::find(before, head) == before.end();
    });
    if (late != paths.from.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("--from {}: no direct path leads from it to {}",
                              HeadName(*late),
                              paths.to.empty() ? "the logits" : "every head of --to"));
    }
  }
  if (paths.from.empty()) {
    return Fail(ErrorCode::kInput, "--from all: " + WhyNoSender(paths.to));
  }
  return question;
}

std::string Described(const InputText& text) {
  return text.ids.empty() ? text.text : fmt::format("{}", fmt::join(text.ids, ","));
}

PatchAbout AboutOf(const Options& options,
                   const Model& model,
                   const std::vector<GivenPair>& pairs,
                   const PatchQuestion& question,
                   PatchLengths lengths) {
  std::vector<PairLine> lines;
  for (const GivenPair& pair : pairs) {
    lines.push_back({.clean = Described(pair.clean),
                     .corrupted = Described(pair.corrupted),
                     .right = pair.right,
                     .wrong = pair.wrong});
  }
  PatchAbout about = DescribePatching(model, question, lines, lengths);
  about.row = options.causes.row;
  return about;
}

}  // namespace

CommandStatus RunPatch(const Options& options) {
  HEADSCOPE_TRY(CheckPatchOptions(options));
  if (options.causes.evidence) {
    HEADSCOPE_TRY(CheckEvidenceOptions(options));
  }
  HEADSCOPE_TRY(const auto shard, ReadPatchShard(options));
  const bool has_picture = !options.causes.evidence;
  HEADSCOPE_TRY(
      options.shard
          ? CheckOutput(options, {".json"}, Figures::kNo)
          : CheckOutput(options, {".json", ".csv"}, has_picture ? Figures::kYes : Figures::kNo));
  HEADSCOPE_TRY(RefuseRounding(options));
  HEADSCOPE_TRY(const auto given, ReadGivenPairs(options));
  HEADSCOPE_TRY(const auto model, OpenModel(options));
  if (model->description().reads_embeddings()) {
    return Fail(ErrorCode::kInput, "patch reads tokens, and an attention module has none");
  }
  SayTokenizerFault(*model);
  HEADSCOPE_TRY(const auto question, ReadPatchQuestion(options, model->description()));
  HEADSCOPE_TRY(const auto backend, MakeBackend(options));
  Forward forward(model, backend.get());
  if (options.causes.evidence) {
    std::vector<PatchPair> pairs;
    for (const GivenPair& one : given) {
      HEADSCOPE_TRY(pairs.emplace_back(), Prepare(*model, one, options));
      if (Status fits = CheckEvidencePair(model->description(), pairs.back()); !fits) {
        fits.error().message = one.where + fits.error().message;
        return PassOn(std::move(fits.error()));
      }
    }
    return WriteRoleEvidence(options, &forward, pairs);
  }
  // Every pair of a file has its target's start alone.
  HEADSCOPE_TRY(const auto first, Prepare(*model, given.front(), options));
  PatchPart part{.about = AboutOf(options, *model, given, question, LengthsOf(first)), .done = {}};
  const KeptPairs kept(options.out + ".progress");  // for --resume
  const bool is_file = options.causes.pairs.has_value();
  if (is_file) {
    if (Status begun = kept.Begin(options.resume, &part); !begun) {
      begun.error().message += begun.error().code == ErrorCode::kIo
                                   ? ""
                                   : "; delete it, or leave --resume out to begin anew";
      return PassOn(std::move(begun.error()));
    }
  }
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  for (std::int64_t index = shard.index; index < std::ssize(given); index += shard.count) {
    if (part.done.contains(index)) {
      continue;
    }
    if (is_terminal) {
      fmt::print(stderr, "\rpair {} of {}\033[K", index + 1, given.size());
    }
    const GivenPair& one = given[static_cast<std::size_t>(index)];
    HEADSCOPE_TRY(const auto pair, Prepare(*model, one, options));
    if (!is_file) {
      part.about.row = pair.row;
      part.about.positions = PositionNames(*model, pair.clean.ids, pair.corrupted.ids);
    }
    auto patched = PatchPairOf(&forward, pair, question, {});
    if (!patched) {
      return PassOn(InLine(one, std::move(patched.error())));
    }
    if (is_file) {
      HEADSCOPE_TRY(kept.Keep(index, *patched));
    }
    part.done[index] = std::move(*patched);
  }
  if (is_terminal) {
    fmt::print(stderr, "\r\033[K");
  }
  if (options.shard) {
    HEADSCOPE_TRY(WriteFileAtomically(options.out, PatchPartText(part)));
  } else {
    HEADSCOPE_TRY(WritePatch(options, part, model.get()));
  }
  if (is_file) {
    kept.Remove();
  }
  return {};
}

}  // namespace headscope
