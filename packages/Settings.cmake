# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# How everything is built if packages are made of it.

if(NOT CAF_ROSIA_BUILD_TOOLS)
  message(FATAL_ERROR "CAF_ROSIA_BUILD_PACKAGES needs CAF_ROSIA_BUILD_TOOLS")
endif()

# Debian has a folder of libraries for each architecture, if this is the prefix.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "Install path prefix" FORCE)
endif()

# What Debian builds its own packages with, beyond what its compilers do.
add_compile_options(-fstack-protector-strong -Wdate-time
                    "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>"
                    # A package does not tell where it was built.
                    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
add_link_options(LINKER:-z,relro LINKER:-z,now)
