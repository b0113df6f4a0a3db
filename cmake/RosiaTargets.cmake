# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Common settings of the project's targets. They are not installed.

add_library(caf_rosia_flags INTERFACE)
target_compile_options(
  caf_rosia_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
            # Libraries and programs share precompiled headers, so they must not
            # differ in -fPIC and -fPIE.
            -fPIC
            # Permits inlining between functions of the library.
            -fno-semantic-interposition)
# The files of a batch share a scope, so names may shadow names of other files.
# A build without batches warns.
set(in_batches $<BOOL:$<TARGET_PROPERTY:ROSIA_BATCHES>>)
target_compile_options(
  caf_rosia_flags
  INTERFACE $<${in_batches}:-Wno-shadow>
            $<$<AND:${in_batches},$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
if(CAF_ROSIA_WERROR)
  target_compile_options(caf_rosia_flags INTERFACE -Werror)
endif()
if(CAF_ROSIA_SANITIZE)
  target_compile_options(
    caf_rosia_flags INTERFACE -fsanitize=${CAF_ROSIA_SANITIZE}
                              -fno-sanitize-recover=all
                              # The address sanitizer finds most of the
                              # same, and these take a third of the compile
                              # time.
                              -fno-sanitize=object-size,vptr
                              -fno-omit-frame-pointer
                              # g++ 12 reports false positives in its standard
                              # library.
                              $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(caf_rosia_flags INTERFACE
                      -fsanitize=${CAF_ROSIA_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(
      caf_rosia_flags
      INTERFACE
        -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignorelist.txt)
  endif()
endif()

# rosia_sources(<variable> [EXCEPT <file>...] PATTERNS <glob>...)
# Finds the sources below the current folder. The next build finds files that
# are added later.
function(rosia_sources variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT;PATTERNS")
  list(TRANSFORM arg_PATTERNS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM arg_EXCEPT PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${arg_PATTERNS})
  if(arg_EXCEPT)
    list(REMOVE_ITEM found ${arg_EXCEPT})
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# rosia_batch(<target>)
# With CMAKE_UNITY_BUILD, divides the target's sources into batches, which are
# compiled as one file each, in a third of the time. A source with a UNITY_GROUP
# keeps it. A source with SKIP_UNITY_BUILD_INCLUSION or without the precompiled
# header is compiled alone.
function(rosia_batch target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP ROSIA_BATCHES ON)
  set(max_size 150000)
  set(min_size 90000)
  set(number 0)
  set(folder "")
  set(total ${max_size})
  get_target_property(files ${target} SOURCES)
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file)
    get_source_file_property(batch ${file} UNITY_GROUP)
    get_source_file_property(alone ${file} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(own_headers ${file} SKIP_PRECOMPILE_HEADERS)
    if(batch OR alone OR own_headers OR NOT file MATCHES "\\.cpp$" OR NOT EXISTS ${file})
      continue()
    endif()
    cmake_path(GET file PARENT_PATH parent)
    file(SIZE ${file} size)
    if(total GREATER_EQUAL max_size
       OR (total GREATER_EQUAL min_size AND NOT parent STREQUAL folder))
      math(EXPR number "${number} + 1")
      set(total 0)
    endif()
    set(folder ${parent})
    math(EXPR total "${total} + ${size}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${target}_${number})
  endforeach()
endfunction()

# rosia_add_test(<name> [COMPUTES] [TIMEOUT <seconds>] [LABELS <label>...]
#                [LIBRARIES <target>...] [SOURCES <file>...])
# Adds an executable of Catch2 tests as one ctest test. SOURCES defaults to all
# *.cpp below the current folder. Tests run beside each other, even those that
# measure physical time: none depends on the speed of the machine. COMPUTES is
# for those that compute for longer than they compile: they are optimized like
# the library, whatever CAF_ROSIA_TEST_FLAGS says.
function(rosia_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COMPUTES" "TIMEOUT"
                        "LABELS;LIBRARIES;SOURCES")
  if(NOT arg_SOURCES)
    rosia_sources(arg_SOURCES PATTERNS *.cpp)
  endif()
  if(NOT arg_SOURCES)
    message(STATUS "${name}: no sources")
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE rosia_test_main ${arg_LIBRARIES})
  if(arg_COMPUTES AND CAF_ROSIA_TEST_FLAGS)
    set_target_properties(${name} PROPERTIES ROSIA_COMPUTES ON)
    target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/pch.hpp)
  else()
    target_precompile_headers(${name} REUSE_FROM rosia_test_main)
  endif()
  rosia_batch(${name})
  # Names each test that has ended. If a test is killed, there is no other
  # output.
  add_test(NAME ${name} COMMAND ${name} --durations yes)
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS
                                          "${arg_LABELS}")
  if(CAF_ROSIA_SANITIZE MATCHES thread)
    set_tests_properties(
      ${name}
      PROPERTIES
        ENVIRONMENT
        "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/race_suppressions.txt")
  endif()
endfunction()

# rosia_add_example(<name> SOURCES <file>... [LIBRARIES <target>...])
# Adds an example program, which is built in examples/.
function(rosia_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  # The target has a longer name, because a name such as `timer` could collide
  # with a target of another project.
  add_executable(example_${name} ${arg_SOURCES})
  set_target_properties(
    example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                                                   ${PROJECT_BINARY_DIR}/examples)
  target_link_libraries(example_${name} PRIVATE caf_rosia::caf_rosia
                                                caf_rosia_flags ${arg_LIBRARIES})
  target_precompile_headers(example_${name} REUSE_FROM caf_rosia_shutdown)
endfunction()

# rosia_embed_page(<variable> <folder>)
# Generates a source with the files of a page, which are in the folder.
function(rosia_embed_page variable folder)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/page_files.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D SOURCES=${folder} -D SOURCE=${source} -P ${script}
    DEPENDS ${script} ${folder}/page_files.cpp.in ${folder}/page.css
            ${folder}/page.html ${folder}/page.js
    COMMENT "Embedding a page"
    VERBATIM)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
