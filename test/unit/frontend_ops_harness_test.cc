// Compares the interpreter with host loops over the op library (test/support/host_ops.h says how), and holds the
// library to its own rules: every op has a loop, every op has its five kinds of cases.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/hash.h"
#include "base/random.h"
#include "ir/interpret.h"
#include "support/host_ops.h"

namespace hipvault::host_ops {
namespace {

// What a result holds before the loop writes it.
constexpr double kUnwritten = -7.25e77;

const std::string kOps = std::string(HIPVAULT_SOURCE_DIR) + "/ops/";

std::string read_text(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::map<std::pair<std::string, std::string>, Loop>& loops() {
  static std::map<std::pair<std::string, std::string>, Loop> all;
  return all;
}

// ---- inputs
// ----------------------------------------------------------------------------------------------------------

double draw(const ir::Distribution& how, const std::vector<double>& numbers, bool is_float, Random& random) {
  if (how.kind == "normal") return numbers[0] + numbers[1] * random.normal();
  if (how.kind == "uniform") return numbers[0] + (numbers[1] - numbers[0]) * random.uniform();
  if (how.kind == "integers")
    return static_cast<double>(random.between(static_cast<int64_t>(numbers[0]), static_cast<int64_t>(numbers[1]) - 1));
  if (how.kind == "constant") return numbers[0];
  CHECK(how.kind == "special") << "distribution " << how.kind;
  if (is_float && random.below(4) != 0) return random.normal();
  return numbers[random.below(numbers.size())];
}

ir::Distribution make_distribution(const std::string& kind, std::vector<double> numbers) {
  ir::Distribution made;
  made.kind = kind;
  made.numbers = std::move(numbers);
  return made;
}

void write(HostTensor& tensor, int64_t linear, double value) {
  if (is_float(tensor.dtype)) {
    encode(tensor.dtype, tensor.bytes.data(), tensor.position_of(linear), value);
  } else {
    encode_int(tensor.dtype, tensor.bytes.data(), tensor.position_of(linear), static_cast<int64_t>(value));
  }
}

// Fills a tensor by its distribution number `which` (or the last it has).
void fill(HostTensor& tensor, const std::vector<ir::Distribution>& ways, size_t which, const Sizes& sizes,
          Random& random) {
  const bool floats = is_float(tensor.dtype);
  const ir::Distribution fallback =
      floats ? make_distribution("normal", {0, 1}) : make_distribution("integers", {0, 16});
  const ir::Distribution& how = ways.empty() ? fallback : ways[std::min(which, ways.size() - 1)];
  Result<std::vector<double>> numbers = ir::distribution_numbers(how, sizes);
  CHECK(numbers.has_value()) << numbers.error().message;
  std::vector<int64_t> order(static_cast<size_t>(tensor.elements()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  FOR(i, tensor.elements()) {
    const double value = how.kind == "permutation" ? static_cast<double>(order[static_cast<size_t>(i)])
                                                   : draw(how, *numbers, floats, random);
    write(tensor, i, value);
  }
}

double read(const HostTensor& tensor, int64_t linear) {
  return decode(tensor.dtype, tensor.bytes.data(), tensor.position_of(linear));
}

Array as_array(const HostTensor& tensor) {
  Array array(tensor.shape, 0);
  FOR(i, tensor.elements()) array.values()[static_cast<size_t>(i)] = read(tensor, i);
  return array;
}

std::vector<int64_t> shape_of(const ir::Tensor& tensor, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const IntExpr& extent : tensor.shape) {
    Result<int64_t> value = extent.evaluate(sizes);
    CHECK(value.has_value()) << value.error().message;
    shape.push_back(*value);
  }
  return shape;
}

HostTensor allocate(const ir::Tensor& tensor, const Sizes& sizes, const ir::Case& which) {
  HostTensor made = make_tensor(tensor.name, tensor.dtype, shape_of(tensor, sizes));
  if (which.strides.count(tensor.name)) made.strides = which.strides.at(tensor.name);
  if (which.offsets.count(tensor.name)) made.offset = which.offsets.at(tensor.name);
  CHECK(made.strides.size() == made.shape.size()) << "strides of " << tensor.name;
  int64_t span = made.offset + 1;
  for (size_t axis = 0; axis < made.shape.size(); ++axis) span += (made.shape[axis] - 1) * made.strides[axis];
  made.bytes.assign(static_cast<size_t>(bytes_of(made.dtype, span)), '\0');
  return made;
}

// ---- comparison
// ------------------------------------------------------------------------------------------------------

// One unit in the last place of `dtype` at `value`; f64 gets room for another order of summation.
double tolerance(DType dtype, double value) {
  if (!is_float(dtype)) return 0;
  if (dtype == DType::f64) return 1e-12 * (1 + std::abs(value));
  const DTypeInfo& about = info(dtype);
  const double size = std::max(std::abs(value), about.min_normal);
  return std::ldexp(1.0, std::ilogb(size) - about.mantissa_bits) + 1e-12;
}

bool agrees(DType dtype, double got, double expected) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance(dtype, expected);
}

double as_declared(DType dtype, double value) {
  if (is_float(dtype)) return round_to(dtype, value);
  return std::trunc(value);
}

struct Setting {
  std::string file, op;
  std::map<std::string, DType> types;
  std::string case_name;
  size_t distribution = 0;

  std::string text() const {
    std::string all = file + ":" + op + " case " + case_name + " inputs " + std::to_string(distribution);
    for (const auto& [variable, dtype] : types) all += std::string(" ") + variable + "=" + name(dtype);
    return all;
  }
};

const ir::Case* find_case(const ir::Program& program, const std::string& name) {
  for (const ir::Case& each : program.cases)
    if (each.name == name) return &each;
  return nullptr;
}

std::map<std::string, double> all_scalars(const ir::Program& program, const ir::Case& which) {
  std::map<std::string, double> scalars;
  for (const ir::ScalarParam& param : program.scalar_params)
    scalars[param.name] = which.scalars.count(param.name) ? which.scalars.at(param.name) : param.fallback.value_or(0);
  return scalars;
}

void compare_output(ir::Interpreter& interpreter, const ir::Tensor& tensor, const Array& expected) {
  Result<HostTensor> got = interpreter.tensor(tensor.name);
  ASSERT_TRUE(got.has_value()) << render(got.error());
  ASSERT_EQ(got->shape, expected.shape()) << tensor.name;
  int wrong = 0;
  FOR(i, got->elements()) {
    const double want = as_declared(tensor.dtype, expected.values()[static_cast<size_t>(i)]);
    const double have = read(*got, i);
    if (agrees(tensor.dtype, have, want)) continue;
    ADD_FAILURE() << tensor.name << " element " << i << ": interpreter " << have << ", host loop " << want;
    if (++wrong == 3) return;
  }
}

// Neighbouring integers may both be right after rounding at a near tie; the second next never is.
double far_from(DType dtype, double truth) {
  if (dtype == DType::boolean) return 1 - truth;
  return is_float(dtype) ? truth * 1.25 + 1 : truth + 2;
}

// Element by element on demand, as the judge asks: the truth is acceptable, a number far from it is not.
void compare_elements(ir::Interpreter& interpreter, const ir::Tensor& tensor, const Array& expected) {
  constexpr int64_t kChecked = 40;
  const int64_t count = static_cast<int64_t>(expected.values().size());
  for (int64_t i = 0; i < count; i += std::max<int64_t>(1, count / kChecked)) {
    std::vector<int64_t> index(expected.shape().size());
    int64_t rest = i;
    for (size_t axis = index.size(); axis-- > 0; rest /= expected.shape()[axis])
      index[axis] = rest % expected.shape()[axis];
    const double truth = as_declared(tensor.dtype, expected.values()[static_cast<size_t>(i)]);
    Result<ir::Value> got = interpreter.element(tensor.name, index);
    ASSERT_TRUE(got.has_value()) << render(got.error());
    ASSERT_TRUE(agrees(tensor.dtype, got->real, truth)) << tensor.name << " element " << i;
    Result<bool> right = interpreter.acceptable(tensor.name, index, got->real);
    ASSERT_TRUE(right.has_value() && *right) << tensor.name << " element " << i << ": " << got->real << " is refused";
    if (!std::isfinite(truth)) continue;
    const double wrong = as_declared(tensor.dtype, far_from(tensor.dtype, truth));
    if (wrong == truth) continue;  // saturated
    Result<bool> taken = interpreter.acceptable(tensor.name, index, wrong);
    ASSERT_TRUE(taken.has_value() && !*taken)
        << tensor.name << " element " << i << ": " << wrong << " passes for " << truth;
  }
}

void check_setting(const Setting& setting, Loop loop) {
  SCOPED_TRACE(setting.text());
  Result<ir::Program> program = open_op(setting.file, setting.op, setting.types);
  ASSERT_TRUE(program.has_value()) << render(program.error());
  const ir::Case& which = *find_case(*program, setting.case_name);
  Result<Sizes> sizes = bind_sizes(*program, which.sizes);
  ASSERT_TRUE(sizes.has_value()) << render(sizes.error());

  Run run;
  run.sizes = *sizes;
  ir::Bindings bindings;
  bindings.sizes = *sizes;
  bindings.scalars = run.scalars = all_scalars(*program, which);
  Random random(hash64(setting.text()));
  std::map<std::string, HostTensor> tensors;
  for (const ir::Tensor& tensor : program->tensors) {
    if (tensor.role == Role::output) {
      run.outputs[tensor.name] = Array(shape_of(tensor, *sizes), kUnwritten);
      continue;
    }
    HostTensor& made = tensors[tensor.name] = allocate(tensor, *sizes, which);
    auto ways = program->inputs.find(tensor.name);
    fill(made, ways == program->inputs.end() ? std::vector<ir::Distribution>{} : ways->second, setting.distribution,
         *sizes, random);
    run.inputs[tensor.name] = as_array(made);
    if (tensor.role == Role::inout) run.outputs[tensor.name] = run.inputs[tensor.name];
    bindings.tensors[tensor.name] = &made;
  }
  loop(run);
  ir::Interpreter interpreter(*program, bindings);
  for (const ir::Tensor* result : program->results()) {
    compare_output(interpreter, *result, run.outputs.at(result->name));
    compare_elements(interpreter, *result, run.outputs.at(result->name));
  }
}

// Every choice of the type variables, the defaults first.
std::vector<std::map<std::string, DType>> type_choices(const std::string& file, const std::string& op) {
  Result<frontend::OpFileRef> opened = open_op_file(file);
  if (!opened) return {{}};
  auto variables = type_variables(*opened, op);
  std::vector<std::map<std::string, DType>> choices = {{}};
  if (!variables) return choices;
  for (const auto& [variable, dtypes] : *variables) {
    std::vector<std::map<std::string, DType>> wider;
    for (const std::map<std::string, DType>& choice : choices)
      for (DType dtype : dtypes) {
        wider.push_back(choice);
        wider.back()[variable] = dtype;
      }
    choices = std::move(wider);
  }
  return choices;
}

size_t distribution_count(const ir::Program& program) {
  size_t count = 1;
  for (const auto& [tensor, ways] : program.inputs) count = std::max(count, ways.size());
  return count;
}

bool is_light(const std::string& case_name) {
  static const std::set<std::string> names = {"small", "odd", "strided", "column", "channels_last"};
  return names.count(case_name) > 0;
}

}  // namespace

bool register_loop(const std::string& file, const std::string& op, Loop loop) {
  return loops().emplace(std::pair(file, op), loop).second;
}

std::vector<std::pair<std::string, std::string>> registered_loops() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [key, loop] : loops()) names.push_back(key);
  return names;
}

