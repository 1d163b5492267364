# SPDX-License-Identifier: BSL-1.0
# Runs a portfile as vcpkg does, for the functions that it calls: cmake -DPORT=FOLDER -DPREFIX=FOLDER -DCOMPILER=FILE -P vcpkg.cmake
set(CURRENT_PACKAGES_DIR "${PREFIX}")
set(build "${PREFIX}-build")

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run("${CMAKE_COMMAND}" -G Ninja -S "${arg_SOURCE_PATH}" -B "${build}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
  run("${CMAKE_COMMAND}" --install "${build}")
endfunction()
# The configuration moves to share/PORT, so its way to the prefix is shorter.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  set(share "${CURRENT_PACKAGES_DIR}/share/strider")
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
  file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${share}")
  file(READ "${share}/striderConfig.cmake" config)
  string(REGEX REPLACE "\\\${CMAKE_CURRENT_LIST_DIR}/[./]+" "\${CMAKE_CURRENT_LIST_DIR}/../../" config "${config}")
  file(WRITE "${share}/striderConfig.cmake" "${config}")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION "${CURRENT_PACKAGES_DIR}/share/strider" RENAME copyright)
endfunction()

include("${PORT}/portfile.cmake")
