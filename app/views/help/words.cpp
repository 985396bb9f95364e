#include "app/views/help/words.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "app/state/cause_numbers.h"
#include "app/views/screens.h"
#include "core/base/sentence.h"
#include "core/heads/decide/numbers.h"
#include "core/heads/decide/role_words.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

HelpChapter MapsChapter() {
  return {
      "Reading a map",
      {
          {"map",
           "One picture for each head: a row for each query, a column for each key. The colour of "
           "a cell is the weight."},
          {"token",
           "A word or a piece of one, as the model's tokenizer cuts the text. A dot before it says "
           "that it goes on with the word before: sa, ·il, ·or. Where several read alike, the "
           "number in brackets is its place in the text, from 0."},
          {"query", "The token that looks: a row of a map."},
          {"key",
           "A token that is looked at: a column of a map. On the status line, keys are those "
           "of the keyboard."},
          {"dot product, q·k",
           "The query's vector times the key's vector in this head, summed up: how well the two "
           "match. The number after × is the model's scale."},
          {"score",
           "The dot product times the scale, capped where the model does that, with what the model "
           "adds for the distance of the two tokens where it does that."},
          {"softmax",
           "Makes weights of the scores of a row: e to the power of each, divided by the sum of "
           "all."},
          {"weight",
           "A score after the softmax: from 0 to 1. The weights of a row sum to 1, or to what the "
           "head's sink leaves where it has one."},
          {"rank", "The place of a weight among those of its row: 1 is the largest."},
          {"masked",
           "A key that the query may not see: one that comes later, or one outside of the window. "
           "Its weight is exactly 0, and it has a colour of its own."},
          {"window of attention",
           "Some layers let a query see only so many keys before it; the others are masked."},
          {"row, sums to",
           "The weights of one query, the largest first, and their sum. Blue marks at the edges of "
           "the map show which row it is; the sentence is shaded by the same weights."},
          {"in the vocabulary",
           "A token as the tokenizer's file writes it: Ġ or ▁ stands for a blank before it, ## "
           "for a further piece of a word."},
          {"unknown",
           "Words that the model's vocabulary cannot say: its tokenizer puts its mark for what is "
           "unknown there, or bytes, or nothing. Beside the sentence stands how many there are; "
           "rest the pointer on it to read which."},
          {"first tokens",
           "Of a text with more tokens than the model reads, its first can be run. How many of how "
           "many stands beside the sentence, and below the maps of an export."},
          {"cross-hair, hold",
           "Marks the row and the column of the pointed cell. A click holds it, Esc lets go."},
          {"why this cell",
           "The score of a held cell, taken apart: query and key are sums of what the parts of the "
           "model wrote into the two tokens before the layer, and each part adds what stands "
           "beside it. A head's line leads to that head, “path” beside it to what that path carries "
           "between two texts, an MLP's line to the map of MLPs over tokens (Patching)."},
          {"keep, kept",
           "A kept head stays in the panel while the pointer moves over others. A click or Space "
           "keeps it, Esc releases it."},
          {"zoom, fit",
           "The wheel zooms about the pointer, and a drag moves the map. Fit shows all of it "
           "again; the number is how much larger than that it is."},
          {"tree",
           "In an annotated sentence each word but one depends on another, its governor, by a "
           "relation: det, nsubj, obj. In Arcs the tree stands above the line and the head below "
           "it; solid edges are those on which both agree."},
          {"steps, filmstrip",
           "The selected head on this text at the kept steps of the model's training, in one range "
           "of colours. A click opens a step."},
          {"lines, arcs",
           "Weights drawn between tokens: between two columns, or over one line of text, where "
           "arcs above it lead back and arcs below it ahead. A stronger line is a larger weight."},
          {"largest weights up to 90 %",
           "Of each row the largest weights, as few as make up so much of what the row gives its "
           "tokens. The words below say how much that leaves out."},
          {"one head, several",
           "The selected head alone, or all heads of its layer, each in a colour that no other "
           "head of the layer has. Text shades by their mean."},
          {"× values, × outputs",
           "A weight says where a head looks, not how much it takes from there. × values: each weight "
           "times the length of its value; × outputs: times the length of what the output projection "
           "makes of that value. The longest is 1, so a dark cell with a large weight brought little: "
           "heads that rest on the first token often do so because its value is short."},
          {"mean of layer",
           "The mean of all heads of a layer, cell by cell. What it shows, none of them may do."},
          {"rollout",
           "How much of each token of the text could be in each token after a layer, if every layer "
           "kept half of a token and filled the rest with what its heads' mean brings. It knows "
           "neither values nor MLPs."},
          {"looks at, looked at by",
           "What a word's row gives to each token, or what each token's row gives to the word."},
          {"text A, text B",
           "The two texts of a pair, or of one with a separator in it. Text A in the Text view sums what "
           "its tokens look at, and says how much of it goes to A, to B and to special tokens."},
          {"stop words",
           "Words such as “the” and “of”, which Tokens can hide: those of the built-in English list, "
           "or yours. A word is hidden with all its pieces; what was hidden is told."},
          {"query·key, product",
           "Each number of a query times the same number of a key. Their sum is the dot product."},
          {"pooled, mean, max, largest",
           "Where there are more weights than cells on screen, a cell stands for a block of them: "
           "for their mean, or for the largest (max). The words beside the map say when. Numbers "
           "under the pointer are always exact."},
      }};
}

