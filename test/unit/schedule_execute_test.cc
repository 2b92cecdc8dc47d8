// What schedules build, executed by the tile interpreter, against the definition of the op.

#include <gtest/gtest.h>

#include <chrono>

#include "base/random.h"
#include "ir/interpret.h"
#include "support/op_library.h"
#include "support/run_plan.h"
#include "tile/passes.h"

namespace hipvault::schedule {
namespace {

// ---- inputs
// --------------------------------------------------------------------------------------------------------------

int64_t size_of(const IntExpr& size, const Sizes& sizes) { return size.evaluate(sizes).value_or(0); }

double draw(const ir::Program& program, const ir::Tensor& tensor, const Sizes& sizes, Random& random, int64_t at) {
  auto noted = program.inputs.find(tensor.name);
  if (noted == program.inputs.end())
    return is_float(tensor.dtype) ? random.normal()
                                  : static_cast<double>(random.below(tensor.dtype == DType::boolean ? 2 : 8));
  ir::Distribution distribution = noted->second.front();
  for (size_t k = 0; k < distribution.sizes.size(); ++k)
    if (distribution.sizes[k]) distribution.numbers[k] = static_cast<double>(size_of(*distribution.sizes[k], sizes));
  const std::vector<double>& n = distribution.numbers;
  if (distribution.kind == "normal") return n[0] + n[1] * random.normal();
  if (distribution.kind == "uniform") return n[0] + (n[1] - n[0]) * random.uniform();
  if (distribution.kind == "integers")
    return static_cast<double>(
        random.between(static_cast<int64_t>(n[0]), static_cast<int64_t>(n[1]) - (n[1] > n[0] ? 1 : 0)));
  if (distribution.kind == "permutation") return static_cast<double>(at);
  if (distribution.kind == "constant") return n[0];
  return random.normal();
}

// How far apart elements are: each stride is multiplied, so that nothing is contiguous; `shift` moves the first
// element.
struct Storage {
  int64_t spread = 1, shift = 0;
};

HostTensor fill(const ir::Program& program, const ir::Tensor& tensor, const Sizes& sizes, Storage storage,
                Random& random) {
  std::vector<int64_t> shape;
  for (const IntExpr& extent : tensor.shape) shape.push_back(size_of(extent, sizes));
  HostTensor host = make_tensor(tensor.name, tensor.dtype, shape);
  bool packed = info(tensor.dtype).bits < 8;
  if (!packed) {
    for (int64_t& stride : host.strides) stride *= storage.spread;
    host.offset = storage.shift;
  }
  int64_t last = host.offset;
  for (size_t axis = 0; axis < shape.size(); ++axis) last += std::max<int64_t>(0, shape[axis] - 1) * host.strides[axis];
  host.bytes.assign(static_cast<size_t>(bytes_of(tensor.dtype, last + 1)), '\x5b');
  for (int64_t at = 0; tensor.role != Role::output && at < host.elements(); ++at) {
    double value = draw(program, tensor, sizes, random, at);
    if (is_float(tensor.dtype) || tensor.dtype == DType::e8m0)
      encode(tensor.dtype, host.bytes.data(), host.position_of(at), value);
    else
      encode_int(tensor.dtype, host.bytes.data(), host.position_of(at), static_cast<int64_t>(value));
  }
  return host;
}

struct Inputs {
  Sizes sizes;
  std::vector<HostTensor> tensors;
  std::map<std::string, double> scalars;
};

Inputs make_inputs(const Task& task, const std::map<std::string, double>& scalars, Storage storage) {
  Inputs inputs{task.sizes, {}, {}};
  Random random(7);
  for (const ir::Tensor& tensor : task.program.tensors)
    inputs.tensors.push_back(fill(task.program, tensor, task.sizes, storage, random));
  for (const ir::ScalarParam& param : task.program.scalar_params) {
    auto given = scalars.find(param.name);
    inputs.scalars[param.name] = given != scalars.end() ? given->second : param.fallback.value_or(0.5);
  }
  return inputs;
}

// ---- comparison
// ----------------------------------------------------------------------------------------------------------

std::vector<int64_t> index_of(const HostTensor& tensor, int64_t linear) {
  std::vector<int64_t> index(tensor.shape.size());
  for (size_t axis = index.size(); axis-- > 0; linear /= tensor.shape[axis]) index[axis] = linear % tensor.shape[axis];
  return index;
}

// Compares up to 300 elements of each result, spread evenly.
void compare(const Task& task, const Inputs& before, const std::vector<HostTensor>& after, const std::string& what) {
  ir::Bindings bindings;
  bindings.sizes = before.sizes;
  for (const HostTensor& tensor : before.tensors)
    if (task.program.tensor(tensor.name)->role != Role::output) bindings.tensors[tensor.name] = &tensor;
  bindings.scalars = before.scalars;
  ir::Interpreter reference(task.program, bindings);
  for (const HostTensor& tensor : after) {
    if (task.program.tensor(tensor.name)->role == Role::input) continue;
    int64_t step = std::max<int64_t>(1, tensor.elements() / 300);
    for (int64_t at = 0; at < tensor.elements(); at += step) {
      std::vector<int64_t> index = index_of(tensor, at);
      double got = decode(tensor.dtype, tensor.bytes.data(), tensor.position_of(at));
      Result<bool> fine = reference.acceptable(tensor.name, index, got);
      ASSERT_TRUE(fine) << what << ": " << fine.error().message;
      Result<ir::Value> expected = reference.element(tensor.name, index);
      ASSERT_TRUE(*fine) << what << ": " << tensor.name << " element " << at << " is " << got << ", not "
                         << expected->real << " ± " << expected->error;
    }
  }
}

// Runs and compares; returns the variant that ran.
std::string check(const Task& task, const Lowered& lowered, const Inputs& inputs, const std::string& what) {
  std::vector<HostTensor> tensors = inputs.tensors;
  std::map<std::string, HostTensor*> by_name;
  for (HostTensor& tensor : tensors) by_name[tensor.name] = &tensor;
  Result<std::string> variant = test::run_plan(lowered, inputs.sizes, by_name, inputs.scalars);
  EXPECT_TRUE(variant) << what << ": " << variant.error().message;
  if (variant) compare(task, inputs, tensors, what);
  return variant.value_or("");
}

Task library_task(const std::string& file, const std::string& op, const Sizes& sizes,
                  const std::map<std::string, DType>& types = {}) {
  Result<ir::Program> program = frontend::instantiate(test::op_file(file), op, types, DType::f8e4m3fnuz);
  EXPECT_TRUE(program) << op;
  return test::task_of(*program, sizes);
}

// ---- naive
// ---------------------------------------------------------------------------------------------------------------

class NaiveTest : public testing::TestWithParam<std::string> {};

// Small and odd cases of every op, contiguous and spread out.
TEST_P(NaiveTest, AgreesWithTheDefinition) {
  frontend::OpFileRef parsed = test::op_file(GetParam());
  for (const std::string& op : frontend::op_names(parsed)) {
    Result<ir::Program> program = frontend::instantiate(parsed, op, {}, DType::f8e4m3fnuz);
    ASSERT_TRUE(program) << op;
    for (const ir::Case& sized : program->cases) {
      if (sized.name != "small" && sized.name != "odd") continue;
      Task task = test::task_of(*program, sized.sizes);
      Result<Lowered> lowered = lower(task, {{"sketch", "naive"}}, true);
      ASSERT_TRUE(lowered) << op;
      Storage storage = sized.name == "odd" ? Storage{3, 5} : Storage{};
      auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(check(task, *lowered, make_inputs(task, sized.scalars, storage), op + " " + sized.name), "narrow");
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (seconds > 1) std::printf("%s %s took %.1f s\n", op.c_str(), sized.name.c_str(), seconds);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Library, NaiveTest,
                         testing::Values("adam", "add", "argmax", "attention", "bias_gelu", "concat_pad", "conv2d",
                                         "cross_entropy", "cumsum", "delta", "dropout", "embedding", "fp8_matmul",
                                         "group_norm", "layer_norm", "linear_gelu", "matmul", "max_pool2d", "moe",
                                         "paged_attention", "quantize", "reduce", "rms_norm", "rope", "scatter_add",
                                         "softmax", "swiglu", "top_p", "topk", "transpose", "w4a16"),
                         [](const auto& info) { return info.param; });

// ---- tuned
// ---------------------------------------------------------------------------------------------------------------

// Every sketch that matches, with its default and with alternatives of each decision, on all small and odd cases.
void check_all_choices(const std::string& file, const std::string& sketch) {
  frontend::OpFileRef parsed = test::op_file(file);
  std::set<std::string> variants;
  for (const std::string& op : frontend::op_names(parsed)) {
    Result<ir::Program> program = frontend::instantiate(parsed, op, {}, DType::f8e4m3fnuz);
    ASSERT_TRUE(program) << op;
    for (const ir::Case& sized : program->cases) {
      if (sized.name != "small" && sized.name != "odd") continue;
      Task task = test::task_of(*program, sized.sizes);
      Result<Schedule> standard = default_schedule(task, sketch);
      if (!standard) continue;
      Inputs contiguous = make_inputs(task, sized.scalars, {}), spread = make_inputs(task, sized.scalars, {3, 5});
      std::set<std::string> tried;
      Schedule prefix;
      for (const Decision& decision : *standard) {
        Result<Question> question = next_question(task, prefix);
        ASSERT_TRUE(question);
        for (const Choice& choice : question->choices) {
          if (!choice.legal || question->name == "sketch") continue;
          Schedule schedule = prefix;
          schedule.push_back({question->name, choice.value});
          Result<Lowered> lowered = lower(task, schedule, true);
          ASSERT_TRUE(lowered) << op << ": " << lowered.error().message;
          if (!tried.insert(text(lowered->schedule)).second) continue;
          std::string what = op + " " + sized.name + "\n" + text(lowered->schedule);
          variants.insert(check(task, *lowered, contiguous, what));
          if (testing::Test::HasFailure()) return;
        }
        prefix.push_back(decision);
      }
      Result<Lowered> lowered = lower(task, *standard);
      ASSERT_TRUE(lowered);
      check(task, *lowered, spread, op + " spread " + sized.name);
      lowered->plan.variants.erase(lowered->plan.variants.begin());
      EXPECT_EQ(check(task, *lowered, contiguous, op + " general " + sized.name), "any_size");
      EXPECT_EQ(check(task, *lowered, spread, op + " general, spread " + sized.name), "any_size");
    }
  }
  EXPECT_TRUE(variants.contains("rows") || variants.contains("vector") || variants.contains("narrow") ||
              variants.contains("tiled"))
      << "the fast variant never ran";
}

class PointwiseTest : public testing::TestWithParam<std::string> {};
TEST_P(PointwiseTest, AllChoicesAgree) { check_all_choices(GetParam(), "pointwise"); }
INSTANTIATE_TEST_SUITE_P(Library, PointwiseTest,
                         testing::Values("add", "bias_gelu", "swiglu", "rope", "transpose", "concat_pad", "embedding",
                                         "dropout"),
                         [](const auto& info) { return info.param; });

// How many elements each global load and store of the kernel moves, after the passes; `lds`: accesses of LDS.
struct Moves {
  std::vector<int> loads, stores;
  int lds = 0;
};
Moves moves_of(const Lowered& lowered, size_t kernel_index) {
  tile::Kernel kernel = lowered.kernels[kernel_index];
  tile::PassContext context;
  context.arch = target::find_arch("gfx942");
  context.multiple_of = lowered.multiple_of.at(kernel.name);
  context.alignment = lowered.alignment.at(kernel.name);
  Status status = tile::run_passes(kernel, context);
  EXPECT_TRUE(status) << render(status.error());
  Moves moves;
  tile::visit(kernel.body, [&](const tile::Operation& op) {
    if (op.code == tile::OpCode::load) moves.loads.push_back(op.attrs.vector);
    if (op.code == tile::OpCode::store) moves.stores.push_back(op.attrs.vector);
    if (op.code == tile::OpCode::lds_load || op.code == tile::OpCode::lds_store) ++moves.lds;
  });
  return moves;
}

TEST(Transpose, AllChoicesAgree) { check_all_choices("transpose", "transpose"); }

// Both sides of a transposition move 16 bytes a lane, and the tile crosses LDS once.
TEST(Transpose, BothSidesAreVectors) {
  for (const auto& [dtype, elements] : std::map<DType, int>{{DType::f32, 4}, {DType::bf16, 8}, {DType::i8, 16}}) {
    Task task = library_task("transpose", "transpose", {{"M", 256}, {"N", 192}}, {{"T", dtype}});
    Result<Lowered> lowered = lower(task, {{"sketch", "transpose"}}, true);
    ASSERT_TRUE(lowered) << lowered.error().message;
    Moves moves = moves_of(*lowered, 0);
    EXPECT_EQ(moves.loads, std::vector<int>{elements}) << name(dtype);
    EXPECT_EQ(moves.stores, std::vector<int>{elements}) << name(dtype);
    EXPECT_EQ(moves.lds, 2) << name(dtype);
  }
}

// Sizes that no vector divides are read and written by neighbouring lanes all the same.
TEST(Transpose, OddSizesStayContiguous) {
  Task task = library_task("transpose", "transpose", {{"M", 61}, {"N", 67}}, {{"T", DType::f32}});
  Result<Lowered> lowered = lower(task, {{"sketch", "transpose"}}, true);
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_EQ(moves_of(*lowered, 0).lds, 2);
  EXPECT_EQ(check(task, *lowered, make_inputs(task, {}, {}), "61 x 67"), "tiled");
}

TEST(Transpose, RefusesWhatRunsOneWay) {
  Task task = library_task("transpose", "split_heads", {{"B", 2}, {"S", 8}, {"H", 2}, {"D", 16}});
  Result<Question> question = next_question(task, {});
  ASSERT_TRUE(question);
  for (const Choice& choice : question->choices)
    if (choice.value == "transpose")
      EXPECT_EQ(choice.reason,
                "nothing is read along another dimension than the result is written; pointwise moves all rows as they "
                "lie");
}

// The operands of all four storage orders of a matmul are loaded by vectors.
TEST(Contract, OperandsAreVectorsInEveryOrder) {
  frontend::OpFileRef parsed = test::op_file("matmul");
  int seen = 0;
  for (const std::string& op : frontend::op_names(parsed)) {
    Result<ir::Program> program = frontend::instantiate(parsed, op, {{"T", DType::f16}}, DType::f8e4m3fnuz);
    if (!program || program->dim("M") == nullptr || program->dim("B") != nullptr) continue;
    Task task = test::task_of(*program, {{"M", 128}, {"N", 64}, {"K", 96}});
    Result<Lowered> lowered = lower(task, {{"sketch", "contract"}}, true);
    if (!lowered) continue;
    ++seen;
    for (int width : moves_of(*lowered, 0).loads) EXPECT_EQ(width, 8) << op;
  }
  EXPECT_GE(seen, 3);
}

// A bias after a matmul is loaded as a row, not grown to the tile by its mask.
TEST(Contract, ABiasStaysARow) {
  frontend::OpFileRef parsed =
      test::op_text("op linear(x: f16[M,K], w: f16[K,N], b: f16[N]) -> y: f16[M,N]\n  y = sum(x * w, K) + b\n");
  Result<ir::Program> program = frontend::instantiate(parsed, "", {}, DType::f8e4m3fnuz);
  ASSERT_TRUE(program) << program.error().message;
  Task task = test::task_of(*program, {{"M", 64}, {"N", 64}, {"K", 32}});
  Result<Lowered> lowered = lower(task, {{"sketch", "contract"}}, true);
  ASSERT_TRUE(lowered) << lowered.error().message;
  const tile::Kernel& kernel = lowered->kernels[0];
  std::vector<int32_t> shape;
  tile::visit(kernel.body, [&](const tile::Operation& op) {
    if (op.code == tile::OpCode::load && kernel.buffers[static_cast<size_t>(op.attrs.buffer)].name == "b")
      shape = kernel.type(op.results[0]).shape;
  });
  EXPECT_EQ(shape, (std::vector<int32_t>{1, 64}));
}

class RowReduceTest : public testing::TestWithParam<std::string> {};
TEST_P(RowReduceTest, AllChoicesAgree) { check_all_choices(GetParam(), "row_reduce"); }
INSTANTIATE_TEST_SUITE_P(Library, RowReduceTest,
                         testing::Values("softmax", "cross_entropy", "layer_norm", "rms_norm", "argmax", "reduce",
                                         "group_norm"),
                         [](const auto& info) { return info.param; });

class ContractTest : public testing::TestWithParam<std::string> {};
TEST_P(ContractTest, AllChoicesAgree) { check_all_choices(GetParam(), "contract"); }
INSTANTIATE_TEST_SUITE_P(Library, ContractTest, testing::Values("matmul", "linear_gelu", "w4a16", "fp8_matmul"),
                         [](const auto& info) { return info.param; });

// Schedules are right for other sizes than those they were made for.
TEST(RowReduce, OtherSizes) {
  Task made_for = library_task("softmax", "softmax", {{"B", 4}, {"N", 64}});
  Result<Lowered> lowered = lower(made_for, {{"sketch", "row_reduce"}}, true);
  ASSERT_TRUE(lowered);
  std::set<std::string> variants;
  for (const Sizes& sizes : {Sizes{{"B", 1}, {"N", 5000}}, Sizes{{"B", 97}, {"N", 1}}, Sizes{{"B", 3}, {"N", 60}},
                             Sizes{{"B", 0}, {"N", 8}}, Sizes{{"B", 5}, {"N", 37}}}) {
    Task task = library_task("softmax", "softmax", sizes);
    variants.insert(check(task, *lowered, make_inputs(task, {}, {}), "softmax N=" + std::to_string(sizes.at("N"))));
  }
  EXPECT_EQ(variants, (std::set<std::string>{"rows", "any_size"}));
}

// One row over many work-groups: as many launches as there are dependent reductions, and one more.
TEST(RowReduce, SplitRow) {
  for (const std::string op : {"softmax", "log_softmax"}) {
    Task task = library_task("softmax", op, {{"B", 1}, {"N", 5003}});
    Result<Lowered> lowered = lower(
        task, *parse_schedule("sketch row_reduce\nrows_per_group 1\nwaves 1\nvector 1\nresidency reread\nsplit 8\n"),
        true);
    ASSERT_TRUE(lowered) << lowered.error().message;
    EXPECT_EQ(lowered->plan.variants[0].launches.size(), 3u);
    EXPECT_EQ(check(task, *lowered, make_inputs(task, {}, {}), op), "rows");
  }
}

// A part is found at row * split + part in 32 bits: 2^22 rows in 256 parts are as many as the fast variant takes.
TEST(RowReduce, SplitRowsAreCounted) {
  Task task = library_task("softmax", "softmax", {{"B", 1}, {"N", 65536}});
  Result<Lowered> lowered = lower(
      task, *parse_schedule("sketch row_reduce\nrows_per_group 1\nwaves 1\nvector 1\nresidency reread\nsplit 256\n"),
      true);
  ASSERT_TRUE(lowered) << lowered.error().message;
  Sizes sizes = {{"B", 1 << 22}, {"N", 256}};
  for (const std::string tensor : {"x", "y"}) {
    sizes[tensor + ".stride.0"] = 256;
    sizes[tensor + ".stride.1"] = 1;
    sizes[tensor + ".align"] = 256;
  }
  Result<ResolvedPlan> most = resolve(lowered->plan, sizes);
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_EQ(most->variant, "rows");
  sizes["B"] += 1;
  Result<ResolvedPlan> more = resolve(lowered->plan, sizes);
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->variant, "any_size");
  // Rows shorter than their parts are not split.
  sizes["B"] = 1009, sizes["N"] = 31;
  Result<ResolvedPlan> shorter = resolve(lowered->plan, sizes);
  ASSERT_TRUE(shorter) << shorter.error().message;
  EXPECT_EQ(shorter->variant, "any_size");
}

// A transposed operand among others, with arithmetic: only that one crosses LDS for the sake of its order.
TEST(Transpose, AmongOtherOperands) {
  frontend::OpFileRef parsed = test::op_text(
      "op mixed(x: f32[B,M,N], r: f32[B,N,M], b: f32[N]) -> y: f32[B,N,M], z: f16[B,N,M]\n  y = exp(x) * 2 + r - b\n  "
      "z "
      "= x + b\n");
  ASSERT_NE(parsed, nullptr);
  Result<ir::Program> program = frontend::instantiate(parsed, "", {}, DType::f8e4m3fnuz);
  ASSERT_TRUE(program) << program.error().message;
  for (const Sizes& sizes : {Sizes{{"B", 2}, {"M", 24}, {"N", 40}}, Sizes{{"B", 3}, {"M", 17}, {"N", 5}}}) {
    Task task = test::task_of(*program, sizes);
    Result<Lowered> lowered = lower(task, {{"sketch", "transpose"}}, true);
    ASSERT_TRUE(lowered) << lowered.error().message;
    EXPECT_EQ(check(task, *lowered, make_inputs(task, {}, {}), "mixed"), "tiled");
    EXPECT_EQ(check(task, *lowered, make_inputs(task, {}, {3, 5}), "mixed, spread"), "any_size");
  }
}

// ---- language features that the library uses little
// ----------------------------------------------------------------------

void check_text(const std::string& op, const Sizes& sizes, const std::map<std::string, double>& scalars = {}) {
  frontend::OpFileRef parsed = test::op_text(op);
  ASSERT_NE(parsed, nullptr) << op;
  Result<ir::Program> program = frontend::instantiate(parsed, "", {}, DType::f8e4m3fnuz);
  ASSERT_TRUE(program) << program.error().message;
  Task task = test::task_of(*program, sizes);
  Result<Question> sketches = next_question(task, {});
  for (const Choice& choice : sketches->choices) {
    if (!choice.legal) continue;
    Result<Lowered> lowered = lower(task, {{"sketch", choice.value}}, true);
    ASSERT_TRUE(lowered) << lowered.error().message;
    check(task, *lowered, make_inputs(task, scalars, {}), op + " " + choice.value);
  }
}

TEST(ScheduleLanguage, FourBitResultsShareBytes) {
  check_text("op pack(x: i32[M,N]) -> y: u4[M,N]\n  y = x\n  input x: integers(0, 15)\n", {{"M", 3}, {"N", 6}});
  check_text("op pack(x: f32[N]) -> y: f4[N]\n  y = x\n  input x: normal(0, 3)\n", {{"N", 64}});
}
TEST(ScheduleLanguage, FourBitOperands) {
  check_text("op unpack(x: i4[M,N], s: f4[M,N]) -> y: f32[M,N]\n  y = x * s\n  input x: integers(-8, 7)\n",
             {{"M", 3}, {"N", 10}});
}
TEST(ScheduleLanguage, EmptyReductions) {
  check_text("op empty(x: f32[M,N]) -> s: f32[M], m: f32[M]\n  s = sum(x, N)\n  m = max(x, N)\n", {{"M", 3}, {"N", 0}});
}
TEST(ScheduleLanguage, IntegersBeyond32Bits) {
  check_text(
      "op wide(x: i32[N], k: i32[N]) -> y: i64[N], s: i64[]\n  y = x * x * k - 5 // k % 3\n  s = sum(x * k, N)\n  "
      "input x: integers(100000, 2000000)\n  input k: integers(1, 9)\n",
      {{"N", 70}});
}
TEST(ScheduleLanguage, WhereGuardsItsBranches) {
  check_text(
      "op guarded(x: f32[N], i: i32[N]) -> y: f32[N]\n  y = where(i >= 0, x[i], -1) + where(i == 0, 0, 10 // i)\n  "
      "input i: integers(-5, 6)\n",
      {{"N", 12}});
}
TEST(ScheduleLanguage, RandomIsPhilox) {
  check_text(
      "op noise(x: f32[N], seed: int) -> y: f32[N], w: i64[N]\n  y = x + uniform(seed, N)\n  w = random(seed, N * "
      "4294967296 + 7)\n",
      {{"N", 67}, {"seed", 12345678901}});
}
TEST(ScheduleLanguage, TwoStatesOneFold) {
  check_text(
      "op fib(x: f64[B,L]) -> y: f64[B], z: f64[B]\n  a, c = fold(L, (0, 1), (p, q) -> (q, p + q * x))\n  y = a\n  z = "
      "c\n",
      {{"B", 3}, {"L", 9}});
}
TEST(ScheduleLanguage, NothingToScan) {
  check_text("op none(x: f32[B,L]) -> y: f32[B]\n  a = fold(L, 3, p -> p + x)\n  y = a\n", {{"B", 3}, {"L", 0}});
}

}  // namespace
}  // namespace hipvault::schedule
