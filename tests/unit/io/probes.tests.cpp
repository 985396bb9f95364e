// The probe sentences that come with the program are what assets/probes/README.md says of them.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/io/annotated_text.h"
#include "core/io/text_file.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

AnnotatedText Probes() {
  Result<AnnotatedText> text =
      ReadAnnotatedText(test::SourceFolder() / "assets" / "probes" / "probes.conllu");
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text.has_value());
  return std::move(*text);
}

const AnnotatedWord& At(const AnnotatedSentence& sentence, std::int64_t word) {
  return sentence.words[static_cast<std::size_t>(word)];
}

// Universal Dependencies' relations, with the subtypes that English has.
const std::set<std::string>& Inventory() {
  static const std::set<std::string> relations = {
      "acl",          "acl:relcl",  "advcl",        "advcl:relcl", "advmod",    "amod",
      "appos",        "aux",        "aux:pass",     "case",        "cc",        "cc:preconj",
      "ccomp",        "compound",   "compound:prt", "conj",        "cop",       "csubj",
      "det",          "det:predet", "discourse",    "expl",        "fixed",     "flat",
      "iobj",         "mark",       "nmod",         "nmod:desc",   "nmod:poss", "nmod:unmarked",
      "nsubj",        "nsubj:pass", "nummod",       "obj",         "obl",       "obl:agent",
      "obl:unmarked", "parataxis",  "punct",        "root",        "vocative",  "xcomp"};
  return relations;
}

struct Tally {
  std::int64_t cases = 0;
  std::set<std::string> sentences;
  std::map<std::int64_t, std::int64_t> offsets;  // cases by head - word
};

std::map<std::string, Tally> Tallies(const AnnotatedText& text) {
  std::map<std::string, Tally> tallies;
  for (const AnnotatedSentence& sentence : text.sentences) {
    for (std::int64_t i = 0; i < std::ssize(sentence.words); ++i) {
      Tally& tally = tallies[At(sentence, i).relation];
      ++tally.cases;
      tally.sentences.insert(sentence.id);
      ++tally.offsets[At(sentence, i).head - i];
    }
  }
  return tallies;
}

TEST_CASE("the probe sentences are read without a warning", "[io][probes]") {
  const AnnotatedText text = Probes();
  CHECK(text.warnings.empty());
  CHECK(text.left_out == 0);
  CHECK(text.sentences.size() >= 200);
  std::set<std::string> ids;
  std::set<std::string> texts;
  for (const AnnotatedSentence& sentence : text.sentences) {
    INFO(sentence.id << ": " << sentence.text);
    ids.insert(sentence.id);
    texts.insert(sentence.text);
    const auto words = std::ranges::count_if(
        sentence.words, [](const AnnotatedWord& word) { return word.relation != "punct"; });
    CHECK(words >= 6);
    CHECK(words <= 25);
    CHECK(std::ranges::all_of(sentence.words, [&sentence](const AnnotatedWord& word) {
      return Inventory().contains(word.relation) && !word.upos.empty() &&
             test::FormAt(sentence, word) == word.form;
    }));
  }
  CHECK(ids.size() == text.sentences.size());
  CHECK(texts.size() == text.sentences.size());
}

TEST_CASE("each relation of the probes has enough cases to count", "[io][probes]") {
  const std::map<std::string, Tally> tallies = Tallies(Probes());
  const std::vector<std::string> relations = {
      "nsubj", "obj",       "iobj", "det",       "amod",  "advmod", "aux",        "case",
      "nmod",  "nmod:poss", "obl",  "mark",      "cop",   "conj",   "cc",         "compound",
      "xcomp", "advcl",     "acl",  "acl:relcl", "ccomp", "nummod", "nsubj:pass", "aux:pass"};
  for (const std::string& relation : relations) {
    INFO(relation);
    const auto found = tallies.find(relation);
    REQUIRE(found != tallies.end());
    CHECK(found->second.cases >= 50);
    CHECK(found->second.sentences.size() >= 30);
    // So that always looking at one distance is not enough.
    for (const auto& [offset, cases] : found->second.offsets) {
      INFO(offset);
      CHECK(static_cast<double>(cases) <= 0.9 * static_cast<double>(found->second.cases));
    }
  }
}

