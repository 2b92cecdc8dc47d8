// Memory: allocation, copies, fills, symbols.

#include <algorithm>
#include <cstring>

#include "hipfront/front.h"

using namespace hipvault::hipfront;

namespace {

Front& front() { return Front::get(); }
constexpr size_t kPitch = 256;

// Rows of bytes from one place to another; one row for plain copies.
struct Copy {
  char* dst = nullptr;
  const char* src = nullptr;
  size_t width = 0, rows = 1, planes = 1;
  size_t dst_pitch = 0, src_pitch = 0, dst_plane = 0, src_plane = 0;
  size_t dst_span() const { return width ? (planes - 1) * dst_plane + (rows - 1) * dst_pitch + width : 0; }
  size_t src_span() const { return width ? (planes - 1) * src_plane + (rows - 1) * src_pitch + width : 0; }
};

hipError_t check_copy(const Copy& copy, hipMemcpyKind kind) {
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
  if (!copy.width || !copy.rows || !copy.planes) return hipSuccess;
  if (!copy.dst || !copy.src) return hipErrorInvalidValue;
  if (!front().fits(copy.dst, copy.dst_span()) || !front().fits(copy.src, copy.src_span())) return hipErrorInvalidValue;
  bool to_device = front().on_device(copy.dst), from_device = front().on_device(copy.src);
  if ((kind == hipMemcpyHostToHost || kind == hipMemcpyDeviceToHost) && to_device) return hipErrorInvalidValue;
  if ((kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice) && from_device) return hipErrorInvalidValue;
  if ((kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice) && !front().find(copy.dst))
    return hipErrorInvalidValue;
  if ((kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice) && !front().find(copy.src))
    return hipErrorInvalidValue;
  return hipSuccess;
}

hipError_t submit_copy(const Copy& copy, hipMemcpyKind kind, hipStream_t stream, bool wait) {
  if (hipError_t error = check_copy(copy, kind); error != hipSuccess) return error;
  ihipStream_t* on = front().stream(stream);
  if (!on) return hipErrorInvalidHandle;
  if (wait && on->capture) return hipErrorStreamCaptureUnsupported;
  hipError_t error = front().submit(stream, [copy](double& us) {
    if (!copy.width) return hipSuccess;
    bool bus = !front().find(copy.dst) || !front().find(copy.src);
    for (size_t p = 0; p < copy.planes; ++p)
      for (size_t r = 0; r < copy.rows; ++r) {
        char* to = copy.dst + p * copy.dst_plane + r * copy.dst_pitch;
        const char* from = copy.src + p * copy.src_plane + r * copy.src_pitch;
        std::memmove(to, from, copy.width);
        front().mark_written(to, copy.width, from);
      }
    us = copy_time(front().gpu(), copy.width * copy.rows * copy.planes, bus);
    front().add_copy_time(us);
    return hipSuccess;
  });
  if (wait) front().wait(*on);
  return error;
}

hipError_t copy_line(void* dst, const void* src, size_t size, hipMemcpyKind kind, hipStream_t stream, bool wait) {
  Copy copy;
  copy.dst = static_cast<char*>(dst), copy.src = static_cast<const char*>(src), copy.width = size;
  return front().call([&] { return submit_copy(copy, kind, stream, wait); });
}

hipError_t copy_rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                     hipMemcpyKind kind, hipStream_t stream, bool wait) {
  Copy copy;
  copy.dst = static_cast<char*>(dst), copy.src = static_cast<const char*>(src);
  copy.width = width, copy.rows = height, copy.dst_pitch = dpitch, copy.src_pitch = spitch;
  return front().call([&] {
    if (!height || !width) return hipSuccess;
    if (width > dpitch || width > spitch) return hipErrorInvalidPitchValue;
    return submit_copy(copy, kind, stream, wait);
  });
}

hipError_t copy_box(const hipMemcpy3DParms* p, hipStream_t stream, bool wait) {
  return front().call([&]() -> hipError_t {
    if (!p) return hipErrorInvalidValue;
    if (p->srcArray || p->dstArray) return front().not_supported("hipMemcpy3D of arrays");
    Copy copy;
    copy.width = p->extent.width, copy.rows = p->extent.height, copy.planes = p->extent.depth;
    if (!copy.width || !copy.rows || !copy.planes) return hipSuccess;
    copy.dst_pitch = p->dstPtr.pitch, copy.dst_plane = p->dstPtr.pitch * p->dstPtr.ysize;
    copy.src_pitch = p->srcPtr.pitch, copy.src_plane = p->srcPtr.pitch * p->srcPtr.ysize;
    if (copy.width > copy.dst_pitch || copy.width > copy.src_pitch) return hipErrorInvalidPitchValue;
    copy.dst =
        static_cast<char*>(p->dstPtr.ptr) + p->dstPos.z * copy.dst_plane + p->dstPos.y * copy.dst_pitch + p->dstPos.x;
    copy.src = static_cast<const char*>(p->srcPtr.ptr) + p->srcPos.z * copy.src_plane + p->srcPos.y * copy.src_pitch +
               p->srcPos.x;
    return submit_copy(copy, p->kind, stream, wait);
  });
}

