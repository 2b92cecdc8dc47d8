// Streams are clocks: an operation runs at once on the host and takes its simulated time on its stream. The default
// stream waits for all blocking streams and they for it, as HIP's legacy default stream does.

#include <algorithm>

#include "hipfront/front.h"

namespace hipvault::hipfront {

ihipStream_t* Front::stream(hipStream_t stream) {
  if (!stream || stream == hipStreamLegacy) return &default_stream_;
  if (stream == hipStreamPerThread) return &thread_stream_;
  return streams_.count(stream) ? stream : nullptr;
}

ihipStream_t* Front::create_stream(unsigned flags, int priority) {
  ihipStream_t* stream = new ihipStream_t;
  stream->flags = flags, stream->priority = priority, stream->ready_us = host_us_;
  streams_.insert(stream);
  return stream;
}

void Front::destroy_stream(ihipStream_t* stream) {
  streams_.erase(stream);
  delete stream;
}

hipError_t Front::run_now(ihipStream_t& stream, const Operation& operation) {
  double start = std::max(stream.ready_us, host_us_);
  bool blocking = !(stream.flags & hipStreamNonBlocking);
  if (&stream == &default_stream_) {
    for (const ihipStream_t* other : streams_)
      if (!(other->flags & hipStreamNonBlocking)) start = std::max(start, other->ready_us);
  } else if (blocking) {
    start = std::max(start, default_stream_.ready_us);
  }
  double us = 0;
  hipError_t error = operation(us);
  stream.ready_us = start + us;
  return error;
}

hipError_t Front::submit(hipStream_t handle, Operation operation) {
  ihipStream_t* to = stream(handle);
  if (!to) return hipErrorInvalidHandle;
  if (to->capture) {
    to->capture->nodes.push_back(std::make_unique<hipGraphNode>(hipGraphNode{std::move(operation)}));
    return hipSuccess;
  }
  return run_now(*to, operation);
}

void Front::wait(const ihipStream_t& stream) { host_us_ = std::max(host_us_, stream.ready_us); }

void Front::wait_all() {
  wait(default_stream_);
  wait(thread_stream_);
  for (const ihipStream_t* stream : streams_) wait(*stream);
}

}  // namespace hipvault::hipfront
