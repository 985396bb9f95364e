// What tests/golden/compare_tokenizers.py asks of the tokenizers.
//
//   tokenize_lines text COUNT          the mixed lines, each followed by a zero
//   byte tokenize_lines ids TOKENIZER       the ids of each text on stdin (each
//   followed by a zero byte),
//                                      a line for each, with the special tokens
//                                      around it
//   tokenize_lines time TOKENIZER      seconds for all of stdin as one text
// TOKENIZER is a folder, a tokenizer.json or a tokenizer.model.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

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

int Run(const std::string& command, const std::string& argument) {
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
    std::fprintf(stderr, "usage: tokenize_lines text|ids|time ARGUMENT\n");
    return 2;
  }
  return headscope::Run(arguments[1], arguments[2]);
}
