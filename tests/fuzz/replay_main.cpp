// Gives every file of the folders named to the fuzz target that this is linked with. A crash, a
// failed check or a sanitizer's report ends it; so does an empty folder, which would check nothing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

// libFuzzer's own name and signature.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    for (const std::filesystem::path& path : paths) {
      std::printf("%s\n", path.filename().c_str());
      std::fflush(stdout);
      std::vector<std::uint8_t> bytes(std::filesystem::file_size(path));
      std::ifstream file(path, std::ios::binary);
      if (!file.read(reinterpret_cast<char*>(bytes.data()),
                     static_cast<std::streamsize>(bytes.size()))) {
        std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
        return 1;
      }
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    if (paths.empty()) {
      std::fprintf(stderr, "%s: expected inputs, found none\n", arguments[i]);
      return 1;
    }
  }
  return count > 1 ? 0 : 1;
}
