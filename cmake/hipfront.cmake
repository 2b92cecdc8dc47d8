# What HIP programs need beside the program: build/hip/include (our headers), build/hip/lib/libamdhip64.so (the room
# hipfront as a shared library that exports the C ABI of HIP) and build/hip/lib/hipvault_device.bc (device mathematics).

set(hip ${CMAKE_BINARY_DIR}/hip)
file(MAKE_DIRECTORY ${hip}/lib)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/hipfront/include ${hip}/include SYMBOLIC)

# The room implements our own headers.
target_include_directories(hv_hipfront SYSTEM PUBLIC ${CMAKE_SOURCE_DIR}/src/hipfront/include)
add_library(amdhip64 SHARED ${CMAKE_SOURCE_DIR}/src/hipfront/library/stand_in.cc)
target_link_libraries(amdhip64 PRIVATE -Wl,--whole-archive $<TARGET_FILE:hv_hipfront> -Wl,--no-whole-archive hv_hipfront)
set(exports ${CMAKE_SOURCE_DIR}/src/hipfront/library/exports.map)
target_link_options(amdhip64 PRIVATE -Wl,--version-script=${exports})
set_target_properties(amdhip64 PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${hip}/lib LINK_DEPENDS ${exports})
# Programs of ROCm's compiler name a version, and hiprtc is a library of its own there.
file(CREATE_LINK libamdhip64.so ${hip}/lib/libhiprtc.so SYMBOLIC)
foreach(version 5 6 7)
  file(CREATE_LINK libamdhip64.so ${hip}/lib/libamdhip64.so.${version} SYMBOLIC)
  file(CREATE_LINK libamdhip64.so ${hip}/lib/libhiprtc.so.${version} SYMBOLIC)
endforeach()

set(library ${CMAKE_SOURCE_DIR}/src/hipfront/device_library)
set(bitcode ${CMAKE_BINARY_DIR}/hip/device)
file(MAKE_DIRECTORY ${bitcode})
foreach(part math output)
  add_custom_command(OUTPUT ${bitcode}/${part}.bc
    COMMAND ${LLVM_ROOT_DIR}/bin/clang++ --target=amdgcn-amd-amdhsa -nogpulib -std=c++20 -O2 -fno-exceptions -fno-rtti
      -ffp-contract=off -fno-builtin -ffreestanding -fvisibility=hidden -Xclang -mcode-object-version=none -Wall
      -emit-llvm -c ${library}/${part}.cc -o ${bitcode}/${part}.bc
    DEPENDS ${library}/${part}.cc ${library}/constants.h VERBATIM)
endforeach()
add_custom_command(OUTPUT ${hip}/lib/hipvault_device.bc
  COMMAND ${LLVM_ROOT_DIR}/bin/llvm-link ${bitcode}/math.bc ${bitcode}/output.bc -o ${hip}/lib/hipvault_device.bc
  DEPENDS ${bitcode}/math.bc ${bitcode}/output.bc VERBATIM)
add_custom_target(hip_device_library DEPENDS ${hip}/lib/hipvault_device.bc)
add_custom_target(hip_front DEPENDS amdhip64 hip_device_library)
add_dependencies(hip_front amdhip64 hip_device_library)
if(TARGET hipvault)
  add_dependencies(hipvault hip_front)
endif()
