#pragma once
// Prints one kernel. The idea: a tile is `registers` values in each work-item, so a tile operation is a loop over
// registers, and neighbouring operations with one layout are one loop:
//
//   for (int i = 0; i < 4; ++i) {            // a group: vectors of 8 registers
//     const int column = 8 * thread + 2048 * i;     free values: computed where they are needed
//     float x_[8];  hv::load<8>(x_, x_row + column);
//     for (int e = 0; e < 8; ++e) y_[e] = x_[e] * scale;
//     hv::store<8>(y_row + column, y_);
//   }
//
// A value that only its own group uses is a scalar inside the loop; one that is used later is an array over all
// registers. Printing every operation as its own loop over arrays gives the same machine code after unrolling, but
// nobody could read it.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "print/hip.h"
#include "print/scalar_text.h"

namespace hipvault::print {

class KernelPrinter {
 public:
  KernelPrinter(const tile::Kernel& kernel, const target::Arch& arch);
  Result<std::string> run();

 private:
  using Columns =
      std::vector<uint64_t>;  // for each bit of the loop's register number, which bits of a value's it flips

  // How a value is read.
  struct Storage {
    enum Form { none, expression, single, array, vector_local, element_local } form = none;
    Text text;  // expression: itself; otherwise the name
  };
  // Where declarations of free values go while a group is printed: before the loops, in the outer, in the inner loop.
  struct Scope {
    std::string before, outer, inner;
    std::map<std::string, std::string> known_outer, known_inner;
  };
  // The loop over registers: outer counts vectors, inner counts elements of a vector.
  struct Loop {
    int outer_bits = 0, inner_bits = 0;
    bool at_vector_start = false;  // expressions now stand for the first element of the vector
  };

  // kernel_printer.cc: program structure
  void signature();
  void prologue(const std::string& body);
  void analyse(const tile::Block& block);
  void block(const tile::Block& block);
  void scalar_operation(const tile::Operation& op);
  void special(const tile::Operation& op);
  void for_loop(const tile::Operation& op);
  void if_else(const tile::Operation& op);
  void declare_carried(tile::ValueId value, tile::ValueId initial);
  void assign(tile::ValueId to, tile::ValueId from);
  void assign_all(const std::vector<tile::ValueId>& to, const std::vector<tile::ValueId>& from);

  // group.cc: runs of operations that share one loop
  struct Group {
    std::vector<const tile::Operation*> ops;
    const tile::Layout* layout = nullptr;
  };
  bool joins(const Group& group, const tile::Operation& op) const;
  bool depends_on(tile::ValueId value, const std::set<tile::ValueId>& values) const;
  void flush(Group& group);
  void print_group(const Group& group);
  void print_loads(const Group& group, Scope& scope, std::string& body);
  void print_stores(const Group& group, Scope& scope, std::string& body);
  void print_element_ops(const Group& group, std::string& body);
  std::string access(const tile::Operation& op, const std::string& local);
  std::string element_access(const tile::Operation& op);
  bool is_nibble(const tile::Operation& op) const;
  std::string in_inner_loop(int step, const std::function<std::string()>& body);
  std::string at_vector_start(const std::function<std::string()>& body);
  std::string vector_source(tile::ValueId value);
  std::string atomic_access(const tile::Operation& op);
  bool used_outside(tile::ValueId value, const Group& group) const;
  std::set<const tile::Operation*> consumers(tile::ValueId value) const;
  const tile::Layout* group_layout(const tile::Operation& op) const;
  const tile::Layout* group_layout_of(const tile::Operation& op) const;

  // expressions.cc: values at a register of the loop
  Text at(tile::ValueId value, const Columns& columns);
  Text at(tile::ValueId value) { return at(value, identity_columns()); }
  Text free_text(tile::ValueId value, const Columns& columns);
  Text build_free(const tile::Operation& op, const Columns& columns);
  Text stored(tile::ValueId value, const Columns& columns);
  Text coordinate(const tile::Layout& layout, int axis, const Columns& columns, bool lanes, bool registers);
  Text register_index(const Columns& columns);
  Text lane_wave_index(const std::vector<uint64_t>& lane, const std::vector<uint64_t>& wave);
  Columns identity_columns() const;
  Columns operand_columns(const tile::Operation& op, tile::ValueId operand, const Columns& columns) const;
  std::vector<Field> loop_fields() const;
  std::string replica_predicate(const tile::Layout& layout) const;
  struct Address {
    std::string base;
    Text index;
  };
  Address address(int buffer, tile::ValueId offsets, const std::string& type);
  void collect_terms(tile::ValueId value, const Columns& columns,
                     std::vector<std::pair<tile::ValueId, Columns>>& terms) const;
  bool is_uniform(tile::ValueId value) const;
  bool is_lazy_shape(tile::ValueId value) const;

  // cross.cc: operations that combine across a tile
  void reduce_declare(const tile::Operation& op);
  std::string reduce_fold(const tile::Operation& op);
  void reduce_finish(const tile::Operation& op);
  void reduce_waves(const tile::Operation& op);
  void scan(const tile::Operation& op);
  void dot(const tile::Operation& op);
  void lds_alloc(const tile::Operation& op);
  void lds_store(const tile::Operation& op);
  void lds_load(const tile::Operation& op);
  void lds_move(const tile::Operation& op, tile::ValueId lds, tile::ValueId value, const std::string& array,
                bool to_lds);
  std::string as_array(tile::ValueId value, const std::string& fallback);
  void convert_registers(const tile::Operation& op);
  void gather(const tile::Operation& op);
  std::string combine(const tile::Operation& op, const std::string& a, const std::string& b) const;

  // Small things.
  const tile::Operation* definition(tile::ValueId value) const { return definition_[static_cast<size_t>(value)]; }
  const tile::ValueInfo& value_info(tile::ValueId value) const { return kernel_.values[static_cast<size_t>(value)]; }
  const tile::Type& type(tile::ValueId value) const { return kernel_.type(value); }
  int registers(tile::ValueId value) const {
    return value_info(value).layout ? value_info(value).layout->registers() : 1;
  }
  bool is_tile(tile::ValueId value) const { return !type(value).shape.empty(); }
  std::string fresh(const std::string& wanted);
  std::string name_of(tile::ValueId value, const std::string& fallback);
  std::string default_name(tile::ValueId value) const;
  void line(const std::string& text);
  void comment(const std::string& text);
  void problem(const std::string& code, const std::string& message);
  static std::string indented(const std::string& text, const std::string& by = "  ");
  std::string declare_array(tile::ValueId value, const std::string& name) const;
  int uses(tile::ValueId value) const { return uses_[static_cast<size_t>(value)]; }

  const tile::Kernel& kernel_;
  const target::Arch& arch_;
  int lane_bits_ = 6, wave_bits_ = 0;
  std::vector<const tile::Operation*> definition_;
  std::vector<std::vector<const tile::Operation*>> users_;
  std::vector<int> uses_, free_;
  std::vector<Storage> storage_;
  std::set<std::string> names_;
  std::map<std::string, std::string> arguments_;  // of the kernel, and how they are spelled
  std::map<std::string, std::string> known_;      // free values and bases declared in the enclosing blocks
  std::string out_;
  std::string indent_;
  Loop loop_;
  Scope* scope_ = nullptr;
  int loop_depth_ = 0;
  std::map<const tile::Operation*, std::string> reduce_names_;
  Status status_;
};

}  // namespace hipvault::print
