// printf of kernels: formatting against the C library's own, records put together by id.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "hipfront/device_text.h"

namespace hipvault::hipfront {
namespace {

uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }

TEST(DeviceText, FormatsAsTheCLibraryDoes) {
  char want[256];
  std::snprintf(want, sizeof want, "%5d|%-5u|%#lx|%hhd|%.3e|%c|%%|%s|%*d", -3, 7u, 255ul, 200, 1.25, 'q', "text", 6,
                42);
  std::vector<PrintArgument> arguments = {uint64_t(int64_t{-3}), uint64_t{7}, uint64_t{255},
                                          uint64_t{200},         bits(1.25),  uint64_t{'q'},
                                          std::string("text"),   uint64_t{6}, uint64_t{42}};
  EXPECT_EQ(format_text("%5d|%-5u|%#lx|%hhd|%.3e|%c|%%|%s|%*d", arguments), want);
}

TEST(DeviceText, IntegersAreAsWideAsTheirLength) {
  EXPECT_EQ(format_text("%d %u %lld %llu", {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}}),
            "-1 4294967295 -1 18446744073709551615");
}

TEST(DeviceText, MissingArgumentsAndBrokenFormatsDoNoHarm) {
  EXPECT_EQ(format_text("%d %s %", {}), "0 (null) ");
  EXPECT_EQ(format_text("%s", {uint64_t{5}}), "(null)");
}

std::string record(uint32_t id, uint16_t kind, const std::string& payload) {
  std::string bytes(16, '\0');
  uint32_t size = static_cast<uint32_t>(payload.size());
  std::memcpy(bytes.data(), &id, 4);
  std::memcpy(bytes.data() + 4, &kind, 2);
  std::memcpy(bytes.data() + 8, &size, 4);
  return bytes + payload + std::string((8 - payload.size() % 8) % 8, '\0');
}

TEST(DeviceText, RecordsOfInterleavedCallsAreSorted) {
  uint64_t seven = 7;
  std::string number(reinterpret_cast<const char*>(&seven), 8);
  std::string records = record(1, 1, "b %d\n") + record(0, 1, "a %s\n") + record(1, 0, number) + record(0, 1, "x");
  EXPECT_EQ(text_of_records(records), "a x\nb 7\n");
  EXPECT_EQ(text_of_records(records.substr(0, records.size() - 3)), "a (null)\nb 7\n");
}

}  // namespace
}  // namespace hipvault::hipfront
