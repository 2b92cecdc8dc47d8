#pragma once
// Compilation at run time: the program's own clang is called as `hipvault cc` calls it.

#include <hip/hip_runtime_api.h>

typedef enum hiprtcResult {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11
} hiprtcResult;
typedef struct _hiprtcProgram* hiprtcProgram;

#ifdef __cplusplus
extern "C" {
#endif
const char* hiprtcGetErrorString(hiprtcResult result);
hiprtcResult hiprtcVersion(int* major, int* minor);
hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name, int headers,
                                 const char* const* texts, const char* const* names);
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char* const* options);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size);
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* size);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log);
hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression);
hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression, const char** name);
#ifdef __cplusplus
}
#endif
