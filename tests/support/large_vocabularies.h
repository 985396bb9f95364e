// Tokenizer files of many pieces, of every kind, made in code: their loading takes long enough to
// be stopped.
//
// Shapes   words of one to three letters: 18,278 of them, each joined of its first letters and its
//          last.
// Threads  plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/gguf_builder.h"

namespace headscope::test {

inline std::vector<std::string> ManyPieces() {
  std::vector<std::string> pieces = {""};
  std::size_t begin = 0;
  for (int letters = 1; letters <= 3; ++letters) {
    const std::size_t end = pieces.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (char letter = 'a'; letter <= 'z'; ++letter) {
        pieces.push_back(pieces[i] + letter);
      }
    }
    begin = end;
  }
  pieces.erase(pieces.begin());
  return pieces;
}

// "ab c" of "abc".
inline std::vector<std::string> MergesOf(const std::vector<std::string>& pieces) {
  std::vector<std::string> merges;
  for (const std::string& piece : pieces) {
    if (piece.size() > 1) {
      merges.push_back(piece.substr(0, piece.size() - 1) + " " + piece.back());
    }
  }
  return merges;
}

inline std::string IdsAsJson(const std::vector<std::string>& pieces) {
  std::string json;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    json += fmt::format("{}\"{}\": {}", id == 0 ? "{" : ", ", pieces[id], id);
  }
  return json + "}";
}

inline std::string BpeJson() {
  const std::vector<std::string> pieces = ManyPieces();
  std::string merges;
  for (const std::string& merge : MergesOf(pieces)) {
    merges += fmt::format("{}\"{}\"", merges.empty() ? "" : ", ", merge);
  }
  return fmt::format(
      R"({{"model": {{"type": "BPE", "vocab": {}, "merges": [{}]}}}})", IdsAsJson(pieces), merges);
}

inline std::string UnigramJson() {
  std::string vocab;
  for (const std::string& piece : ManyPieces()) {
    vocab += fmt::format("{}[\"{}\", -{}.5]", vocab.empty() ? "" : ", ", piece, piece.size());
  }
  return fmt::format(R"({{"model": {{"type": "Unigram", "unk_id": 0, "vocab": [{}]}}}})", vocab);
}

inline std::string WordPieceJson() {
  std::vector<std::string> pieces = ManyPieces();
  pieces.emplace_back("[UNK]");
  return fmt::format(R"({{"model": {{"type": "WordPiece", "vocab": {}}}}})", IdsAsJson(pieces));
}

inline std::string VocabText() {
  std::string lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (const std::string& piece : ManyPieces()) {
    lines += piece + "\n";
  }
  return lines;
}

// A SentencePiece model of that type: 1 unigram, 2 BPE.
inline std::string SentencePieceFile(char type) {
  const auto field = [](char number, const std::string& bytes) {  // below 128 bytes
    return std::string{static_cast<char>(number * 8 + 2), static_cast<char>(bytes.size())} + bytes;
  };
  std::string file = field(1, field(1, "<unk>") + std::string("\x18\x02", 2));
  float score = -1.0F;
  for (const std::string& piece : ManyPieces()) {
    file += field(1, field(1, piece) + "\x15" + Raw(score));
    score -= 0.25F;
  }
  return file + field(2, std::string{'\x18', type});
}

// The metadata of a GGUF file for such a vocabulary: "gpt2", "llama", "t5" or "bert".
inline void AddVocabulary(const std::string& model, GgufBuilder* file) {
  std::vector<std::string> pieces = ManyPieces();
  const bool has_merges = model == "gpt2";
  file->Add("tokenizer.ggml.model", model.c_str());
  if (has_merges) {
    file->Add("tokenizer.ggml.pre", "gpt-2").Add("tokenizer.ggml.merges", MergesOf(pieces));
  } else {
    file->Add("tokenizer.ggml.unknown_token_id", 0U);
    file->Add("tokenizer.ggml.scores", std::vector<float>(pieces.size(), -1.0F));
  }
  file->Add("tokenizer.ggml.tokens", pieces);
}

}  // namespace headscope::test
