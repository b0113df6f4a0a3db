# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Generates a source from the files of a page, page.html, page.css and page.js,
# by the template page_files.cpp.in beside them.
#
#   cmake -D SOURCES=<folder> -D SOURCE=<file.cpp> -P embed.cmake

foreach(kind IN ITEMS html css js)
  # As bytes, because the standard does not guarantee string literals of this
  # length.
  file(READ ${SOURCES}/page.${kind} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," ${kind} "${bytes}")
endforeach()
configure_file(${SOURCES}/page_files.cpp.in ${SOURCE} @ONLY)
# configure_file() keeps the old time if the content has not changed.
file(TOUCH ${SOURCE})
