# Flags for our own targets only: nothing global.
add_library(headscope_options INTERFACE)
target_compile_features(headscope_options INTERFACE cxx_std_20)
target_include_directories(headscope_options INTERFACE "${PROJECT_SOURCE_DIR}")
# A precompiled header serves only where the compiler's options are its own, and OpenMP is one.
target_link_libraries(headscope_options INTERFACE third_party::openmp)
# GCC would tidy its memory up at each third more of it, a tenth of its time; below a GB it need not.
target_compile_options(headscope_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=100;--param=ggc-min-heapsize=1000000>)
# How patient code is compiled, which waits for a disk or a person and counts nothing: twice as fast as with -O2.
set(HEADSCOPE_PATIENT_OPTIMISATION -Og)
if(HEADSCOPE_WERROR)
  target_compile_options(headscope_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wdouble-promotion
    -Wformat=2 -Wimplicit-fallthrough
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond;-Wlogical-op;-Wsuggest-override>
    # GCC 12 sees ghosts where it inlines std::string from a precompiled header; ASan finds nothing there.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow;-Wno-restrict>
    # GCC 14 minds the move in HEADSCOPE_TRY where the result is const, and takes the unused members of a variant for
    # uninitialised ones, and empty strings for null.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-redundant-move;-Wno-maybe-uninitialized;-Wno-null-dereference>
    -Werror)
else()
  # Whoever builds to use the program reads none, and they take GCC an eighth of its time.
  target_compile_options(headscope_options INTERFACE -w)
  # Nor are fmt's format strings checked once more: as much again.
  target_compile_definitions(headscope_options INTERFACE FMT_CONSTEVAL=)
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
  # GCC sees ghosts in the standard library's own code once it is instrumented; other presets keep these two.
  target_compile_options(headscope_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-null-dereference>)
endif()
# They ask of one file what holds only of several, or follow null through what is inlined; presets that compile each file by
# itself ask it.
set(unity_warnings "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;-Wno-shadow;-Wno-null-dereference>")
add_library(headscope_unity_warnings INTERFACE)  # linked last, so that it has the last word
target_compile_options(headscope_unity_warnings INTERFACE ${unity_warnings})
if(HEADSCOPE_UNITY)
  target_compile_options(headscope_options INTERFACE ${unity_warnings})
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
