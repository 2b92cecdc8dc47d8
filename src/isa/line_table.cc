#include "isa/line_table.h"

#include <algorithm>
#include <map>

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

namespace hipvault::isa {
namespace {

using llvm::DILineInfoSpecifier;
using LineTable = llvm::DWARFDebugLine::LineTable;

uint32_t file_index(const LineTable& table, uint64_t index, std::map<std::string, uint32_t>& known,
                    CodeObject& object) {
  std::string name;
  if (!table.getFileNameByIndex(index, "", DILineInfoSpecifier::FileLineInfoKind::BaseNameOnly, name)) name = "?";
  auto [at, fresh] = known.try_emplace(name, static_cast<uint32_t>(object.files.size()));
  if (fresh) object.files.push_back(name);
  return at->second;
}

// Rows without a line lie between rows with one (the compiler merged code); they take the line before them, so that a
// finding there still points at something. The end of a sequence stays empty.
void append_rows(const LineTable& table, std::map<std::string, uint32_t>& known, CodeObject& object) {
  uint32_t file = 0, line = 0;
  for (const llvm::DWARFDebugLine::Row& row : table.Rows) {
    if (row.Address.Address > object.image.size()) continue;
    if (row.EndSequence)
      file = line = 0;
    else if (row.Line)
      file = file_index(table, row.File, known, object), line = row.Line;
    object.lines.push_back({row.Address.Address, file, line});
  }
}

// By address; rows of one address stay in their order, of which the last counts.
void sort_rows(std::vector<LineRow>& rows) {
  std::vector<std::pair<LineRow, size_t>> ordered;
  for (const LineRow& row : rows) ordered.emplace_back(row, ordered.size());
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.address, a.second) < std::pair(b.first.address, b.second);
  });
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = ordered[i].first;
}

}  // namespace

void read_line_table(const DebugSections& sections, CodeObject& object) {
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  for (const auto& [name, bytes] : sections) buffers[name] = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  if (buffers.empty()) return;
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(buffers, 8, true, ignore, ignore);
  std::map<std::string, uint32_t> known;
  for (const auto& unit : context->compile_units()) {
    llvm::Expected<const LineTable*> table = context->getLineTableForUnit(unit.get(), ignore);
    if (!table)
      llvm::consumeError(table.takeError());
    else if (*table)
      append_rows(**table, known, object);
  }
  sort_rows(object.lines);
}

}  // namespace hipvault::isa
