// Calls the C entry of a kernel that hipvault made: KERNEL is its file, ENTRY its name.
//   entry SIZES STRIDES BUFFER…    numbers with commas; a buffer is in:FILE, or out:FILE:BYTES
#include KERNEL

#include "../check.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> all;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, ',');) all.push_back(std::stoll(word));
  return all;
}

int main(int argc, char** argv) {
  std::vector<int64_t> sizes = numbers(argv[1]), strides = numbers(argv[2]);
  std::vector<void*> buffers;
  std::vector<std::pair<std::string, size_t>> outputs;
  for (int i = 3; i < argc; ++i) {
    std::string word = argv[i];
    std::vector<char> bytes;
    if (word.substr(0, 3) == "in:") {
      std::ifstream in(word.substr(3), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      outputs.emplace_back("", bytes.size());
    } else {
      size_t colon = word.rfind(':');
      bytes.resize(std::stoul(word.substr(colon + 1)));
      outputs.emplace_back(word.substr(4, colon - 4), bytes.size());
    }
    EXPECT(!bytes.empty());
    buffers.push_back(to_device(bytes));
  }
  size_t room = JOIN(ENTRY, _workspace)(sizes.data());
  void* workspace = nullptr;
  if (room) HIP(hipMalloc(&workspace, room));
  int status = ENTRY(buffers.data(), sizes.data(), strides.data(), workspace, room, nullptr);
  EXPECT(status == 0);
  HIP(hipDeviceSynchronize());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (outputs[i].first.empty()) continue;
    std::vector<char> bytes = to_host(static_cast<char*>(buffers[i]), outputs[i].second);
    std::ofstream(outputs[i].first, std::ios::binary).write(bytes.data(), bytes.size());
  }
}
