// The stand-alone file: promises, the op, the schedule and the plan as comments; the device library and the kernels;
// the launcher, which a device-only compilation does not see.

#include <fmt/format.h>

#include "print/hip.h"
#include "print/hiplib.h"
#include "print/launcher.h"

namespace hipvault::print {
namespace {

std::string as_comment(const std::string& text, const std::string& indent) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = indent + text.substr(at, end - at);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    // A backslash at the end would join the next line to the comment.
    if (!line.empty() && line.back() == '\\') line += " .";
    out += "//" + (line.empty() ? "" : " " + line) + "\n";
    at = end + 1;
  }
  return out;
}

std::string head(const Plan& plan, const FileInfo& info) {
  std::string out = as_comment(info.title, "") + "//\n";
  out += "// Promises\n";
  for (const std::string& promise : info.promises) out += as_comment("- " + promise, "  ");
  if (!info.op_text.empty()) out += "//\n// The operator\n" + as_comment(info.op_text, "  ");
  if (!info.schedule.empty()) out += "//\n// The schedule\n" + as_comment(info.schedule, "  ");
  return out + "//\n// hv-plan: " + to_json(plan).dump() + "\n\n";
}

constexpr const char* kMarker = "// hv-plan:";

}  // namespace

Result<std::string> print_file(const Plan& plan, const std::vector<tile::Kernel>& kernels, const target::Arch& arch,
                               const FileInfo& info) {
  std::string device;
  for (const tile::Kernel& kernel : kernels) {
    if (kernel.name == plan.op)
      return fail("print.entry-name", "the kernel " + kernel.name + " has the op's name, which is the C entry's",
                  "call it " + kernel.name + "_kernel");
    Result<std::string> text = print_kernel(kernel, arch);
    if (!text) return text;
    device += "\n" + *text;
  }
  return head(plan, info) + device_preamble() + "\n" + hiplib_for(device, arch.spelling.library) + device +
         "\n#if !defined(HIPVAULT_DEVICE_ONLY)\n" + launcher_text(plan) + "#endif\n";
}

Result<std::string> print_device_source(const tile::Kernel& kernel, const target::Arch& arch) {
  Result<std::string> text = print_kernel(kernel, arch);
  if (!text) return text;
  return device_preamble() + "\n" + hiplib_for(*text, arch.spelling.library) + "\n" + *text;
}

// The JSON may go on over further comment lines, as people write it.
Result<Plan> plan_in_source(const std::string& source) {
  size_t at = source.find(kMarker);
  if (at == std::string::npos)
    return fail("print.no-plan", "the source has no `// hv-plan:` block",
                "`hipvault new-kernel OP` prints a template that has one");
  at += std::string(kMarker).size();
  size_t end = std::min(source.find('\n', at), source.size());
  std::string json = source.substr(at, end - at);
  Result<Json> parsed = parse_json(json, "the hv-plan block");
  while (!parsed && end < source.size() && source.compare(end + 1, 2, "//") == 0) {
    size_t next = std::min(source.find('\n', end + 1), source.size());
    json += "\n" + source.substr(end + 3, next - end - 3);
    end = next;
    parsed = parse_json(json, "the hv-plan block");
  }
  if (!parsed) return tl::unexpected(parsed.error());
  return plan_from_json(*parsed);
}

}  // namespace hipvault::print
