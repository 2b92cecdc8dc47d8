// printf, assert and malloc of kernels. The compiler splits a printf into a begin and appended pieces; each piece
// becomes a record in a buffer whose address comes with the launch (the hidden hostcall argument), and the host puts
// records with one id together when the kernel has ended. ROCm instead talks to a host thread while the kernel runs;
// nothing here needs that.
//
//   header  u32 next id · u32 asserted · u64 bytes used · u64 capacity · u64 grid barrier · u64 heap next · u64 heap
//   end record  u32 id · u16 kind (0 numbers, 1 text) · u16 last · u32 bytes · u32 0 · payload, padded to 8

typedef unsigned long long u64;
typedef unsigned u32;
#define GLOBAL __attribute__((address_space(1)))

namespace {

struct Header {
  u32 next_id, asserted;
  u64 used, capacity, barrier, heap_next, heap_end;
};
struct Record {
  u32 id;
  unsigned short kind, last;
  u32 bytes, zero;
};

GLOBAL Header* header() {
  const __attribute__((address_space(4))) u64* hidden =
      static_cast<const __attribute__((address_space(4))) u64*>(__builtin_amdgcn_implicitarg_ptr());
  return reinterpret_cast<GLOBAL Header*>(hidden[10]);
}

GLOBAL char* append(u64 id, u32 kind, u32 last, u64 bytes) {
  GLOBAL Header* h = header();
  u64 size = sizeof(Record) + ((bytes + 7) & ~7ull);
  u64 at = __scoped_atomic_fetch_add(&h->used, size, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (at + size > h->capacity) return nullptr;
  GLOBAL Record* record = reinterpret_cast<GLOBAL Record*>(reinterpret_cast<GLOBAL char*>(h + 1) + at);
  record->id = static_cast<u32>(id);
  record->kind = static_cast<unsigned short>(kind);
  record->last = static_cast<unsigned short>(last);
  record->bytes = static_cast<u32>(bytes);
  record->zero = 0;
  return reinterpret_cast<GLOBAL char*>(record + 1);
}

}  // namespace

extern "C" {

u64 __ockl_printf_begin(u64) {
  return __scoped_atomic_fetch_add(&header()->next_id, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

u64 __ockl_printf_append_args(u64 id, u32 count, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6, u32 last) {
  GLOBAL u64* to = reinterpret_cast<GLOBAL u64*>(append(id, 0, last, 8ull * count));
  if (!to) return id;
  u64 all[7] = {a0, a1, a2, a3, a4, a5, a6};
#pragma unroll
  for (u32 i = 0; i < 7; ++i)
    if (i < count) to[i] = all[i];
  return id;
}

u64 __ockl_printf_append_string_n(u64 id, const char* text, u64 length, u32 last) {
  if (!text) length = 0;
  GLOBAL char* to = append(id, 1, last, length);
  if (!to) return id;
  for (u64 i = 0; i < length; ++i) to[i] = text[i];
  return id;
}

__attribute__((noinline)) void __assert_fail(const char* expression, const char* file, u32 line, const char* function) {
  auto length = [](const char* s) {
    u64 n = 0;
    while (s[n]) ++n;
    return n + 1;
  };
  const char format[] = "%s:%u: %s: Device-side assertion `%s' failed.\n";
  u64 id = __ockl_printf_begin(0);
  __ockl_printf_append_string_n(id, format, sizeof format, 0);
  __ockl_printf_append_string_n(id, file, length(file), 0);
  __ockl_printf_append_args(id, 1, line, 0, 0, 0, 0, 0, 0, 0);
  __ockl_printf_append_string_n(id, function, length(function), 0);
  __ockl_printf_append_string_n(id, expression, length(expression), 1);
  header()->asserted = 1;
  __builtin_trap();
}

// A heap that only grows.
u64 __ockl_dm_alloc(u64 size) {
  GLOBAL Header* h = header();
  u64 at = __scoped_atomic_fetch_add(&h->heap_next, (size + 15) & ~15ull, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return at + size > h->heap_end ? 0 : at;
}
void __ockl_dm_dealloc(u64) {}

// The barrier of a cooperative grid: one item of each group calls it.
void __hv_grid_barrier(u32 groups) {
  GLOBAL u64* counter = &header()->barrier;
  u64 ticket = __scoped_atomic_fetch_add(counter, 1ull, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
  u64 goal = (ticket / groups + 1) * groups;
  while (__scoped_atomic_load_n(counter, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < goal) __builtin_amdgcn_s_sleep(1);
}
}
