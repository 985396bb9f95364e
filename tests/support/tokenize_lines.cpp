// What tests/golden/compare_tokenizers.py and compare_patterns.py ask of the tokenizers.
//
//   tokenize_lines text COUNT      the mixed lines, each followed by a zero byte
//   tokenize_lines ids TOKENIZER   the ids of each text on stdin (each followed by a zero byte), a
//                                  line for each, with the special tokens around it
//   tokenize_lines time TOKENIZER  seconds for all of stdin as one text
//   tokenize_lines matches -       pairs on stdin, a pattern and a text, each followed by a zero
//                                  byte: a line for each, where the matches begin and end
// TOKENIZER is a folder, a tokenizer.json or a tokenizer.model.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "core/text/regex.h"
#include "core/text/tokenizer.h"
#include "tests/support/mixed_lines.h"

namespace headscope {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

std::string ReadAll(const std::istream& stream) {
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Loaded Load(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    return LoadTokenizer(path);
  }
  const std::string bytes = ReadAll(std::ifstream(path, std::ios::binary));
  return path.extension() == ".json" ? ParseTokenizerJson(bytes, path.string())
                                     : ParseTokenizerModel(bytes, path.string());
}

bool PrintIds(const Tokenizer& tokenizer, const std::string& text) {
  const Result<Encoding> encoding = tokenizer.Encode(text, {});
  if (!encoding) {
    std::fprintf(stderr, "%s\n", encoding.error().message.c_str());
    return false;
  }
  for (const Token& token : encoding->tokens) {
    std::printf("%d ", token.id);
  }
  std::printf("\n");
  return true;
}

bool PrintTime(const Tokenizer& tokenizer, const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  const Result<Encoding> encoding = tokenizer.Encode(text, {});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!encoding) {
    std::fprintf(stderr, "%s\n", encoding.error().message.c_str());
    return false;
  }
  std::printf("%.4f %zu\n", seconds.count(), encoding->tokens.size());
  return true;
}

void PrintMatches() {
  std::string pattern;
  for (std::string text;
       std::getline(std::cin, pattern, '\0') && std::getline(std::cin, text, '\0');) {
    const Result<text::Regex> regex = text::Regex::Compile(pattern, "pattern");
    const auto ranges = regex ? regex->FindAll(text) : PassOn(regex.error());
    if (!ranges) {
      std::printf("%s\n", ranges.error().message.c_str());
      continue;
    }
    for (const text::ByteRange& range : *ranges) {
      std::printf("%zu %zu ", range.begin, range.end);
    }
    std::printf("\n");
  }
}

int Run(const std::string& command, const std::string& argument) {
  if (command == "matches") {
    PrintMatches();
    return 0;
  }
  if (command == "text") {
    for (const std::string& line : MixedLines(std::stoul(argument))) {
      std::fwrite(line.c_str(), 1, line.size() + 1, stdout);
    }
    return 0;
  }
  const Loaded tokenizer = Load(argument);
  if (!tokenizer || *tokenizer == nullptr) {
    std::fprintf(stderr, "%s\n", tokenizer ? "no tokenizer" : tokenizer.error().message.c_str());
    return 1;
  }
  if (command == "time") {
    return PrintTime(**tokenizer, ReadAll(std::cin)) ? 0 : 1;
  }
  for (std::string text; std::getline(std::cin, text, '\0');) {
    if (!PrintIds(**tokenizer, text)) {
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace headscope

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: tokenize_lines text|ids|time|matches ARGUMENT\n");
    return 2;
  }
  return headscope::Run(arguments[1], arguments[2]);
}