// The numbers are those of docs/reference.md's commands on the bundled models.
HelpChapter CausesChapter() {
  return {
      "What heads do to a word",
      {
          {"next word, likeliest",
           "The tokens that the model finds likeliest after a held row, by the softmax over its "
           "whole vocabulary; a masked model says the word at the row itself. How sure a model is "
           "proves nothing of how it came to it.",
           NextWordNumbers},
          {"loss", "-log of the probability of the token that came, in nats: 0 if it was certain."},
          {"share, who raised, direct logit attribution",
           "What a head itself writes into a token's logit, with all norms held at what they are "
           "for the row. With embeddings, MLPs and biases the shares add up to the logit. What "
           "later layers make of the head's output is not counted, so that a small share is no proof "
           "of an idle head; a large one may be undone by what another head writes.",
           ShareNumbers},
          {"logit lens",
           "What the output layer would say if it read the stream after an earlier layer, through the "
           "final norm (headscope predict --lens). No earlier layer was trained to be read so: a word "
           "that shows late need not be decided late, and one that shows early may be there for "
           "another end.",
           LensNumbers},
          {"taken away",
           "A model without a head (X on its map; headscope predict --without): its output is 0 or "
           "a mean in every row, and all later layers are computed from that. Other heads often do "
           "its work then (backup heads), so that a small change is no evidence of a small role. A "
           "large one is little evidence of a large role: no text ever gave later layers such a "
           "stream. In copy-h4, with a mean in place of all heads of "
           "layer 1 the loss on repeats is 4.16, that of chance; with 0 it is 7 and more. Without "
           "any one of them it is below 0.4.",
           HeadsOffNumbers},
          {"edge, cut",
           "One weight of a head, from a row to a key (hold a cell of the large map and press K; "
           "headscope predict --cut): it counts as 0 in what the head writes. The rest of the row "
           "stays, or adds up to 1 again, as if the key were masked."},
          {"other heads",
           "What as many other heads of the same layers cost, drawn at random up to ten times: mean "
           "and standard deviation. Losing any head does some harm; a cost within the draws says "
           "nothing about this one."},
          {"patching",
           "One thing of a run is put into the run of another text (headscope patch): how much of "
           "the difference comes with it; of a head all rows, or one alone. Such a mixture is nothing "
           "that the model ever saw. A head that restores the difference need not be the only one that "
           "could, one that does not may be backed up by others, and shares overlap.",
           PatchingNumbers},
      }};
}

HelpChapter ColoursChapter() {
  return {
      "Colours",
      {
          {"curve",
           "How a weight becomes a place on the bar of colours: linear, square root or logarithm."},
          {"linear, square root, log, logarithm",
           "Linear follows the weight itself. The square root shows small weights better. The "
           "logarithm shows the smallest; it has a floor, below which all look alike (one "
           "millionth)."},
          {"range", "From which weight to which the colours run. R changes it."},
          {"0 to 1", "Every map from 0 to 1, so that all can be compared."},
          {"per row, row's largest", "Each row from 0 to its own largest weight."},
          {"per head, per layer, all heads",
           "From 0 to the largest weight of this head, of all heads of the layer, or of all heads. "
           "Only rows that see two keys or more count: one that sees a single key gives it all, "
           "1, in every head."},
          {"colour map, viridis, cividis, blues, greys",
           "The colours from low to high. Each is even in lightness and can be told apart by "
           "colour-blind eyes."},
          {"dark, light", "The colours of the window. Pictures have a choice of their own."},
      }};
}

HelpChapter ModelsChapter() {
  return {
      "Models",
      {
          {"layer, L", "One step of the model. Layers follow each other and count from 0."},
          {"head, H",
           "One of several attentions in a layer, with queries, keys and values of its own. L5H1 "
           "is head 1 of layer 5; both count from 0."},
          {"d", "How many numbers stand for a token on its way through the model."},
          {"dₖ, d_k", "How many of the columns of queries and keys a head has."},
          {"kv heads, key/value heads",
           "How many sets of keys and values there are, where several heads share one."},
          {"part, encoder, decoder, cross, cross-attention",
           "An encoder-decoder has three kinds of maps: the text looks at itself (encoder, E0H1), "
           "the target looks at itself (decoder, D0H1), the target looks at the text (cross, "
           "X0H1). P goes from one to the next. Heads has scores of all three; while they are "
           "measured the decoder reads the text that the encoder reads."},
          {"target, generated",
           "What the decoder reads. Where none is typed, the model generates it, and it is marked "
           "as generated."},
          {"precision, float32, bfloat16",
           "How numbers are kept while the model is computed: 32 bits, or 16 bits that need half "
           "the memory and round more."},
          {"oneDNN, threads", "The library that computes, and how many processor cores it uses."},
          {"checkpoint, checkpoints, step",
           "The model as it was after so many steps of its training."},
          {"embeddings",
           "The vectors that an attention module reads in place of a text, from .npy files."},
          {"attention from a file",
           "Weights that another program wrote: they can be looked at, but have no scores and "
           "cannot be cut into other head counts."},
          {"ids", "The tokens as numbers, run exactly as given."},
          {"sample, samples", "Sentences that show something, with the head to look at."},
      }};
}

