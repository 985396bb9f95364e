#include "core/heads/scan/methods.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/heads/decide/numbers.h"
#include "core/heads/decide/role_words.h"
#include "core/heads/effect/copy_sums.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/word_cases.h"
#include "core/heads/scan/roles.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "Headscope: how the heads of";
constexpr std::string_view kTableStart = "head,metric,score";

// Quotes a word as a shell reads it.
std::string Shell(const fs::path& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
  std::string text = path.string();
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

const ScanAbout& AboutOf(const HeadScanReport& report) {
  return report.repeats ? report.repeats->report.about : report.sentences->report.about;
}

bool IsOfChosen(const HeadScanReport& report) {
  return report.probe.kind != ProbeKind::kBundled;
}

// What was chosen, in place of the bundled probe.
std::string ChosenWords(const HeadScanReport& report) {
  const ScanAbout& about = AboutOf(report);
  if (report.probe.kind == ProbeKind::kFile) {
    return fmt::format(" Texts: the {} of {} that the model can read (digest of the token ids {}).",
                       about.sequences,
                       report.probe.file.filename().string(),
                       about.corpus);
  }
  std::string text = fmt::format(
      " Texts: {} of up to {} tokens, as far as the model reads, put together of probe sentences. "
      "In each two sentences such as \"Anna hid the letter in the garden.\" are hidden at random "
      "places; its end asks for one of them and repeats it (seed {}). Scores of retrieval are over "
      "the rows of these answers, their control over the same place of the sentence that is not "
      "asked for.",
      about.sequences,
      RetrievalSettings{}.longest,
      about.seed);
  if (report.task && report.task->texts > 0 && report.why_no_task.empty()) {
    text += fmt::format(
        " The model gives the hidden word a higher probability than the other sentence's in {} of "
        "{} texts.",
        report.task->right,
        report.task->texts);
  }
  return text;
}

std::string ShapeWords(const HeadsOfScan& heads) {
  return fmt::format("{} layers of {} heads", heads.layers, heads.heads);
}

// Whether a table holds such a number of any head.
bool HasScores(const HeadScanReport& report, const HeadNumber& number) {
  for (const ProbeScores* const probe : report.Probes()) {
    if (std::ranges::any_of(probe->report.scores, [&](const NamedScores& scores) {
          return number.Has(scores.id) && scores.why_not.empty();
        })) {
      return true;
    }
  }
  return std::ranges::any_of(report.more,
                             [&](const HeadScanReport& part) { return HasScores(part, number); });
}

std::string Paragraph(const HeadScanReport& report) {
  const ScanAbout& about = AboutOf(report);
  std::size_t count = about.heads.count();
  std::string shape = ShapeWords(about.heads);
  for (const HeadScanReport& part : report.more) {
    const HeadsOfScan& heads = AboutOf(part).heads;
    count += heads.count();
    shape += fmt::format("; {} {}", PartName(heads.part), ShapeWords(heads));
  }
  std::string text = fmt::format(
      "Each of the {} attention heads of {} ({}; fingerprint {}) was scored from its attention "
      "weights with Headscope.",
      count,
      about.model,
      shape,
      about.fingerprint);
  if (!report.more.empty()) {
    text +=
        " The decoder read the text that the encoder read, after its start token and without the "
        "token that ends it; of a control its tokens were others than the encoder's. A head of "
        "cross-attention that looks at a place (source:...) must do so on the control, too.";
  } else if (!about.no_targets.empty()) {
    text += fmt::format(" Of the decoder no head was scored: {}.", about.no_targets);
  }
  if (report.repeats) {
    const ScanAbout& repeats = report.repeats->report.about;
    text += fmt::format(
        " Repeats: {} sequences for each period of {} tokens; a sequence is the model's begin mark "
        "where it has one and a block of that many distinct tokens, twice ({}; seed {}). Each has "
        "a control sequence whose second block holds other tokens. The score of a head is its "
        "lowest over the periods.",
        report.settings.repeats,
        fmt::join(repeats.groups, ", "),
        repeats.draw == "text" ? "tokens that occur in the probe sentences, without the 50 most "
                                 "frequent ones"
                               : "any tokens that are not special",
        repeats.seed);
  }
  if (IsOfChosen(report)) {
    text += ChosenWords(report);
  } else if (report.sentences) {
    const std::int64_t used = report.sentences->report.about.sequences;
    text += fmt::format(
        " Sentences: {} of the {} annotated probe sentences whose words the model knows{}.",
        used < report.all_sentences ? fmt::format("{}", used) : "all",
        report.all_sentences,
        used < report.all_sentences ? ", spread evenly over them" : "");
  }
  text +=
      " Scores pool the query rows that qualify over all sequences; rows of special tokens do not "
      "qualify. Errors are standard errors of the sequences' own means, never of rows. Chance is "
      "what even attention over the visible keys gives over the same rows. " +
      HowSharesAreDecided();
  if (HasScores(report, *FindNumber(kCopyEffect))) {
    text += " " + HowCopiesAreDecided();
  }
  if (HasScores(report, *FindNumber(kRelationPrefix)) ||
      HasScores(report, *FindNumber(kMentionsId))) {
    text += " " + HowRelationsAreDecided();
  }
  if (report.settings.twins > 0) {
    text += fmt::format(
        " {} of the model, whose query and key matrices hold the same numbers in random places, "
        "were scored likewise; a strong head must exceed their highest score by {:.2f}.",
        Counted(report.settings.twins, "scrambled twin"),
        kAboveTwin);
  }
  return text + "\n";
}

bool IsInTables(const HeadScanReport& report, const HeadNumber& number) {
  const ScanAbout& about = AboutOf(report);
  switch (number.group) {
    case NumberGroup::kMetric:
      return !about.more_heads.empty() || FindMetric(number.id)->IsOf(about.heads.part);
    case NumberGroup::kMeasure:
      return report.is_measured;
    case NumberGroup::kOther:
      break;
  }
  return HasScores(report, number);
}

std::string RoleWords(const HeadNumber& number) {
  if (number.threshold > 0.0) {
    return fmt::format("; threshold {:.2f} for {}", number.threshold, number.role);
  }
  return number.group == NumberGroup::kMeasure ? "; decides no role"
         : number.group == NumberGroup::kOther ? "; roles: as above"
                                               : "";
}

std::string MetricLines(const HeadScanReport& report) {
  std::string text;
  for (const HeadNumber* const number : AllNumbers()) {
    const NumberWords& words = number->words;
    if (IsInTables(report, *number)) {
      text += fmt::format("  {}: {}; formula: {}; chance: {}{}{}\n",
                          number->id,
                          words.about,
                          words.formula,
                          words.chance,
                          words.control.empty() ? "" : fmt::format("; control: {}", words.control),
                          RoleWords(*number));
    }
  }
  return text;
}

std::string SeedLines(const HeadScanReport& report) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<ProbeScores>& probe) {
    if (!probe) {
      return;
    }
    const ScanAbout& about = probe->report.about;
    const bool is_drawn = !about.draw.empty() || report.probe.kind == ProbeKind::kRetrieval;
    text += fmt::format(
        "  {}: {}", name, is_drawn ? fmt::format("seed {}", about.seed) : "nothing is drawn");
    for (std::int64_t twin = 1; twin <= report.settings.twins; ++twin) {
      text += fmt::format(
          "{}{}", twin == 1 ? ", twins " : ", ", about.seed + static_cast<std::uint64_t>(twin));
    }
    text += fmt::format("; digest of the token ids {}\n", about.corpus);
  };
  add("repeats", report.repeats);
  add(IsOfChosen(report) ? "probe" : "sentences", report.sentences);
  return text;
}

