# headscope_module(<name> SOURCES ... [PATIENT ...] [DEPENDS module targets] [PRIVATE third_party targets] [PUBLIC third_party targets])
# declares the static library headscope_<name>. DEPENDS names what stands to its left (docs/architecture.md: the one-direction rule).
# PATIENT: sources that wait for a disk or a person and count nothing, compiled with HEADSCOPE_PATIENT_OPTIMISATION.
function(headscope_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;PATIENT;DEPENDS;PRIVATE;PUBLIC" ${ARGN})
  add_library(headscope_${name} STATIC ${arg_SOURCES})
  headscope_compile(headscope_${name} ${HEADSCOPE_MODULE_HEADERS})
  if(arg_PATIENT)  # joined apart from the others in every build, so that what compiles in one does in all
    add_library(headscope_${name}_patient OBJECT ${arg_PATIENT})
    if(TARGET headscope_patient_headers)
      target_compile_options(headscope_${name}_patient PRIVATE ${HEADSCOPE_PATIENT_OPTIMISATION})
      headscope_compile(headscope_${name}_patient headscope_patient_headers)
    else()
      headscope_compile(headscope_${name}_patient ${HEADSCOPE_MODULE_HEADERS})
    endif()
    target_sources(headscope_${name} PRIVATE $<TARGET_OBJECTS:headscope_${name}_patient>)
  endif()
endfunction()

# headscope_compile(<target> <precompiled headers>): what a module's targets have in common; within headscope_module alone.
macro(headscope_compile target headers)
  target_link_libraries(${target}
    PUBLIC headscope_options ${arg_DEPENDS} ${arg_PUBLIC}
    PRIVATE ${arg_PRIVATE})
  headscope_reuse(${target} ${headers})
  # Four dozen files are compiled as one where building all matters more than building again.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEADSCOPE_UNITY} UNITY_BUILD_BATCH_SIZE 48)
endmacro()

# headscope_registry(<target> <kind> <folder>): every .cpp in <folder> is an entry. previous_token.cpp becomes
# HEADSCOPE_ENTRY(PreviousToken) in the generated file registry/<kind>.inc, and is compiled into <target>. Names within an
# entry carry the entry's own (IsBert, DescribeBert), since entries are joined as a module's other files are.
function(headscope_registry target kind folder)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
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
  target_sources(${target} PRIVATE ${files})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated")
endfunction()
