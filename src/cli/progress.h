#pragma once
// Progress of a search on stderr: one line that rewrites itself on a terminal; elsewhere a plain line for every new
// best and every ten seconds.

#include <atomic>

#include "cli/command.h"
#include "search/campaign.h"

namespace hipvault::cli {

class ProgressLine {
 public:
  ProgressLine(Io& io, engine::Budget budget) : io_(io), budget_(budget) {}
  void show(const search::Progress& progress);
  void end();  // leaves the last line standing

 private:
  Io& io_;
  engine::Budget budget_;
  double last_ = -1e9;
  size_t width_ = 0;
};

std::string progress_text(const search::Progress& progress, const engine::Budget& budget);

// Set by the first Ctrl-C; the second one ends the program as usual.
const std::atomic<bool>& interrupted();
void watch_interrupts();

}  // namespace hipvault::cli
