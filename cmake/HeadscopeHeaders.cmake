# Headers that nearly every file reads are compiled once: for all modules (headscope_headers), and for all tests, which add
# Catch2 (headscope_test_headers). Files still include what they use: the clang preset, which tidy reads, builds without.
option(HEADSCOPE_PRECOMPILED_HEADERS "Compile the headers that nearly every file reads only once" ON)

# headscope_precompiled(<name> SOURCE <file> LINK <targets> HEADERS <headers>): what other targets then reuse.
function(headscope_precompiled name)
  cmake_parse_arguments(arg "" "" "SOURCE;LINK;HEADERS" ${ARGN})
  if(HEADSCOPE_PRECOMPILED_HEADERS)
    add_library(${name} OBJECT "${arg_SOURCE}")
    target_link_libraries(${name} PRIVATE headscope_options ${arg_LINK})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# headscope_reuse(<target> <name>): <target> reads what <name> precompiled. Its options must be the same.
function(headscope_reuse target name)
  if(HEADSCOPE_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

set(HEADSCOPE_COMMON_HEADERS
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits>
  <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <thread> <tuple>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)
