# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

#[=======================================================================[.rst:
FindCAF
-------

Finds the C++ Actor Framework: CAF 1 by its package files, CAF 0.17 by its
headers and libraries, because Debian's ``libcaf-dev`` has no CMake files. If
both are installed, CAF 1 is chosen, unless the requested version or ``CAF_ROOT``
excludes it.

Components are ``core`` and ``io``; without COMPONENTS, ``core``. The components
that a component depends on are found as well.

Imported targets: ``CAF::core``, ``CAF::io``.
Variables: ``CAF_FOUND``, ``CAF_VERSION``, ``CAF_<component>_FOUND``.
Hints: ``CAF_ROOT``, as a CMake or an environment variable.
#]=======================================================================]

set(_caf_reason
    "Supported are CAF 0.17.6 and 1.1. On Debian and Ubuntu: apt-get install libcaf-dev. CAF installed elsewhere is found with -DCAF_ROOT=<its prefix>.")

# CAF_ROOT takes precedence over CMake's search path. The search has its own
# version, because CAF's package file, which requires one major version, would
# reject the version range of the caller.
if(CAF_ROOT OR DEFINED ENV{CAF_ROOT})
  find_package(CAF 1.1 CONFIG QUIET PATHS ${CAF_ROOT} $ENV{CAF_ROOT}
               NO_DEFAULT_PATH)
else()
  find_package(CAF 1.1 CONFIG QUIET)
endif()
set(_caf_found_config FALSE)
if(CAF_FOUND)
  set(_caf_found_config TRUE)
  if(CAF_FIND_VERSION_RANGE)
    if(CAF_VERSION VERSION_LESS CAF_FIND_VERSION_MIN
       OR CAF_VERSION VERSION_GREATER CAF_FIND_VERSION_MAX
       OR (CAF_FIND_VERSION_RANGE_MAX STREQUAL "EXCLUDE"
           AND CAF_VERSION VERSION_EQUAL CAF_FIND_VERSION_MAX))
      set(_caf_found_config FALSE)
    endif()
  endif()
endif()
if(_caf_found_config)
  foreach(_caf_component IN LISTS CAF_FIND_COMPONENTS)
    if(TARGET CAF::${_caf_component})
      set(CAF_${_caf_component}_FOUND TRUE)
    endif()
  endforeach()
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(
    CAF
    REQUIRED_VARS CAF_CONFIG
    VERSION_VAR CAF_VERSION
    HANDLE_VERSION_RANGE
    HANDLE_COMPONENTS
    REASON_FAILURE_MESSAGE "${_caf_reason}")
  return()
endif()
unset(CAF_FOUND)

set(_caf_known core io)
set(_caf_header_core caf/all.hpp)
set(_caf_header_io caf/io/all.hpp)
set(_caf_needs_core "")
set(_caf_needs_io core)

if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core)
  set(CAF_FIND_REQUIRED_core TRUE)
endif()

find_path(CAF_INCLUDE_DIR caf/config.hpp DOC "The folder with caf/config.hpp")
mark_as_advanced(CAF_INCLUDE_DIR)

# CAF 0.17 has its version as one number: 1706 is 0.17.6. CAF 1 has it in
# another header, which is read so that the message can name the version.
unset(CAF_VERSION)
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line
       REGEX "^#define CAF_VERSION [0-9]+")
  if(_caf_line MATCHES "CAF_VERSION ([0-9]+)")
    math(EXPR _caf_major "${CMAKE_MATCH_1} / 10000")
    math(EXPR _caf_minor "${CMAKE_MATCH_1} / 100 % 100")
    math(EXPR _caf_patch "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
  elseif(EXISTS "${CAF_INCLUDE_DIR}/caf/detail/build_config.hpp")
    file(STRINGS "${CAF_INCLUDE_DIR}/caf/detail/build_config.hpp" _caf_line
         REGEX "^#define CAF_VERSION_STR ")
    if(_caf_line MATCHES "\"([0-9.]+)\"")
      set(CAF_VERSION "${CMAKE_MATCH_1}")
    endif()
  endif()
endif()

set(_caf_wanted "")
foreach(_caf_component IN LISTS CAF_FIND_COMPONENTS)
  if(_caf_component IN_LIST _caf_known)
    list(APPEND _caf_wanted ${_caf_component} ${_caf_needs_${_caf_component}})
  endif()
endforeach()
list(REMOVE_DUPLICATES _caf_wanted)

foreach(_caf_component IN LISTS _caf_wanted)
  find_library(CAF_${_caf_component}_LIBRARY NAMES caf_${_caf_component}
               DOC "The library caf_${_caf_component}")
  mark_as_advanced(CAF_${_caf_component}_LIBRARY)
endforeach()

foreach(_caf_component IN LISTS _caf_wanted)
  set(CAF_${_caf_component}_FOUND TRUE)
  foreach(_caf_part IN ITEMS ${_caf_component} ${_caf_needs_${_caf_component}})
    if(NOT CAF_${_caf_part}_LIBRARY OR NOT CAF_INCLUDE_DIR
       OR NOT EXISTS "${CAF_INCLUDE_DIR}/${_caf_header_${_caf_part}}")
      set(CAF_${_caf_component}_FOUND FALSE)
    endif()
  endforeach()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CAF
  REQUIRED_VARS CAF_core_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION
  HANDLE_VERSION_RANGE
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE "${_caf_reason}")

if(CAF_FOUND)
  find_package(Threads REQUIRED)
  foreach(_caf_component IN LISTS _caf_wanted)
    if(CAF_${_caf_component}_FOUND AND NOT TARGET CAF::${_caf_component})
      add_library(CAF::${_caf_component} UNKNOWN IMPORTED)
      set(_caf_links Threads::Threads)
      foreach(_caf_part IN LISTS _caf_needs_${_caf_component})
        list(APPEND _caf_links CAF::${_caf_part})
      endforeach()
      # Include folders of imported targets are SYSTEM, because CAF's headers
      # cause warnings with our flags.
      set_target_properties(
        CAF::${_caf_component}
        PROPERTIES IMPORTED_LOCATION "${CAF_${_caf_component}_LIBRARY}"
                   INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
                   INTERFACE_LINK_LIBRARIES "${_caf_links}")
    endif()
  endforeach()
endif()
