#pragma once
// The messages between parent and zygote: fixed structs over a SOCK_SEQPACKET socket, with descriptors beside them.

#include <span>

#include "base/unique_fd.h"

namespace hipvault::jail {

constexpr uint32_t kHello = 0x68767a31;  // the first message of a zygote that is ready
constexpr int kControlFd = 3;            // where a zygote finds its socket

// A job comes with four descriptors, in this order. The job socket carries one EndReport back; closing it cancels the
// job.
enum JobFd { kJobSocket, kRequestFile, kResultFile, kErrorFile, kJobFdCount };

struct JobMessage {
  double deadline_s = 0, cpu_s = 0;
  int64_t memory_bytes = 0, result_bytes = 0;
};

struct EndReport {
  int32_t wait_status = 0;
  int32_t start_errno = 0;  // not 0: the child could not be forked
  bool deadline = false;
  double cpu_seconds = 0;
};

// Exit statuses of a sealed child.
constexpr int kExitOutOfMemory = 101, kExitResultTooLarge = 102, kExitNotSealed = 103;

bool send_message(int socket, const void* data, size_t size, std::span<const int> fds);
// The size received, 0 at the end of the connection, -1 on an error (errno); fds beyond those sent stay empty.
ssize_t receive_message(int socket, void* data, size_t size, std::span<UniqueFd> fds);

}  // namespace hipvault::jail
