// The byte form of run requests and results. Integers are 8 bytes little endian, strings and lists carry their length,
// and every length is checked against what is left before anything is allocated: the worker that writes a result runs
// foreign code, so its bytes are not believed.

#include "record/run_request.h"

#include <cstring>

namespace hipvault {
namespace {

constexpr uint64_t kRequestMagic = 0x3171657276766968ull, kResultMagic = 0x31736572767669ull;

class Writer {
 public:
  void integer(int64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), 8); }
  void real(double value) { bytes_.append(reinterpret_cast<const char*>(&value), 8); }
  void text(const std::string& value) {
    integer(static_cast<int64_t>(value.size()));
    bytes_ += value;
  }
  template <class T, class F>
  void list(const std::vector<T>& items, F one) {
    integer(static_cast<int64_t>(items.size()));
    for (const T& item : items) one(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool finished() const { return good_ && rest_.empty(); }

  int64_t integer() {
    int64_t value = 0;
    if (rest_.size() < 8) return good_ = false, 0;
    std::memcpy(&value, rest_.data(), 8);
    rest_.remove_prefix(8);
    return value;
  }
  double real() {
    int64_t bits = integer();
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  std::string text() {
    int64_t size = length(1);
    std::string value(rest_.substr(0, static_cast<size_t>(size)));
    rest_.remove_prefix(static_cast<size_t>(size));
    return value;
  }
  template <class T, class F>
  void list(std::vector<T>& items, F one) {
    int64_t size = length(8);
    for (int64_t i = 0; i < size && good_; ++i) items.push_back(one());
  }

 private:
  // A count of things of at least `unit` bytes each; 0 and not good if the rest cannot hold them.
  int64_t length(int64_t unit) {
    int64_t size = integer();
    if (size < 0 || size > static_cast<int64_t>(rest_.size()) / unit) return good_ = false, 0;
    return size;
  }
  std::string_view rest_;
  bool good_ = true;
};

void write(Writer& out, const ResolvedArg& arg) {
  out.integer(static_cast<int64_t>(arg.kind));
  out.integer(arg.index);
  out.integer(arg.offset);
  out.integer(arg.value);
  out.integer(static_cast<int64_t>(arg.dtype));
  out.text(arg.name);
}
ResolvedArg read_arg(Reader& in) {
  ResolvedArg arg;
  arg.kind = static_cast<KernelArg::Kind>(in.integer() & 3);
  arg.index = static_cast<int>(in.integer());
  arg.offset = in.integer();
  arg.value = in.integer();
  arg.dtype = static_cast<DType>(in.integer());
  arg.name = in.text();
  return arg;
}

using Range = std::pair<int64_t, int64_t>;
void write(Writer& out, const Range& range) {
  out.integer(range.first);
  out.integer(range.second);
}
Range read_range(Reader& in) {
  int64_t first = in.integer();
  return {first, in.integer()};
}

void write(Writer& out, const ResolvedLaunch& launch) {
  out.text(launch.kernel);
  for (int64_t extent : launch.grid) out.integer(extent);
  out.integer(launch.block);
  out.integer(launch.block_y);
  out.integer(launch.block_z);
  out.integer(launch.dynamic_lds);
  out.list(launch.args, [&](const ResolvedArg& arg) { write(out, arg); });
  out.text(launch.raw_args);
  out.list(launch.clear, [&](const Range& range) { write(out, range); });
}
ResolvedLaunch read_launch(Reader& in) {
  ResolvedLaunch launch;
  launch.kernel = in.text();
  for (int64_t& extent : launch.grid) extent = in.integer();
  launch.block = in.integer();
  launch.block_y = in.integer();
  launch.block_z = in.integer();
  launch.dynamic_lds = in.integer();
  in.list(launch.args, [&] { return read_arg(in); });
  launch.raw_args = in.text();
  in.list(launch.clear, [&] { return read_range(in); });
  return launch;
}

void write(Writer& out, const BufferRequest& buffer) {
  out.text(buffer.name);
  out.text(buffer.data);
  out.integer(buffer.size);
  out.integer(buffer.first_byte);
  out.integer(buffer.valid_begin);
  out.integer(buffer.valid_end);
  out.integer(buffer.writable | buffer.initialised << 1 | buffer.read_back << 2);
}
BufferRequest read_buffer(Reader& in) {
  BufferRequest buffer;
  buffer.name = in.text();
  buffer.data = in.text();
  buffer.size = in.integer();
  buffer.first_byte = in.integer();
  buffer.valid_begin = in.integer();
  buffer.valid_end = in.integer();
  int64_t flags = in.integer();
  buffer.writable = flags & 1;
  buffer.initialised = flags & 2;
  buffer.read_back = flags & 4;
  return buffer;
}

}  // namespace

std::string to_bytes(const RunRequest& request) {
  Writer out;
  out.integer(static_cast<int64_t>(kRequestMagic));
  out.text(request.gpu);
  out.list(request.code_objects, [&](const std::string& object) { out.text(object); });
  out.text(request.plan.variant);
  out.integer(request.plan.workspace_bytes);
  out.list(request.plan.launches, [&](const ResolvedLaunch& launch) { write(out, launch); });
  out.list(request.buffers, [&](const BufferRequest& buffer) { write(out, buffer); });
  out.list(request.scalars, [&](double scalar) { out.real(scalar); });
  out.integer(request.workspace_poison);
  out.integer(request.check | request.exact << 1 | request.count_lines << 2);
  out.integer(request.step_budget);
  out.real(request.deadline_s);
  out.list(request.only_groups, [&](int64_t group) { out.integer(group); });
  out.integer(request.samples);
  out.integer(request.flush_bytes);
  out.integer(static_cast<int64_t>(request.wave_order_seed));
  out.integer(request.threads);
  return out.take();
}

Result<RunRequest> run_request_from_bytes(std::string_view bytes) {
  Reader in(bytes);
  RunRequest request;
  bool known = in.integer() == static_cast<int64_t>(kRequestMagic);
  request.gpu = in.text();
  in.list(request.code_objects, [&] { return in.text(); });
  request.plan.variant = in.text();
  request.plan.workspace_bytes = in.integer();
  in.list(request.plan.launches, [&] { return read_launch(in); });
  in.list(request.buffers, [&] { return read_buffer(in); });
  in.list(request.scalars, [&] { return in.real(); });
  request.workspace_poison = static_cast<uint8_t>(in.integer());
  int64_t flags = in.integer();
  request.check = flags & 1;
  request.exact = flags & 2;
  request.count_lines = flags & 4;
  request.step_budget = in.integer();
  request.deadline_s = in.real();
  in.list(request.only_groups, [&] { return in.integer(); });
  request.samples = static_cast<int>(in.integer());
  request.flush_bytes = in.integer();
  request.wave_order_seed = static_cast<uint64_t>(in.integer());
  request.threads = static_cast<int>(in.integer());
  if (!known || !in.finished()) return fail("run.bytes", "a run request is malformed");
  return request;
}

std::string to_bytes(const RunResult& result) {
  Writer out;
  out.integer(static_cast<int64_t>(kResultMagic));
  out.text(to_json(result.run).dump(-1, ' ', false, Json::error_handler_t::replace));
  out.list(result.buffers, [&](const std::string& buffer) { out.text(buffer); });
  out.list(result.written,
           [&](const std::vector<Range>& ranges) { out.list(ranges, [&](const Range& range) { write(out, range); }); });
  return out.take();
}

Result<RunResult> run_result_from_bytes(std::string_view bytes) {
  Reader in(bytes);
  RunResult result;
  bool known = in.integer() == static_cast<int64_t>(kResultMagic);
  std::string text = in.text();
  in.list(result.buffers, [&] { return in.text(); });
  in.list(result.written, [&] {
    std::vector<Range> ranges;
    in.list(ranges, [&] { return read_range(in); });
    return ranges;
  });
  if (!known || !in.finished()) return fail("run.bytes", "a run result is malformed");
  Result<Json> json = parse_json(text, "a run result");
  if (!json) return fail(json.error());
  Result<Run> run = run_from_json(*json);
  if (!run) return fail(run.error());
  result.run = *run;
  return result;
}

}  // namespace hipvault