std::string Commands(const HeadScanReport& report,
                     const ScanFiles& files,
                     const ScanPlaces& places) {
  const std::string twins =
      report.settings.twins > 0 ? fmt::format(" --twins {}", report.settings.twins) : "";
  std::string text;
  if (IsOfChosen(report)) {
    const bool is_file = report.probe.kind == ProbeKind::kFile;
    std::error_code error;
    return fmt::format("  headscope score --model {} --probe {} --out {}\n",
                       Shell(places.model),
                       is_file ? Shell(fs::absolute(report.probe.file, error))
                               : fmt::format("retrieval --sequences {} --seed {}",
                                             RetrievalSettings{}.sequences,
                                             AboutOf(report).seed),
                       Shell(files.probe.filename()));
  }
  if (report.repeats) {
    const ScanAbout& about = report.repeats->report.about;
    text += fmt::format(
        "  headscope score --model {} --probe repeats --sequences {} --draw {} --seed {}{} --out {}"
        "\n",
        Shell(places.model),
        report.settings.repeats,
        about.draw,
        about.seed,
        twins,
        Shell(files.repeats.filename()));
  }
  if (report.sentences) {
    text += fmt::format("  headscope score --model {} --probe {} --sentences {}{} --out {}\n",
                        Shell(places.model),
                        Shell(places.probes / report.sentences->report.about.probe),
                        report.sentences->report.about.sequences < report.all_sentences
                            ? report.settings.sentences
                            : 0,
                        twins,
                        Shell(files.sentences.filename()));
  }
  return text;
}