// `element` bytes of `value`, again and again.
hipError_t fill(void* dst, size_t pitch, unsigned value, size_t element, size_t width, size_t height, size_t depth,
                size_t plane, hipStream_t stream, bool wait) {
  return front().call([&]() -> hipError_t {
    if (!width || !height || !depth) return hipSuccess;
    char* to = static_cast<char*>(dst);
    if (!to || !front().find(dst)) return hipErrorInvalidValue;
    if (!front().fits(to, (depth - 1) * plane + (height - 1) * pitch + width)) return hipErrorInvalidValue;
    ihipStream_t* on = front().stream(stream);
    if (!on) return hipErrorInvalidHandle;
    hipError_t error = front().submit(stream, [=](double& us) {
      for (size_t z = 0; z < depth; ++z)
        for (size_t y = 0; y < height; ++y) {
          char* row = to + z * plane + y * pitch;
          if (element == 1)
            std::memset(row, static_cast<int>(value), width);
          else
            for (size_t x = 0; x + element <= width; x += element) std::memcpy(row + x, &value, element);
          front().mark_written(row, width);
        }
      us = copy_time(front().gpu(), width * height * depth, false);
      front().add_copy_time(us);
      return hipSuccess;
    });
    if (wait) front().wait(*on);
    return error;
  });
}

hipError_t symbol_part(const void* symbol, size_t size, size_t offset, char** at) {
  void* address = nullptr;
  size_t whole = 0;
  if (hipError_t error = front().find_variable(symbol, &address, &whole); error != hipSuccess) return error;
  if (offset > whole || size > whole - offset) return hipErrorInvalidValue;
  *at = static_cast<char*>(address) + offset;
  return hipSuccess;
}

// A symbol is in device memory, so the other side decides the direction.
hipError_t to_symbol(const void* symbol, const void* src, size_t size, size_t offset, hipStream_t stream, bool wait) {
  return front().call([&] {
    char* at = nullptr;
    if (hipError_t error = symbol_part(symbol, size, offset, &at); error != hipSuccess) return error;
    return copy_line(at, src, size, hipMemcpyDefault, stream, wait);
  });
}
hipError_t from_symbol(void* dst, const void* symbol, size_t size, size_t offset, hipStream_t stream, bool wait) {
  return front().call([&] {
    char* at = nullptr;
    if (hipError_t error = symbol_part(symbol, size, offset, &at); error != hipSuccess) return error;
    return copy_line(dst, at, size, hipMemcpyDefault, stream, wait);
  });
}

