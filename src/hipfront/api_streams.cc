// Streams, events, graphs.

#include <algorithm>
#include <set>

#include "hipfront/front.h"

using namespace hipvault::hipfront;

namespace {

Front& front() { return Front::get(); }

std::set<hipEvent_t>& events() {
  static std::set<hipEvent_t>* all = new std::set<hipEvent_t>;
  return *all;
}
std::set<hipGraph_t>& graphs() {
  static std::set<hipGraph_t>* all = new std::set<hipGraph_t>;
  return *all;
}

// An operation on a stream that must be there; what it gives is the result.
template <class Body>
hipError_t on_stream(hipStream_t stream, Body body) {
  return front().call([&]() -> hipError_t {
    ihipStream_t* found = front().stream(stream);
    return found ? body(*found) : hipErrorInvalidHandle;
  });
}
template <class Body>
hipError_t on_event(hipEvent_t event, Body body) {
  return front().call([&]() -> hipError_t { return events().count(event) ? body(*event) : hipErrorInvalidHandle; });
}

hipError_t create_stream(hipStream_t* stream, unsigned flags, int priority) {
  return front().call([&] {
    if (!stream || (flags & ~hipStreamNonBlocking)) return hipErrorInvalidValue;
    *stream = front().create_stream(flags, priority);
    return hipSuccess;
  });
}

hipError_t add_node(hipGraphNode_t* node, hipGraph_t graph, Operation operation) {
  if (!graphs().count(graph)) return hipErrorInvalidValue;
  graph->nodes.push_back(std::make_unique<hipGraphNode>(hipGraphNode{std::move(operation)}));
  if (node) *node = graph->nodes.back().get();
  return hipSuccess;
}

// Makes a node of what `enqueue` would do: it is captured on a stream of its own.
template <class Enqueue>
hipError_t add_enqueued(hipGraphNode_t* node, hipGraph_t graph, Enqueue enqueue) {
  return front().call([&]() -> hipError_t {
    if (!graphs().count(graph)) return hipErrorInvalidValue;
    ihipGraph part;
    ihipStream_t* stream = front().create_stream(hipStreamNonBlocking, 0);
    stream->capture = &part;
    hipError_t error = enqueue(stream);
    front().destroy_stream(stream);
    if (error != hipSuccess) return error;
    Operation operation = part.nodes.empty() ? [](double&) { return hipSuccess; } : part.nodes[0]->operation;
    return add_node(node, graph, std::move(operation));
  });
}

}  // namespace

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) { return create_stream(stream, 0, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) { return create_stream(stream, flags, 0); }
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, std::clamp(priority, -1, 1));
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (!stream || stream == hipStreamLegacy || stream == hipStreamPerThread) return hipErrorInvalidHandle;
    front().destroy_stream(&s);
    return hipSuccess;
  });
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (s.capture) return hipErrorStreamCaptureUnsupported;
    if (!stream) front().wait_all();
    front().wait(s);
    return hipSuccess;
  });
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return on_stream(stream, [&](ihipStream_t& s) {
    front().wait(s);
    return hipSuccess;
  });
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  return on_event(event, [&](ihipEvent_t& e) {
    ihipStream_t* s = front().stream(stream);
    if (!s) return hipErrorInvalidHandle;
    s->ready_us = std::max(s->ready_us, e.time_us);
    return hipSuccess;
  });
}
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (!flags) return hipErrorInvalidValue;
    *flags = s.flags;
    return hipSuccess;
  });
}
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (!priority) return hipErrorInvalidValue;
    *priority = s.priority;
    return hipSuccess;
  });
}
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return on_stream(stream, [&](ihipStream_t&) {
    if (!device) return hipErrorInvalidValue;
    *device = 0;
    return hipSuccess;
  });
}
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned) {
  return on_stream(stream, [&](ihipStream_t&) {
    if (!callback) return hipErrorInvalidValue;
    return front().submit(stream, [=](double&) {
      callback(stream, hipSuccess, data);
      return hipSuccess;
    });
  });
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return on_stream(stream, [&](ihipStream_t&) {
    if (!function) return hipErrorInvalidValue;
    return front().submit(stream, [=](double&) {
      function(data);
      return hipSuccess;
    });
  });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return front().call([&] {
    if (!event) return hipErrorInvalidValue;
    *event = new ihipEvent_t;
    (*event)->flags = flags;
    events().insert(*event);
    return hipSuccess;
  });
}
hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventDestroy(hipEvent_t event) {
  return on_event(event, [&](ihipEvent_t&) {
    events().erase(event);
    delete event;
    return hipSuccess;
  });
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return on_event(event, [&](ihipEvent_t& e) {
    ihipStream_t* s = front().stream(stream);
    if (!s) return hipErrorInvalidHandle;
    if (s->capture) return hipSuccess;  // only an order, which captures keep anyway
    (void)front().run_now(*s, [](double&) { return hipSuccess; });
    e.recorded = true;
    e.time_us = s->ready_us;
    return hipSuccess;
  });
}
hipError_t hipEventSynchronize(hipEvent_t event) {
  return on_event(event, [&](ihipEvent_t& e) {
    front().host_us() = std::max(front().host_us(), e.time_us);
    return hipSuccess;
  });
}
hipError_t hipEventQuery(hipEvent_t event) {
  return on_event(event, [&](ihipEvent_t&) { return hipSuccess; });
}
hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  return front().call([&] {
    if (!ms) return hipErrorInvalidValue;
    if (!events().count(start) || !events().count(stop)) return hipErrorInvalidHandle;
    if (((start->flags | stop->flags) & hipEventDisableTiming) || !start->recorded || !stop->recorded)
      return hipErrorInvalidHandle;
    *ms = static_cast<float>((stop->time_us - start->time_us) / 1000);
    return hipSuccess;
  });
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (!stream) return hipErrorStreamCaptureUnsupported;
    if (s.capture) return hipErrorIllegalState;
    s.capture = new ihipGraph;
    return hipSuccess;
  });
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (!graph) return hipErrorInvalidValue;
    if (!s.capture) return hipErrorIllegalState;
    *graph = s.capture;
    graphs().insert(s.capture);
    s.capture = nullptr;
    return hipSuccess;
  });
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return on_stream(stream, [&](ihipStream_t& s) {
    if (!status) return hipErrorInvalidValue;
    *status = s.capture ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
    return hipSuccess;
  });
}
hipError_t hipGraphCreate(hipGraph_t* graph, unsigned) {
  return front().call([&] {
    if (!graph) return hipErrorInvalidValue;
    *graph = new ihipGraph;
    graphs().insert(*graph);
    return hipSuccess;
  });
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  return front().call([&] {
    if (!graphs().erase(graph)) return hipErrorInvalidValue;
    delete graph;
    return hipSuccess;
  });
}
// Nodes run in the order in which they were added, so an edge may only go forward.
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                   size_t count) {
  return front().call([&]() -> hipError_t {
    if (!graphs().count(graph)) return hipErrorInvalidValue;
    auto place = [&](hipGraphNode_t node) {
      return std::find_if(graph->nodes.begin(), graph->nodes.end(), [&](const auto& n) { return n.get() == node; }) -
             graph->nodes.begin();
    };
    for (size_t i = 0; i < count; ++i)
      if (place(from[i]) > place(to[i])) return front().not_supported("a graph edge to a node that was added earlier");
    return hipSuccess;
  });
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t,
                                 const hipKernelNodeParams* p) {
  return add_enqueued(node, graph, [&](hipStream_t stream) {
    if (!p) return hipErrorInvalidValue;
    if (p->extra) return front().not_supported("a kernel node with `extra`");
    return ::hipLaunchKernel(static_cast<const void*>(p->func), p->gridDim, p->blockDim, p->kernelParams,
                             static_cast<size_t>(p->sharedMemBytes), stream);
  });
}
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t,
                                 const hipMemcpy3DParms* p) {
  return add_enqueued(node, graph, [&](hipStream_t stream) { return hipMemcpy3DAsync(p, stream); });
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t, void* dst,
                                   const void* src, size_t size, hipMemcpyKind kind) {
  return add_enqueued(node, graph, [&](hipStream_t stream) { return hipMemcpyAsync(dst, src, size, kind, stream); });
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t,
                                 const hipMemsetParams* p) {
  return add_enqueued(node, graph, [&](hipStream_t stream) -> hipError_t {
    if (!p) return hipErrorInvalidValue;
    if (p->height > 1 && p->elementSize != 1) return front().not_supported("a 2D memset node of wide elements");
    if (p->height > 1)
      return hipMemset2DAsync(p->dst, p->pitch, static_cast<int>(p->value), p->width, p->height, stream);
    if (p->elementSize == 4) return hipMemsetD32Async(p->dst, static_cast<int>(p->value), p->width, stream);
    if (p->elementSize == 2) return hipMemsetD16Async(p->dst, static_cast<unsigned short>(p->value), p->width, stream);
    return hipMemsetAsync(p->dst, static_cast<int>(p->value), p->width, stream);
  });
}
hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t,
                               const hipHostNodeParams* p) {
  return add_enqueued(node, graph, [&](hipStream_t stream) {
    return p ? hipLaunchHostFunc(stream, p->fn, p->userData) : hipErrorInvalidValue;
  });
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t) {
  return front().call([&] { return add_node(node, graph, [](double&) { return hipSuccess; }); });
}
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  return front().call([&] {
    if (!graphs().count(graph) || !count) return hipErrorInvalidValue;
    for (size_t i = 0; nodes && i < std::min(*count, graph->nodes.size()); ++i) nodes[i] = graph->nodes[i].get();
    *count = graph->nodes.size();
    return hipSuccess;
  });
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long) {
  return front().call([&] {
    if (!exec || !graphs().count(graph)) return hipErrorInvalidValue;
    *exec = new hipGraphExec;
    for (const auto& node : graph->nodes) (*exec)->operations.push_back(node->operation);
    return hipSuccess;
  });
}
hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*, size_t) {
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return on_stream(stream, [&](ihipStream_t&) -> hipError_t {
    if (!exec) return hipErrorInvalidValue;
    for (const Operation& operation : exec->operations)
      if (hipError_t error = front().submit(stream, operation); error != hipSuccess) return error;
    return hipSuccess;
  });
}
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  delete exec;
  return hipSuccess;
}
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t) { return exec ? hipSuccess : hipErrorInvalidValue; }
}
