# Flags for our own targets only: nothing global.
add_library(headscope_options INTERFACE)
target_compile_features(headscope_options INTERFACE cxx_std_20)
target_include_directories(headscope_options INTERFACE "${PROJECT_SOURCE_DIR}")
# A precompiled header serves only where the compiler's options are its own, and OpenMP is one.
target_link_libraries(headscope_options INTERFACE third_party::openmp)

# Inner loops: vectors wherever they can be, comparisons as blends, which need not trap. With sanitizers the last step of
# optimising takes GCC most of its time and gains nothing.
set(most -O3)
if(HEADSCOPE_SANITIZE)
  set(most -O2)
endif()
set(HEADSCOPE_LOOP_OPTIONS
  -fno-trapping-math -fno-math-errno $<$<NOT:$<CONFIG:Debug>>:${most}>
  # How vectors are handed over differs between instruction sets; all of ours are inlined. clang says where a loop stays
  # scalar after all, GCC 12 what its own immintrin.h leaves undefined.
  -Wno-psabi
  $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized$<SEMICOLON>-Wno-maybe-uninitialized>)

if(HEADSCOPE_WARNINGS)
  target_compile_options(headscope_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wdouble-promotion
    -Wformat=2 -Wimplicit-fallthrough
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op;-Wsuggest-override>)
endif()
if(HEADSCOPE_WERROR)
  target_compile_options(headscope_options INTERFACE -Werror)
endif()
# GCC sees ghosts in the standard library's own code: where it inlines std::string from a precompiled header, where code is
# instrumented or optimised for debugging, among the unused members of a variant. clang and ASan find nothing there. GCC 14
# minds the move in HEADSCOPE_TRY where the result is const.
target_compile_options(headscope_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow;-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-null-dereference>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-redundant-move>)
if(HEADSCOPE_UNITY)
  # They ask of one file what holds only of several; ./check apart asks them of each file.
  target_compile_options(headscope_options INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

if(HEADSCOPE_SANITIZE)
  target_compile_options(headscope_options INTERFACE
    -fsanitize=${HEADSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(HEADSCOPE_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # They cost GCC half of its time. ASan stops at null and past an object's end anyway, and only the core, which maps files,
    # has pointers that could be out of line; clang, which builds the fuzzers, checks them all.
    target_compile_options(headscope_options INTERFACE -fno-sanitize=null,object-size,vptr,alignment
      $<$<BOOL:$<TARGET_PROPERTY:HEADSCOPE_SANITIZE_ALIGNMENT>>:-fsanitize=alignment>)
  endif()
  target_link_options(headscope_options INTERFACE -fsanitize=${HEADSCOPE_SANITIZE})
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
  # It trusts a precompiled header only when told to.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env "CCACHE_SLOPPINESS=pch_defines,time_macros" "${HEADSCOPE_CCACHE}")
endif()