hipError_t allocate(void** pointer, size_t size, AllocationKind kind, unsigned flags = 0) {
  return front().call([&] { return front().allocate(pointer, size, kind, flags); });
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** pointer, size_t size) { return allocate(pointer, size, AllocationKind::device); }
hipError_t hipExtMallocWithFlags(void** pointer, size_t size, unsigned flags) {
  return allocate(pointer, size, AllocationKind::device, flags);
}
hipError_t hipMallocManaged(void** pointer, size_t size, unsigned flags) {
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
    return front().call([] { return hipErrorInvalidValue; });
  return allocate(pointer, size, AllocationKind::managed, flags);
}
hipError_t hipHostMalloc(void** pointer, size_t size, unsigned flags) {
  return allocate(pointer, size, AllocationKind::host, flags);
}
hipError_t hipHostAlloc(void** pointer, size_t size, unsigned flags) { return hipHostMalloc(pointer, size, flags); }
hipError_t hipMallocHost(void** pointer, size_t size) { return hipHostMalloc(pointer, size, 0u); }
hipError_t hipMemAllocHost(void** pointer, size_t size) { return hipHostMalloc(pointer, size, 0u); }
hipError_t hipFree(void* pointer) {
  return front().call([&] {
    front().wait_all();
    return front().release(pointer, {AllocationKind::device, AllocationKind::managed});
  });
}
hipError_t hipHostFree(void* pointer) {
  return front().call([&] {
    front().wait_all();
    return front().release(pointer, {AllocationKind::host});
  });
}
hipError_t hipFreeHost(void* pointer) { return hipHostFree(pointer); }
hipError_t hipMallocAsync(void** pointer, size_t size, hipStream_t) {
  return allocate(pointer, size, AllocationKind::device);
}
hipError_t hipFreeAsync(void* pointer, hipStream_t) {
  return front().call([&] {
    return pointer ? front().release(pointer, {AllocationKind::device, AllocationKind::managed}) : hipErrorInvalidValue;
  });
}
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return front().call([&] {
    if (!device || !host || flags) return hipErrorInvalidValue;
    if (!front().find(host)) return hipErrorInvalidValue;
    *device = host;
    return hipSuccess;
  });
}
hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  return front().call([&] {
    Allocation* allocation = front().find(host);
    if (!flags || !allocation || allocation->kind != AllocationKind::host) return hipErrorInvalidValue;
    *flags = allocation->flags;
    return hipSuccess;
  });
}
hipError_t hipHostRegister(void* host, size_t size, unsigned flags) {
  return front().call([&] { return front().register_host(host, size, flags); });
}
hipError_t hipHostUnregister(void* host) {
  return front().call([&] {
    if (!host) return hipErrorInvalidValue;
    hipError_t error = front().release(host, {AllocationKind::registered});
    return error == hipSuccess ? error : hipErrorHostMemoryNotRegistered;
  });
}
hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return front().call([] { return hipErrorInvalidValue; });
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return allocate(pointer, *pitch * height, AllocationKind::device);
}
hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width, size_t height, unsigned) {
  return hipMallocPitch(pointer, pitch, width, height);
}
hipError_t hipMalloc3D(hipPitchedPtr* pitched, hipExtent extent) {
  if (!pitched) return front().call([] { return hipErrorInvalidValue; });
  pitched->pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
  pitched->xsize = extent.width, pitched->ysize = extent.height;
  return allocate(&pitched->ptr, pitched->pitch * extent.height * extent.depth, AllocationKind::device);
}
hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  return front().call([&] {
    size_t all = static_cast<size_t>(front().gpu().memory_bytes);
    if (free) *free = all - front().memory_used();
    if (total) *total = all;
    return hipSuccess;
  });
}
hipError_t hipMemPtrGetInfo(void* pointer, size_t* size) {
  return front().call([&] {
    Allocation* allocation = front().find(pointer);
    if (!size || !allocation) return hipErrorInvalidValue;
    *size = allocation->size;
    return hipSuccess;
  });
}
hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* size, hipDeviceptr_t pointer) {
  return front().call([&] {
    uint64_t begin = 0;
    Allocation* allocation = front().find(pointer, &begin);
    if (!allocation) return hipErrorNotFound;
    if (base) *base = reinterpret_cast<void*>(begin);
    if (size) *size = allocation->size;
    return hipSuccess;
  });
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  return front().call([&] {
    if (!attributes || !pointer) return hipErrorInvalidValue;
    Allocation* allocation = front().find(pointer);
    *attributes = hipPointerAttribute_t{};
    if (!allocation) return hipErrorInvalidValue;
    bool host = allocation->kind == AllocationKind::host || allocation->kind == AllocationKind::registered;
    bool managed = allocation->kind == AllocationKind::managed;
    attributes->type = host ? hipMemoryTypeHost : managed ? hipMemoryTypeManaged : hipMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(pointer);
    attributes->hostPointer = host || managed ? const_cast<void*>(pointer) : nullptr;
    attributes->isManaged = managed;
    attributes->allocationFlags = allocation->flags;
    return hipSuccess;
  });
}
hipError_t hipMemPrefetchAsync(const void* pointer, size_t, int, hipStream_t) {
  return front().call([&] { return front().find(pointer) ? hipSuccess : hipErrorInvalidValue; });
}
hipError_t hipMemAdvise(const void* pointer, size_t, hipMemoryAdvise, int) {
  return front().call([&] { return front().find(pointer) ? hipSuccess : hipErrorInvalidValue; });
}
hipError_t hipStreamAttachMemAsync(hipStream_t, void*, size_t, unsigned) { return hipSuccess; }