std::string SuggestionLines(const HeadScanReport& report) {
  std::string text;
  for (const Suggestion* one : AllSuggestions(report)) {
    text += fmt::format(
        "  {} {} ({}): {}\n", HeadName(one->head), one->role, VerdictName(one->verdict), one->why);
  }
  return text.empty() ? "  none\n" : text;
}

// What one probe has given, of all parts.
using ScoresOfReport = std::optional<ProbeScores> HeadScanReport::*;
ScoreReport AllOf(const HeadScanReport& report, ScoresOfReport probe) {
  ScoreReport all = (report.*probe)->report;
  for (const HeadScanReport& part : report.more) {
    if (part.*probe) {
      all.more.push_back((part.*probe)->report);
    }
  }
  return all;
}

bool StartsWith(const fs::path& path, std::string_view start) {
  std::string text(start.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), std::ssize(text));
  return file.gcount() == std::ssize(text) && text == start;
}

}  // namespace

ScanFiles ScanFilesAt(const fs::path& text) {
  const auto beside = [&text](const char* what) {
    return text.parent_path() / fmt::format("{}-{}.csv", text.stem().string(), what);
  };
  return {.text = text,
          .repeats = beside("repeats"),
          .sentences = beside("sentences"),
          .probe = beside("probe")};
}

std::string MethodsText(const HeadScanReport& report,
                        const ScanFiles& files,
                        const ScanPlaces& places) {
  std::string text = fmt::format("{} {} were scored\n\n", kFirstLine, AboutOf(report).model);
  text += "Methods\n" + Paragraph(report);
  text += "\nTables (columns head, metric, score, error, chance, control, queries)\n";
  text += report.repeats ? fmt::format("  {}\n", files.repeats.filename().string()) : "";
  const bool is_chosen = IsOfChosen(report);
  const fs::path& second = is_chosen ? files.probe : files.sentences;
  text += report.sentences ? fmt::format("  {}\n", second.filename().string()) : "";
  for (const std::string& why : {report.why_no_repeats, report.why_no_sentences}) {
    text += why.empty() || is_chosen ? "" : fmt::format("  left out: {}\n", why);
  }
  for (const std::string& note : report.notes) {
    text += fmt::format("  note: {}\n", note);
  }
  text += "\nMetrics\n" + MetricLines(report);
  text += "\nSeeds\n" + SeedLines(report);
  text += "\nThe command that makes each table again\n" + Commands(report, files, places);
  text += is_chosen
              ? "It gives the same numbers.\n"
              : "It adds the same sums in another order: numbers agree but for their last digits. "
                "What the window does not measure (effects on logits on sentences; on repeats, "
                "where there are sentences, numbers of the weights) it fills in.\n";
  text += "\nWhat the scores suggest\n" + SuggestionLines(report);
  return text;
}

Result<std::vector<fs::path>> WriteScanFiles(const ScanFiles& files,
                                             const HeadScanReport& report,
                                             const ScanPlaces& places) {
  std::vector<fs::path> written = {files.text};
  HEADSCOPE_TRY(WriteFileAtomically(files.text, MethodsText(report, files, places)));
  if (report.repeats) {
    HEADSCOPE_TRY(WriteReport(files.repeats, AllOf(report, &HeadScanReport::repeats)));
    written.push_back(files.repeats);
  }
  if (report.sentences) {
    const fs::path& path = IsOfChosen(report) ? files.probe : files.sentences;
    HEADSCOPE_TRY(WriteReport(path, AllOf(report, &HeadScanReport::sentences)));
    written.push_back(path);
  }
  return written;
}

ScanFilesThere LookForScanFiles(const ScanFiles& files) {
  ScanFilesThere there = ScanFilesThere::kNone;
  for (const fs::path& path : {files.text, files.repeats, files.sentences, files.probe}) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      continue;
    }
    if (!StartsWith(path, path == files.text ? kFirstLine : kTableStart)) {
      return ScanFilesThere::kOthers;
    }
    there = ScanFilesThere::kOurs;
  }
  return there;
}

}  // namespace headscope