HelpChapter FlagsChapter() {
  HelpChapter chapter{
      "Flags, sessions, pictures",
      {
          {"flag, flagged",
           "Your own word on what a head does: a role, a colour and a note. It is a bar under the "
           "head's thumbnail."},
          {"role", "What a head does, in a word: one of those below, or your own."},
      }};
  for (const Role& role : kRoles) {
    chapter.words.push_back({std::string(role.id), "A role: " + std::string(role.meaning) + "."});
  }
  const std::vector<HelpWord> rest = {
      {"suggested, strong, borderline", HowSharesAreDecided()},
      {"copying", HowCopiesAreDecided()},
      {"governor, dependent",
       "The two words of a grammatical relation, such as a noun and its determiner. " +
           HowRelationsAreDecided()},
      {"not decided, not decided yet",
       "What a head is right about beside chance and control, of too few pairs or rows to say; "
       "yet: while there are sentences that the scan has not read."},
      {"note", "What you write about a flag."},
      {"session, saved",
       "The file that keeps your flags, the text and the head you look at. It is written at once, "
       "whole or not at all. Runs of Train are held by the folders they are kept in, and open again "
       "paused. Scans are no part of it: finished ones are stored by themselves."},
      {"export, PNG, PDF",
       "A picture of a head, of a layer, of all heads or of the head counts, with its colours "
       "explained: pixels, or a page whose texts and cells stay sharp at any size. Scores are "
       "saved as tables: Files on the Heads screen."},
      {"longer side",
       "How many pixels the picture has along its longer side. On a PDF's page 150 make an inch."},
      {"background", "Whether the picture is light, for paper, or dark."},
  };
  chapter.words.insert(chapter.words.end(), rest.begin(), rest.end());
  return chapter;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

// Whether `term` is one of the terms of "linear, √, log".
bool Holds(std::string_view terms, std::string_view term) {
  while (!terms.empty()) {
    const std::size_t end = std::min(terms.find(", "), terms.size());
    if (Lower(terms.substr(0, end)) == Lower(term)) {
      return true;
    }
    terms.remove_prefix(std::min(end + 2, terms.size()));
  }
  return false;
}

HelpWord WordOf(const HeadNumber& number) {
  std::string name = number.name;
  const NumberWords& words = number.words;
  if (const std::size_t comma = name.find(", "); comma != name.npos) {
    name.erase(comma, 1);  // one term, not two
  }
  std::string meaning = fmt::format(
      "{} Formula: {}. Chance: {}.", Sentence(words.about), words.formula, words.chance);
  if (!words.control.empty()) {
    meaning += fmt::format(" Control: {}.", words.control);
  }
  return {std::move(name),
          meaning + fmt::format(" Mind: {}. {}", words.pitfall, Sentence(words.source))};
}

// The numbers that the chapters before do not define.
HelpChapter ScoresChapter(const std::vector<HelpChapter>& before) {
  HelpChapter chapter{"Scores of heads, one by one", {}};
  for (const HeadNumber* const number : AllNumbers()) {
    HelpWord word = WordOf(*number);
    // Far ones are as previous and next token; the others are told where roles are.
    const bool is_told = !number->is_far && number->group != NumberGroup::kOther;
    if (is_told && FindHelpWord(word.term, before) == nullptr) {
      chapter.words.push_back(std::move(word));
    }
  }
  return chapter;
}

}  // namespace

std::span<const HelpChapter> HelpChapters() {
  static const std::vector<HelpChapter> kChapters = [] {
    std::vector<HelpChapter> chapters = {MapsChapter(), ColoursChapter(), ModelsChapter()};
    for (const Screen* screen : AllScreens()) {
      if (screen->words != nullptr) {
        chapters.push_back(screen->words());
      }
    }
    chapters.push_back(CausesChapter());
    chapters.push_back(FlagsChapter());
    chapters.push_back(ScoresChapter(chapters));
    return chapters;
  }();
  return kChapters;
}

const HelpWord* FindHelpWord(std::string_view term, std::span<const HelpChapter> chapters) {
  for (const HelpChapter& chapter : chapters) {
    for (const HelpWord& word : chapter.words) {
      if (Holds(word.term, term)) {
        return &word;
      }
    }
  }
  return nullptr;
}

}  // namespace headscope
