#include "cli/progress.h"

#include <fmt/format.h>

#include <csignal>

#include "report/table.h"

namespace hipvault::cli {
namespace {

std::atomic<bool> g_interrupted{false};

void on_interrupt(int) {
  g_interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

std::string progress_text(const search::Progress& progress, const engine::Budget& budget) {
  if (progress.phase != "search") return progress.message;
  std::string limit = budget.seconds ? fmt::format("{:.0f}/{:.0f} s", progress.seconds, *budget.seconds)
                                     : fmt::format("{:.0f} s", progress.seconds);
  std::string trials = budget.trials ? fmt::format("{}/{}", progress.funnel.proposed, *budget.trials)
                                     : fmt::format("{}", progress.funnel.proposed);
  return fmt::format("{}  {} tried, {} correct, {} timed  best {}  ({}, {})", limit, trials, progress.funnel.correct,
                     progress.funnel.timed, report::time_text(progress.best_us), progress.agent, progress.family);
}

void ProgressLine::show(const search::Progress& progress) {
  std::string text = progress_text(progress, budget_);
  if (io_.terminal) {
    std::string padding(width_ > text.size() ? width_ - text.size() : 0, ' ');
    io_.err << "\r" << text << padding << std::flush;
    width_ = text.size();
    return;
  }
  bool due = progress.new_best || progress.phase != "search" || progress.seconds - last_ >= 10;
  if (!due) return;
  last_ = progress.seconds;
  io_.err << text << "\n" << std::flush;
}

void ProgressLine::end() {
  if (io_.terminal && width_ > 0) io_.err << "\n" << std::flush;
  width_ = 0;
}

const std::atomic<bool>& interrupted() { return g_interrupted; }
void watch_interrupts() { std::signal(SIGINT, on_interrupt); }

}  // namespace hipvault::cli
