# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Joins page.html, page.css and page.js, so that a report is one file, and writes
# the result as a page and as a source.
#
#   cmake -D SOURCES=<folder> -D PAGE=<file.html> -D SOURCE=<file.cpp> -P join_page.cmake

# Encodes bytes, given in hexadecimal, as base64.
function(to_base64 variable hex)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(result "")
  string(REGEX MATCHALL "......|..(..)?$" groups "${hex}")
  foreach(group IN LISTS groups)
    # Three bytes become four digits.
    string(LENGTH "${group}" length)
    math(EXPR count "${length} / 2 + 1")
    math(EXPR padding "4 - ${count}")
    string(SUBSTRING "${group}0000" 0 6 group)
    foreach(shift IN ITEMS 18 12 6 0)
      if(count GREATER 0)
        math(EXPR index "(0x${group} >> ${shift}) & 63")
        string(SUBSTRING "${digits}" ${index} 1 digit)
        string(APPEND result "${digit}")
      endif()
      math(EXPR count "${count} - 1")
    endforeach()
    string(REPEAT "=" ${padding} padding)
    string(APPEND result "${padding}")
  endforeach()
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()

# Replaces a marker, which must occur once.
function(replace_once text marker by)
  string(FIND "${${text}}" "${marker}" first)
  string(FIND "${${text}}" "${marker}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "page.html needs ${marker} once")
  endif()
  string(REPLACE "${marker}" "${by}" result "${${text}}")
  set(${text} "${result}" PARENT_SCOPE)
endfunction()

file(READ ${SOURCES}/page.html page_text)
file(READ ${SOURCES}/page.css style)
file(READ ${SOURCES}/page.js script)
# The page's policy lets a browser execute the script with this hash. The hash
# includes everything between the tags, with the newline after the first one.
string(SHA256 hash "\n${script}")
to_base64(hash "${hash}")
replace_once(page_text "ROSIA_DRILL_SCRIPT_HASH" "sha256-${hash}")
replace_once(page_text "/*ROSIA_DRILL_STYLE*/\n" "${style}")
replace_once(page_text "/*ROSIA_DRILL_SCRIPT*/\n" "${script}")
file(WRITE ${PAGE} "${page_text}")

# As bytes, because the standard does not guarantee string literals of this
# length.
file(READ ${PAGE} page HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," page "${page}")
configure_file(${SOURCES}/page.cpp.in ${SOURCE} @ONLY)
# configure_file() keeps the old time if the content has not changed.
file(TOUCH ${SOURCE})
