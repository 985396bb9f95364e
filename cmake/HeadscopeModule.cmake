# headscope_module(<name> [DEPENDS module targets] [PRIVATE third_party targets] [PUBLIC third_party targets] [LOOPS files])
# declares the static library headscope_<name>, made of every .cpp in the folder and below. DEPENDS names what stands to its
# left (docs/architecture.md: the one-direction rule). LOOPS: the files with inner loops.
function(headscope_module name)
  cmake_parse_arguments(arg "" "" "DEPENDS;PRIVATE;PUBLIC;LOOPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "*.cpp")
  set(target headscope_${name})
  add_library(${target} STATIC ${sources})
  target_link_libraries(${target}
    PUBLIC headscope_options ${arg_DEPENDS} ${arg_PUBLIC}
    PRIVATE ${arg_PRIVATE})
  headscope_reuse(${target} headscope_headers)
  headscope_unity(${target} 24)
  headscope_loops(${arg_LOOPS})
endfunction()

# headscope_loops(<files>): compiled for speed in every build but Debug. Headers precompiled for another optimisation do not fit.
function(headscope_loops)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "${HEADSCOPE_LOOP_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# headscope_unity(<target> <count>): so many of its files are compiled as one, where building all matters more than building
# again.
function(headscope_unity target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEADSCOPE_UNITY} UNITY_BUILD_BATCH_SIZE ${count})
endfunction()

# headscope_registry(<target> <kind> <folder>): every .cpp in <folder> is an entry of a generated table, registry/<kind>.inc:
# previous_token.cpp becomes HEADSCOPE_ENTRY(PreviousToken). <target> compiles it as its other files.
function(headscope_registry target kind folder)
  file(GLOB files CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WE)
    string(REPLACE "_" ";" words "${stem}")
    set(symbol "")
    foreach(word IN LISTS words)
      string(SUBSTRING "${word}" 0 1 first)
      string(SUBSTRING "${word}" 1 -1 rest)
      string(TOUPPER "${first}" first)
      string(APPEND symbol "${first}${rest}")
    endforeach()
    string(APPEND entries "HEADSCOPE_ENTRY(${symbol})\n")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/generated/registry/${kind}.inc" CONTENT "${entries}" @ONLY)
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
endfunction()
