# Flags for our own targets only: nothing global.
add_library(headscope_options INTERFACE)
target_compile_features(headscope_options INTERFACE cxx_std_20)
target_include_directories(headscope_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(headscope_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wdouble-promotion
  -Wformat=2 -Wimplicit-fallthrough
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op;-Wsuggest-override>
  # GCC 14 minds the move in HEADSCOPE_TRY where the result is const, and takes the unused members of a variant for
  # uninitialised ones, and empty strings for null.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-redundant-move;-Wno-maybe-uninitialized;-Wno-null-dereference>
  $<$<BOOL:${HEADSCOPE_WERROR}>:-Werror>)
if(HEADSCOPE_SANITIZE)
  target_compile_options(headscope_options INTERFACE
    -fsanitize=${HEADSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(headscope_options INTERFACE -fsanitize=${HEADSCOPE_SANITIZE})
  # GCC sees ghosts in the standard library's own code once it is instrumented; other presets keep these two.
  target_compile_options(headscope_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-null-dereference>)
endif()
if(HEADSCOPE_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HEADSCOPE_FUZZERS needs clang (cmake --preset clang)")
  endif()
  # Counts branches in all our code; the fuzz targets alone get libFuzzer's main.
  target_compile_options(headscope_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
find_program(HEADSCOPE_CCACHE ccache)
if(HEADSCOPE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HEADSCOPE_CCACHE}")
endif()
