// Compiles a template at run time and launches it by its lowered name.
#include <hip/hiprtc.h>
#include <string>
#include "check.h"
#define RTC(call)                                                                                               \
  do {                                                                                                          \
    hiprtcResult result_ = (call);                                                                              \
    if (result_ != HIPRTC_SUCCESS) std::printf("%s: %s\n", #call, hiprtcGetErrorString(result_)), std::exit(1); \
  } while (0)
int main() {
  const char* source =
      "#include \"amount.h\"\n"
      "template <class T> __global__ void raise(T* x) { x[threadIdx.x] += T(AMOUNT) * FACTOR; }\n";
  const char* header = "#define AMOUNT 2.5\n";
  const char* name = "amount.h";
  hiprtcProgram program;
  RTC(hiprtcCreateProgram(&program, source, "raise.cu", 1, &header, &name));
  RTC(hiprtcAddNameExpression(program, "raise<float>"));
  const char* options[] = {"-DFACTOR=2"};
  RTC(hiprtcCompileProgram(program, 1, options));
  size_t size = 0;
  RTC(hiprtcGetCodeSize(program, &size));
  std::string code(size, '\0');
  RTC(hiprtcGetCode(program, code.data()));
  const char* lowered = nullptr;
  RTC(hiprtcGetLoweredName(program, "raise<float>", &lowered));
  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoadData(&module, code.data()));
  HIP(hipModuleGetFunction(&function, module, lowered));
  float* x = to_device(std::vector<float>(64, 1.0f));
  void* args[] = {&x};
  HIP(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
  EXPECT(to_host(x, 64)[63] == 6);
  RTC(hiprtcDestroyProgram(&program));

  RTC(hiprtcCreateProgram(&program, "this is no program", "bad.hip", 0, nullptr, nullptr));
  EXPECT(hiprtcCompileProgram(program, 0, nullptr) == HIPRTC_ERROR_COMPILATION);
  RTC(hiprtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  RTC(hiprtcGetProgramLog(program, log.data()));
  EXPECT(log.find("error") != std::string::npos);
  RTC(hiprtcDestroyProgram(&program));
}