Result<frontend::OpFileRef> open_op_file(const std::string& name) {
  static std::map<std::string, frontend::OpFileRef> parsed;
  if (auto found = parsed.find(name); found != parsed.end()) return found->second;
  const std::string path = kOps + name + ".hv";
  Result<frontend::OpFileRef> file =
      frontend::parse_file(read_text(path), "ops/" + name + ".hv", read_text(kOps + "std.hv"));
  if (file) parsed[name] = *file;
  return file;
}

Result<ir::Program> open_op(const std::string& file, const std::string& op, const std::map<std::string, DType>& types) {
  Result<frontend::OpFileRef> opened = open_op_file(file);
  if (!opened) return fail(opened.error());
  return frontend::instantiate(*opened, op, types, DType::f8e4m3fnuz);
}

std::vector<std::string> op_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kOps))
    if (entry.path().extension() == ".hv" && entry.path().stem() != "std") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::map<std::string, Array>> evaluate(const Question& question) {
  Result<ir::Program> program = open_op(question.file, question.op, question.types);
  if (!program) return fail(program.error());
  ir::Case asked;
  asked.sizes = question.sizes;
  asked.scalars = question.scalars;
  Result<Sizes> sizes = bind_sizes(*program, question.sizes);
  if (!sizes) return fail(sizes.error());
  ir::Bindings bindings;
  bindings.sizes = *sizes;
  bindings.scalars = all_scalars(*program, asked);
  std::map<std::string, HostTensor> tensors;
  for (const ir::Tensor& tensor : program->tensors) {
    if (tensor.role == Role::output) continue;
    HostTensor& made = tensors[tensor.name] = allocate(tensor, *sizes, asked);
    const std::vector<double>& values = question.inputs.at(tensor.name);
    CHECK(static_cast<int64_t>(values.size()) == made.elements()) << tensor.name << " needs " << made.elements();
    FOR(i, made.elements()) write(made, i, values[static_cast<size_t>(i)]);
    bindings.tensors[tensor.name] = &made;
  }
  ir::Interpreter interpreter(*program, bindings);
  std::map<std::string, Array> results;
  for (const ir::Tensor* result : program->results()) {
    Result<HostTensor> got = interpreter.tensor(result->name);
    if (!got) return fail(got.error());
    results[result->name] = as_array(*got);
  }
  return results;
}

uint32_t philox(uint64_t seed, uint64_t counter) {
  uint32_t c[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0};
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  FOR(round, 10) {
    const uint64_t p0 = 0xD2511F53ull * c[0], p1 = 0xCD9E8D57ull * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
                              static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    std::copy(next, next + 4, c);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c[0];
}

void check_op(const std::string& file, const std::string& op, Loop loop) {
  Result<ir::Program> program = open_op(file, op);
  ASSERT_TRUE(program.has_value()) << render(program.error());
  const std::vector<std::map<std::string, DType>> choices = type_choices(file, op);
  for (const std::map<std::string, DType>& types : choices) {
    check_setting({file, op, types, "small", 0}, loop);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const ir::Case& each : program->cases)
    for (size_t way = 0; is_light(each.name) && way < distribution_count(*program); ++way)
      check_setting({file, op, choices.front(), each.name, way}, loop);
}

}  // namespace hipvault::host_ops
