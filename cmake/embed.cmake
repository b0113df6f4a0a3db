# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Writes the files of a page, page.html, page.css and page.js, as a source:
# page_files.cpp.in beside them says how.
#
#   cmake -D SOURCES=<folder> -D SOURCE=<file.cpp> -P embed.cmake

foreach(kind IN ITEMS html css js)
  # Byte by byte, because compilers need not take a string of this length.
  file(READ ${SOURCES}/page.${kind} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," ${kind} "${bytes}")
endforeach()
configure_file(${SOURCES}/page_files.cpp.in ${SOURCE} @ONLY)
# It leaves a file alone that would not change.
file(TOUCH ${SOURCE})