// A later mention of someone or something.
struct Anaphor {
  bool is_pronoun = false;
  bool has_rival = false;  // something else is mentioned nearer
};

std::vector<Anaphor> Anaphors(const AnnotatedSentence& sentence) {
  std::vector<Mention> mentions = sentence.mentions;
  std::ranges::sort(mentions, {}, &Mention::head);
  std::vector<Anaphor> anaphors;
  for (auto mention = mentions.begin(); mention != mentions.end(); ++mention) {
    const auto is_same = [&mention](const Mention& other) {
      return other.entity == mention->entity;
    };
    if (std::any_of(mentions.begin(), mention, is_same)) {
      anaphors.push_back({At(sentence, mention->head).upos == "PRON", !is_same(*(mention - 1))});
    }
  }
  return anaphors;
}

TEST_CASE("the probes say who is meant, with someone else nearer in many", "[io][probes]") {
  int sentences = 0;
  int with_rival = 0;
  int with_noun = 0;
  for (const AnnotatedSentence& sentence : Probes().sentences) {
    INFO(sentence.id);
    const std::vector<Anaphor> anaphors = Anaphors(sentence);
    sentences += anaphors.empty() ? 0 : 1;
    with_rival += std::ranges::any_of(anaphors, &Anaphor::has_rival) ? 1 : 0;
    with_noun += std::ranges::all_of(anaphors, &Anaphor::is_pronoun) ? 0 : 1;
    for (const Mention& mention : sentence.mentions) {
      const std::string& upos = At(sentence, mention.head).upos;
      CHECK((upos == "NOUN" || upos == "PROPN" || upos == "PRON" || upos == "NUM"));
    }
  }
  CHECK(sentences >= 60);
  CHECK(2 * with_rival >= sentences);
  CHECK(with_noun >= 10);
}

TEST_CASE("heads stand on the side where English has them", "[io][probes]") {
  for (const AnnotatedSentence& sentence : Probes().sentences) {
    for (std::int64_t i = 0; i < std::ssize(sentence.words); ++i) {
      const AnnotatedWord& word = At(sentence, i);
      INFO(sentence.id << ": " << word.form << ", " << word.relation);
      static const std::set<std::string> before = {
          "det", "amod", "aux", "aux:pass", "cop", "mark", "nmod:poss", "nummod", "cc", "compound"};
      static const std::set<std::string> after = {
          "iobj", "nmod", "conj", "xcomp", "acl", "acl:relcl", "flat", "appos", "compound:prt"};
      if (before.contains(word.relation) || (word.relation == "case" && word.form != "'s")) {
        CHECK(word.head > i);
      } else if (after.contains(word.relation) || word.relation == "case") {
        CHECK(word.head < i);
      }
    }
  }
}

TEST_CASE("the plain probe sentences are forty, each long enough", "[io][probes]") {
  const auto text = ReadTextFile(test::SourceFolder() / "assets" / "probes" / "sentences.txt");
  REQUIRE(text.has_value());
  std::istringstream lines(*text);
  int sentences = 0;
  for (std::string line; std::getline(lines, line); ++sentences) {
    INFO(line);
    const auto words = 1 + std::ranges::count(line, ' ');
    CHECK(words >= 12);
    CHECK(words <= 30);
  }
  CHECK(sentences == 40);
}

// Whether every word between a word and its head hangs below the head.
bool IsProjective(const AnnotatedSentence& sentence, std::int64_t word) {
  const std::int64_t head = At(sentence, word).head;
  for (std::int64_t i = std::min(word, head) + 1; head >= 0 && i < std::max(word, head); ++i) {
    std::int64_t above = i;
    while (above >= 0 && above != head) {
      above = At(sentence, above).head;
    }
    if (above != head) {
      return false;
    }
  }
  return true;
}

TEST_CASE("no arc of the probes crosses another", "[io][probes]") {
  for (const AnnotatedSentence& sentence : Probes().sentences) {
    for (std::int64_t i = 0; i < std::ssize(sentence.words); ++i) {
      INFO(sentence.id << ": " << At(sentence, i).form);
      CHECK(IsProjective(sentence, i));
    }
  }
}

}  // namespace
}  // namespace headscope
