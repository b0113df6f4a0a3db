# Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
# SPDX-License-Identifier: BSD-3-Clause

# CPack runs this script after it has installed the files of each package in a
# separate folder, and before it makes the packages. The script adds the files
# that Debian requires, and compresses some of them.

function(compress)
  execute_process(COMMAND ${CPACK_ROSIA_GZIP} -9n ${ARGN} COMMAND_ERROR_IS_FATAL
                  ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} part)
  set(package ${CPACK_DEBIAN_${part}_PACKAGE_NAME})
  set(prefix
      ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(share ${prefix}/share)

  set(folder ${share}/doc/${package})
  file(COPY ${CPACK_ROSIA_DOCUMENTS}/ DESTINATION ${folder}
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  compress(${folder}/changelog ${folder}/changelog.Debian)
  file(GLOB pages ${share}/man/man1/*.1)
  if(pages)
    compress(${pages})
  endif()

  set(folder ${share}/lintian/overrides)
  file(COPY ${CPACK_ROSIA_OVERRIDES}/${component} DESTINATION ${folder}
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(RENAME ${folder}/${component} ${folder}/${package})

  file(GLOB programs ${prefix}/bin/* ${prefix}/lib*/*.so.* ${prefix}/lib*/*/*.so.*)
  foreach(program IN LISTS programs)
    # A script has nothing to strip.
    file(READ ${program} magic LIMIT 4 HEX)
    if(IS_SYMLINK ${program} OR NOT magic STREQUAL "7f454c46")
      continue()
    endif()
    # Not needed: the libraries are in the loader's search path.
    file(RPATH_REMOVE FILE ${program})
    execute_process(
      COMMAND ${CPACK_ROSIA_STRIP} --strip-unneeded --remove-section=.comment
              --remove-section=.note ${program} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()

  # Independent of the umask.
  file(CHMOD ${share} ${share}/doc ${share}/doc/${package} ${share}/lintian
       ${share}/lintian/overrides
       PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
endforeach()
