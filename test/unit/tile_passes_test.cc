// What the passes promise, by brute force: LDS swizzles without bank conflicts that lose no element, counted here word
// by word; widths of memory accesses from facts about offsets, masks and alignment.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tile/builder.h"
#include "tile/interpret.h"
#include "tile/passes.h"
#include "tile/stage_to_lds.h"

namespace hipvault::tile {
namespace {

const target::Arch& arch() { return *target::find_arch("gfx942"); }

// ---- LDS
// -----------------------------------------------------------------------------------------------------------------

// Offset in LDS of every element, by walking all offsets.
std::map<Coords, int> offsets_of(const Layout& shared) {
  std::map<Coords, int> offsets;
  for (int offset = 0; offset < shared.registers(); ++offset) offsets[shared.at(offset, 0, 0)] = offset;
  return offsets;
}

// Elements a lane moves at once: the longest aligned run of registers that are neighbours in LDS for every lane.
int widest(const Layout& layout, const std::map<Coords, int>& offsets, int bytes) {
  auto works = [&](int width) {
    for (int wave = 0; wave < 1 << layout.wave.size(); ++wave)
      for (int lane = 0; lane < 1 << layout.lane.size(); ++lane)
        for (int reg = 0; reg < layout.registers(); reg += width) {
          int first = offsets.at(layout.at(reg, lane, wave));
          if (first % width) return false;
          for (int k = 1; k < width; ++k)
            if (offsets.at(layout.at(reg + k, lane, wave)) != first + k) return false;
        }
    return true;
  };
  int width = 1;
  while (width * 2 * bytes <= 16 && width * 2 <= layout.registers() && works(width * 2)) width *= 2;
  return width;
}

// Cycles beyond one a phase, over all instructions of all waves.
int conflicts(const Layout& layout, const Layout& shared, int bytes) {
  std::map<Coords, int> offsets = offsets_of(shared);
  int width = widest(layout, offsets, bytes), extra = 0;
  const std::vector<std::vector<int>>* groups = nullptr;
  for (const target::Arch::LdsPhases& row : arch().lds_read_phases)
    if (row.bytes == std::max(4, width * bytes)) groups = &row.groups;
  if (!groups) return ADD_FAILURE() << "no phases for " << width * bytes << " bytes", 0;
  for (int wave = 0; wave < 1 << layout.wave.size(); ++wave)
    for (int reg = 0; reg < layout.registers(); reg += width)
      for (const std::vector<int>& group : *groups) {
        std::map<int, std::set<int>> words_of_bank;
        for (int lane : group)
          for (int k = 0; k < width; ++k) {
            int word = offsets.at(layout.at(reg + k, lane, wave)) * bytes / 4;
            words_of_bank[word % arch().lds_banks].insert(word);
            if (bytes == 8) words_of_bank[(word + 1) % arch().lds_banks].insert(word + 1);
          }
        size_t most = 1;
        for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
        extra += static_cast<int>(most) - 1;
      }
  return extra;
}

// Writes every element's number through `source`, reads it back through `destination`.
void expect_nothing_lost(const Layout& source, const Layout& destination, const Layout& shared) {
  std::map<Coords, int> offsets = offsets_of(shared);
  ASSERT_EQ(offsets.size(), static_cast<size_t>(shared.registers()));
  ASSERT_EQ(offsets.size(), size_t{1} << coordinate_bits(shared.shape));
  std::vector<uint64_t> memory(offsets.size(), ~uint64_t{0});
  auto walk = [&](const Layout& layout, auto f) {
    for (int wave = 0; wave < 1 << layout.wave.size(); ++wave)
      for (int lane = 0; lane < 1 << layout.lane.size(); ++lane)
        for (int reg = 0; reg < layout.registers(); ++reg) {
          Coords at = layout.at(reg, lane, wave);
          f(memory[static_cast<size_t>(offsets.at(at))], flatten(at, layout.shape));
        }
  };
  walk(source, [](uint64_t& cell, uint64_t number) { cell = number; });
  walk(destination, [](uint64_t& cell, uint64_t number) { ASSERT_EQ(cell, number); });
}

struct Conversion {
  std::string name;
  Layout source, destination;
  int bytes;
};

const target::MatrixOp& matrix_op(const std::string& mnemonic) {
  for (const target::MatrixOp& op : arch().matrix_ops)
    if (op.mnemonic == mnemonic) return op;
  ADD_FAILURE() << mnemonic;
  return arch().matrix_ops[0];
}

// Rows as a coalesced load brings them: 16 bytes a lane along `fast`.
Layout rows_of(std::vector<int32_t> shape, int bytes, int fast) {
  size_t f = static_cast<size_t>(fast);
  std::vector<int32_t> vector = {1, 1}, lanes = {1, 1}, waves = {1, 1};
  vector[f] = std::min(16 / bytes, shape[f]);
  lanes[f] = std::min(64, shape[f] / vector[f]);
  lanes[1 - f] = 64 / lanes[f];
  waves[1 - f] = 4;
  return Layout::blocked(shape, vector, lanes, waves, {fast, 1 - fast});
}

std::vector<Conversion> conversions() {
  std::vector<Conversion> out;
  struct Operand {
    const char* mnemonic;
    int bytes;
  };
  for (const Operand& operand : {Operand{"v_mfma_f32_16x16x16_f16", 2},
                                 {"v_mfma_f32_32x32x8_bf16", 2},
                                 {"v_mfma_f32_16x16x32_fp8_fp8", 1},
                                 {"v_mfma_i32_32x32x16_i8", 1},
                                 {"v_mfma_f32_16x16x4_f32", 4}})
    for (std::vector<int32_t> shape : {std::vector<int32_t>{64, 64}, {128, 32}, {64, 128}})
      for (char which : {'a', 'b'}) {
        // k lies along memory for both operands, as good kernels have it.
        std::vector<int32_t> tile = which == 'a' ? shape : std::vector<int32_t>{shape[1], shape[0]};
        out.push_back({std::string(operand.mnemonic) + " " + which + " " + std::to_string(shape[0]) + "x" +
                           std::to_string(shape[1]),
                       rows_of(tile, operand.bytes, which == 'a' ? 1 : 0),
                       Layout::matrix(matrix_op(operand.mnemonic), which, tile, {2, 2}), operand.bytes});
      }
  for (int bytes : {4, 2})
    out.push_back({"transpose of " + std::to_string(bytes) + " bytes", rows_of({64, 64}, bytes, 1),
                   rows_of({64, 64}, bytes, 0), bytes});
  return out;
}

TEST(TileStage, SwizzlesLoseNoElement) {
  for (const Conversion& c : conversions()) {
    SCOPED_TRACE(c.name);
    expect_nothing_lost(c.source, c.destination, choose_swizzle(c.source, c.destination, c.bytes, arch()));
  }
}

TEST(TileStage, WidthsAndConflictsAreThoseCountedWordByWord) {
  for (const Conversion& c : conversions()) {
    Layout shared = choose_swizzle(c.source, c.destination, c.bytes, arch());
    for (const Layout* side : {&c.source, &c.destination}) {
      int width = widest(*side, offsets_of(shared), c.bytes);
      EXPECT_EQ(lds_vector(*side, shared, c.bytes), width) << c.name;
      // All instructions of a wave are alike, so the whole is the one that bank_conflicts counts, times their number.
      int instructions = (side->registers() / width) << side->wave.size();
      EXPECT_EQ(bank_conflicts(*side, shared, c.bytes, arch()) * instructions, conflicts(*side, shared, c.bytes))
          << c.name;
    }
  }
}

TEST(TileStage, OperandsOfMatrixInstructionsAndTransposesMeetNoBankConflict) {
  for (const Conversion& c : conversions()) {
    Layout shared = choose_swizzle(c.source, c.destination, c.bytes, arch());
    int writes = conflicts(c.source, shared, c.bytes), reads = conflicts(c.destination, shared, c.bytes);
    EXPECT_EQ(writes + reads, 0) << c.name << ": " << writes << " + " << reads;
    // The plain row-major tile is what the swizzle is for.
    Layout plain;
    plain.shape = shared.shape;
    for (int bit = 0; bit < coordinate_bits(shared.shape); ++bit)
      plain.reg.push_back(unflatten(uint64_t{1} << bit, shared.shape));
    EXPECT_LE(writes + reads, conflicts(c.source, plain, c.bytes) + conflicts(c.destination, plain, c.bytes)) << c.name;
  }
}

// ---- the pass
// ------------------------------------------------------------------------------------------------------------

Kernel transpose_kernel() {
  Builder b("transpose", 4);
  int x = b.buffer("x", DType::f32, false), y = b.buffer("y", DType::f32, true);
  ValueId row = b.range_along(64, 0, 2), column = b.range_along(64, 1, 2);
  ValueId v = b.load(x, b.add(b.mul(row, b.integer(64)), column));
  ValueId back = b.permute(v, {1, 0});
  b.store(y, b.add(b.mul(row, b.integer(64)), column), back);
  return b.finish();
}

PassContext context_for(const Kernel& kernel, int64_t alignment = 16) {
  PassContext context;
  context.arch = &arch();
  for (const BufferArg& buffer : kernel.buffers) context.alignment[buffer.name] = alignment;
  return context;
}

TEST(TileStage, ATransposeGoesThroughLdsBetweenBarriersAndStaysRight) {
  Kernel kernel = transpose_kernel();
  PassContext context = context_for(kernel);
  Status status = run_passes(kernel, context);
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_TRUE(verify(kernel));
  std::vector<OpCode> order;
  visit(kernel.body, [&](const Operation& op) {
    if (op_group(op.code) == OpGroup::memory) order.push_back(op.code);
    if (op.code == OpCode::lds_alloc) EXPECT_TRUE(op.attrs.layout.has_value());
    if (op.code == OpCode::load || op.code == OpCode::store) EXPECT_EQ(op.attrs.vector, 4);
  });
  EXPECT_EQ(order, (std::vector<OpCode>{OpCode::load, OpCode::lds_alloc, OpCode::lds_store, OpCode::barrier,
                                        OpCode::lds_load, OpCode::store}));
  std::vector<float> in(4096), expected(4096);
  for (size_t i = 0; i < 64; ++i)
    for (size_t j = 0; j < 64; ++j) in[i * 64 + j] = expected[j * 64 + i] = static_cast<float>(i * 64 + j);
  std::string source(reinterpret_cast<char*>(in.data()), 16384), target(16384, '\0');
  ASSERT_TRUE(interpret(kernel, {1, 1, 1}, Memory{{&source, &target}, {0, 0}, {}}));
  EXPECT_EQ(target, std::string(reinterpret_cast<char*>(expected.data()), 16384));
}

TEST(TilePasses, EveryTileHasALayoutThatHoldsEveryElement) {
  Kernel kernel = transpose_kernel();
  ASSERT_TRUE(run_passes(kernel, context_for(kernel)));
  visit(kernel.body, [&](const Operation& op) {
    for (ValueId id : op.results) {
      const ValueInfo& value = kernel.values[static_cast<size_t>(id)];
      if (value.type.shape.empty() || value.type.lds) continue;
      ASSERT_TRUE(value.layout) << op_name(op.code);
      EXPECT_TRUE(value.layout->is_surjective());
      EXPECT_EQ(value.layout->shape, value.type.shape);
      EXPECT_EQ(value.layout->lane.size(), 6u);
      EXPECT_EQ(value.layout->wave.size(), 2u);
    }
  });
}

// ---- vectorise
// -----------------------------------------------------------------------------------------------------------

struct Access {
  DType dtype = DType::f16;
  int64_t stride_multiple = 1, size_multiple = 1, alignment = 16;
  int step = 1;        // between columns
  int first = 0;       // added to every offset
  bool masked = true;  // by column < N
};

// Rows of x[row * stride + first + step * column]; the width given to its load.
int width_of(const Access& access) {
  Builder b("k", 4);
  int x = b.buffer("x", access.dtype, false), y = b.buffer("y", access.dtype, true);
  ValueId stride = b.scalar("stride", DType::i32), n = b.scalar("N", DType::i32);
  ValueId row = b.range_along(4, 0, 2), column = b.range_along(1024, 1, 2);
  ValueId at = b.add(b.add(b.mul(row, stride), b.integer(access.first)), b.mul(column, b.integer(access.step)));
  ValueId v = access.masked ? b.load(x, at, b.lt(column, n)) : b.load(x, at);
  b.store(y, b.add(b.mul(row, b.integer(1024)), column), v);
  Kernel kernel = b.finish();
  PassContext context = context_for(kernel, access.alignment);
  context.multiple_of = {{"stride", access.stride_multiple}, {"N", access.size_multiple}};
  Status status = run_passes(kernel, context);
  EXPECT_TRUE(status) << status.error().message;
  int width = 0;
  visit(kernel.body, [&](const Operation& op) {
    if (op.code == OpCode::load) width = op.attrs.vector;
  });
  return width;
}

TEST(TileVectorise, WidthFollowsContiguityDivisibilityMaskAndAlignment) {
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8}), 8);
  EXPECT_EQ(width_of({.stride_multiple = 64, .size_multiple = 64}), 8);  // 16 bytes are the most
  EXPECT_EQ(width_of({.dtype = DType::f32, .stride_multiple = 8, .size_multiple = 8}), 4);
  EXPECT_EQ(width_of({.dtype = DType::f64, .stride_multiple = 8, .size_multiple = 8}), 2);
  EXPECT_EQ(width_of({.dtype = DType::i8, .stride_multiple = 16, .size_multiple = 16}), 16);
  EXPECT_EQ(width_of({.stride_multiple = 4, .size_multiple = 8}), 4);
  EXPECT_EQ(width_of({.stride_multiple = 1, .size_multiple = 8}), 1);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 2}), 2);  // the mask may change inside a wider access
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 1}), 1);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 1, .masked = false}), 8);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .alignment = 4}), 2);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .alignment = 2}), 1);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .step = 2}), 1);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .step = -1}), 1);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .first = 4}), 4);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .first = 3}), 1);
  EXPECT_EQ(width_of({.stride_multiple = 8, .size_multiple = 8, .first = 8}), 8);
}

// Whatever width is given, the elements are neighbours, aligned, and under one mask: counted over all lanes.
TEST(TileVectorise, NoWidthIsWiderThanTheAddressesAllow) {
  for (int64_t stride : {1, 2, 3, 4, 6, 8, 12, 16})
    for (int64_t size : {4, 7, 8, 10, 16})
      for (int first : {0, 1, 2, 4, 8}) {
        int width = width_of({.stride_multiple = stride & -stride, .size_multiple = size & -size, .first = first});
        for (int64_t row = 0; row < 4; ++row)
          for (int64_t column = 0; column < 32; column += width) {
            ASSERT_EQ((row * stride + first + column) % width, 0) << stride << " " << size << " " << first;
            ASSERT_EQ(column < size, column + width - 1 < size) << stride << " " << size << " " << first;
          }
      }
}

}  // namespace
}  // namespace hipvault::tile
