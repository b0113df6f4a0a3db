# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# Build settings for packages.

if(NOT CAF_ROSIA_BUILD_TOOLS)
  message(FATAL_ERROR "CAF_ROSIA_BUILD_PACKAGES needs CAF_ROSIA_BUILD_TOOLS")
endif()

# With this prefix, Debian has a folder of libraries for each architecture.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "Install path prefix" FORCE)
endif()

# The flags of Debian's packages that are not defaults of its compilers.
add_compile_options(-fstack-protector-strong -Wdate-time
                    "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>"
                    # The package must not contain the path of the build folder.
                    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
add_link_options(LINKER:-z,relro LINKER:-z,now)