hipError_t hipMemcpy(void* dst, const void* src, size_t size, hipMemcpyKind kind) {
  return copy_line(dst, src, size, kind, nullptr, true);
}
hipError_t hipMemcpyAsync(void* dst, const void* src, size_t size, hipMemcpyKind kind, hipStream_t stream) {
  return copy_line(dst, src, size, kind, stream, false);
}
hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t size, hipMemcpyKind kind, hipStream_t stream) {
  return copy_line(dst, src, size, kind, stream, true);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void* src, size_t size) {
  return copy_line(dst, src, size, hipMemcpyHostToDevice, nullptr, true);
}
hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t size) {
  return copy_line(dst, src, size, hipMemcpyDeviceToHost, nullptr, true);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size) {
  return copy_line(dst, src, size, hipMemcpyDeviceToDevice, nullptr, true);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void* src, size_t size, hipStream_t stream) {
  return copy_line(dst, src, size, hipMemcpyHostToDevice, stream, false);
}
hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t size, hipStream_t stream) {
  return copy_line(dst, src, size, hipMemcpyDeviceToHost, stream, false);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size, hipStream_t stream) {
  return copy_line(dst, src, size, hipMemcpyDeviceToDevice, stream, false);
}
hipError_t hipMemcpyPeer(void* dst, int to, const void* src, int from, size_t size) {
  if (to || from) return front().call([] { return hipErrorInvalidDevice; });
  return copy_line(dst, src, size, hipMemcpyDeviceToDevice, nullptr, true);
}
hipError_t hipMemcpyPeerAsync(void* dst, int to, const void* src, int from, size_t size, hipStream_t stream) {
  if (to || from) return front().call([] { return hipErrorInvalidDevice; });
  return copy_line(dst, src, size, hipMemcpyDeviceToDevice, stream, false);
}
hipError_t hipMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
  return copy_rows(dst, dpitch, src, spitch, width, height, kind, nullptr, true);
}
hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
  return copy_rows(dst, dpitch, src, spitch, width, height, kind, stream, false);
}
hipError_t hipMemcpy3D(const hipMemcpy3DParms* p) { return copy_box(p, nullptr, true); }
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t stream) { return copy_box(p, stream, false); }

hipError_t hipMemset(void* dst, int value, size_t size) {
  return fill(dst, 0, static_cast<uint8_t>(value), 1, size, 1, 1, 0, nullptr, true);
}
hipError_t hipMemsetAsync(void* dst, int value, size_t size, hipStream_t stream) {
  return fill(dst, 0, static_cast<uint8_t>(value), 1, size, 1, 1, 0, stream, false);
}
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
  return fill(dst, 0, value, 1, count, 1, 1, 0, nullptr, true);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream) {
  return fill(dst, 0, value, 1, count, 1, 1, 0, stream, false);
}
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
  return fill(dst, 0, value, 2, count * 2, 1, 1, 0, nullptr, true);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream) {
  return fill(dst, 0, value, 2, count * 2, 1, 1, 0, stream, false);
}
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
  return fill(dst, 0, static_cast<unsigned>(value), 4, count * 4, 1, 1, 0, nullptr, true);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return fill(dst, 0, static_cast<unsigned>(value), 4, count * 4, 1, 1, 0, stream, false);
}
hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
  return fill(dst, pitch, static_cast<uint8_t>(value), 1, width, height, 1, 0, nullptr, true);
}
hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
  return fill(dst, pitch, static_cast<uint8_t>(value), 1, width, height, 1, 0, stream, false);
}
hipError_t hipMemset3D(hipPitchedPtr p, int value, hipExtent e) {
  return fill(p.ptr, p.pitch, static_cast<uint8_t>(value), 1, e.width, e.height, e.depth, p.pitch * p.ysize, nullptr,
              true);
}
hipError_t hipMemset3DAsync(hipPitchedPtr p, int value, hipExtent e, hipStream_t stream) {
  return fill(p.ptr, p.pitch, static_cast<uint8_t>(value), 1, e.width, e.height, e.depth, p.pitch * p.ysize, stream,
              false);
}

hipError_t hipGetSymbolAddress(void** device, const void* symbol) {
  return front().call([&] { return device ? front().find_variable(symbol, device, nullptr) : hipErrorInvalidValue; });
}
hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
  return front().call([&] { return size ? front().find_variable(symbol, nullptr, size) : hipErrorInvalidValue; });
}
hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t size, size_t offset, hipMemcpyKind) {
  return to_symbol(symbol, src, size, offset, nullptr, true);
}
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t size, size_t offset, hipMemcpyKind,
                                  hipStream_t stream) {
  return to_symbol(symbol, src, size, offset, stream, false);
}
hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t size, size_t offset, hipMemcpyKind) {
  return from_symbol(dst, symbol, size, offset, nullptr, true);
}
hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t size, size_t offset, hipMemcpyKind,
                                    hipStream_t stream) {
  return from_symbol(dst, symbol, size, offset, stream, false);
}
}
