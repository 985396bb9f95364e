// Patches between the open text and another one.
#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/causes/prediction.h"
#include "core/causes/text_without.h"
#include "core/causes/token_names.h"
#include "core/model/masked_output.h"
#include "core/worker/job.h"
#include "core/worker/patch_pairs.h"
#include "core/worker/patched_texts.h"

namespace headscope {
namespace {

constexpr auto kBetweenParts = std::chrono::milliseconds(250);

Result<ForwardInput> CorruptedInput(const Model& model,
                                    const InputText& corrupted,
                                    const ForwardInput& clean,
                                    const std::stop_token& stop) {
  auto prepared = PrepareInput(model, corrupted, stop);
  if (!prepared) {
    Error error = std::move(prepared.error());
    if (error.code != ErrorCode::kCancelled) {
      error.message = "side B: " + error.message;
    }
    return tl::unexpected(std::move(error));
  }
  prepared->forward.target_ids = clean.target_ids;  // both read the same target
  return std::move(prepared->forward);
}

Result<std::vector<PatchToken>> LikelyAt(std::int64_t row,
                                         const ForwardInput& input,
                                         const WordLayer& words,
                                         Job* job) {
  Forward* const forward = job->opened->forward();
  HEADSCOPE_TRY(const auto said,
                Predict(forward, words, input, {.rows = {row}}, nullptr, job->stop));
  std::vector<PatchToken> likely;
  for (const LikelyWord& word : said.rows.front().top) {
    likely.push_back({word.id, TokenDisplay(TokenizerOfWords(forward->model()), word.id)});
  }
  return likely;
}

// The tokens that were asked for, or else what the two texts say.
Status ChooseTokens(const PatchJob& request,
                    const Model& model,
                    PatchPair* pair,
                    PatchedTexts* made) {
  // The likeliest of each; where they are the same, the first that tells the two apart.
  const std::vector<PatchToken>& clean = made->likely_clean;
  const std::vector<PatchToken>& other = made->likely_corrupted;
  std::size_t place = 0;
  while (place < clean.size() && clean[place].id == other[place].id) {
    ++place;
  }
  const bool are_same = place == clean.size();
  pair->right = clean[are_same ? 0 : place].id;
  pair->wrong = other[are_same ? std::min<std::size_t>(1, place - 1) : place].id;
  if (!request.right.empty()) {
    HEADSCOPE_TRY(pair->right, ReadTypedToken(model, request.right));
  }
  if (!request.wrong.empty()) {
    HEADSCOPE_TRY(pair->wrong, ReadTypedToken(model, request.wrong));
  }
  const Tokenizer* const tokenizer = TokenizerOfWords(model);
  made->right = {pair->right, TokenDisplay(tokenizer, pair->right)};
  made->wrong = {pair->wrong, TokenDisplay(tokenizer, pair->wrong)};
  if (pair->right == pair->wrong) {
    return Fail(ErrorCode::kInput,
                fmt::format("right and wrong are both “{}”: choose two tokens", made->right.name));
  }
  return {};
}

// "Mary / John", in an encoder-decoder with what the target has there.
std::string NameOfRow(const Model& model, const PatchPair& pair, std::int64_t row) {
  const auto at = static_cast<std::size_t>(row);
  std::string name;
  if (at < pair.clean.ids.size()) {
    const auto one = std::span(pair.clean.ids).subspan(at, 1);
    name = PositionNames(model, one, std::span(pair.corrupted.ids).subspan(at, 1)).front();
  }
  if (at < pair.clean.target_ids.size()) {
    name += fmt::format("{}{} of the target",
                        name.empty() ? "" : ", ",
                        TokenDisplay(TokenizerOfWords(model), pair.clean.target_ids[at]));
  }
  return name;
}

}  // namespace

Status PatchJob::Run(Job* job) const {
  Opened& opened = *job->opened;
  HEADSCOPE_TRY(opened.CheckModel(opening, "weights only, no model that could be run"));
  HEADSCOPE_TRY(opened.Without());  // there is a text, and float32
  Forward* const forward = opened.forward();
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  if (paths && paths->from.empty()) {
    PatchJob all = *this;
    all.paths->from = SendersTo(shape, paths->to);
    return all.paths->from.empty()
               ? Fail(ErrorCode::kInput, WhyNoSender(paths->to) + ": choose other ones")
               : all.Run(job);
  }
  if (!pairs.empty()) {
    return PatchPairsOfFile(*this, job);
  }
  HEADSCOPE_TRY(const auto words, opened.Words());
  PatchPair pair{.clean = *opened.input(), .corrupted = {}};
  HEADSCOPE_TRY(pair.corrupted, CorruptedInput(model, corrupted, pair.clean, job->stop));
  const std::vector<std::int32_t>& rows = shape.decoder ? pair.clean.target_ids : pair.clean.ids;
  if (row) {
    pair.row = *row;
  } else {
    HEADSCOPE_TRY(pair.row, RowOfWord(model, pair));
  }
  HEADSCOPE_TRY(CheckPair(shape, pair));
  PatchedTexts made;
  made.what = what;
  made.direction = direction;
  made.row = pair.row;
  made.is_masked = IsMasked(shape);
  made.row_name = TokenDisplay(TokenizerOfWords(model), rows[static_cast<std::size_t>(pair.row)]);
  HEADSCOPE_TRY(made.likely_clean, LikelyAt(pair.row, pair.clean, *words, job));
  HEADSCOPE_TRY(made.likely_corrupted, LikelyAt(pair.row, pair.corrupted, *words, job));
  HEADSCOPE_TRY(ChooseTokens(*this, model, &pair, &made));
  HEADSCOPE_TRY(const auto patching, Patching::Make(forward, pair, direction, job->stop));
  made.clean = patching->clean_metric();
  made.corrupted = patching->corrupted_metric();
  const PatchedPair whole{.clean = made.clean, .corrupted = made.corrupted, .metrics = {}};
  HEADSCOPE_TRY(ScoresOfPairs({&whole, 1}, direction));  // there is a difference
  const PatchQuestion question{.what = what, .direction = direction, .at = at};
  made.paths = paths;
  if (paths) {
    made.heads = paths->from;
  } else if (IsOfHeads(what)) {
    HEADSCOPE_TRY(CheckRowTaken(shape, question, LengthsOf(pair)));
    made.heads = HeadsTaken(shape, question, LengthsOf(pair));
    made.at = at;
    made.at_name = at ? NameOfRow(model, pair, *at) : "";
  } else {
    made.first = {PartsOf(shape).front(), 0};
    made.layers = shape.layers;
    made.positions = PositionNames(model, pair.clean.ids, pair.corrupted.ids);
  }
  const std::size_t runs = made.count();
  auto said = std::chrono::steady_clock::now();
  const auto on_part = [&](std::span<const double> done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said > kBetweenParts) {
      said = now;
      made.metrics.assign(done.begin(), done.end());
      job->publish(TextsPatched{std::make_shared<const PatchedTexts>(made)});
    }
    job->publish(Progress{std::ssize(done),
                          static_cast<std::int64_t>(runs),
                          fmt::format("patching: {} of {} runs", done.size(), runs)});
    job->between_layers();
  };
  if (paths) {
    HEADSCOPE_TRY(made.metrics, patching->RunPaths(SendersOf(*paths), *paths, job->stop, on_part));
    made.together = made.metrics.back();
    made.metrics.pop_back();
  } else {
    HEADSCOPE_TRY(made.metrics, patching->Run(RunsOf(shape, pair, question), job->stop, on_part));
  }
  job->publish(TextsPatched{std::make_shared<const PatchedTexts>(std::move(made))});
  return {};
}

}  // namespace headscope
