// Looks for the annotated sentence of a text.
#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "core/io/annotated_text.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

// Files, and the annotated ones of folders, in the order of their names.
std::vector<fs::path> FilesOf(const std::vector<fs::path>& places) {
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::is_directory(place, error)) {
      files.push_back(place);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (entry.path().extension() == ".conllu") {
        inside.push_back(entry.path());
      }
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::shared_ptr<const FoundTree> Found(TextTree tree) {
  FoundTree found;
  found.why_not = WhyNoTree(tree);
  if (found.why_not.empty()) {
    found.tree = std::make_shared<const TextTree>(std::move(tree));
  }
  return std::make_shared<const FoundTree>(std::move(found));
}

}  // namespace

Status FindTreeJob::Run(Job* job) const {
  if (open != nullptr) {
    if (const auto sentence = FindSentence(open->text, text)) {
      job->publish(TreeFound{Found(TreeOfSentence(open->text, *sentence, open->path, *tokens))});
      return {};
    }
  }
  for (const fs::path& file : FilesOf(files)) {
    const Result<AnnotatedText> read = ReadAnnotatedText(file, job->stop);
    if (!read) {
      if (read.error().code == ErrorCode::kCancelled) {
        return tl::unexpected(read.error());
      }
      continue;  // whoever opened it was told
    }
    if (const auto sentence = FindSentence(*read, text)) {
      job->publish(TreeFound{Found(TreeOfSentence(*read, *sentence, file, *tokens))});
      return {};
    }
  }
  job->publish(TreeFound{std::make_shared<const FoundTree>(FoundTree{
      .tree = nullptr,
      .why_not = "The text is not a sentence of an annotated file; open or drop one (.conllu)."})});
  return {};
}

}  // namespace headscope
