#pragma once
// Options that say what is made and with what: shared by optimize, build, verify, show and new-kernel.

#include "cli/command.h"
#include "engine/evaluate.h"
#include "report/report.h"

namespace hipvault::cli {

void add_task_options(CLI::App& app, engine::TaskRequest& task, bool op_is_positional);
void add_tool_options(CLI::App& app, engine::ToolOptions& tools, int& threads);

// The part of a report that comes from a task and one candidate.
report::Report report_of(const engine::LoadedTask& task, const engine::Candidate& candidate, const measure::Work& work);
std::string outcome_of(const engine::Candidate& candidate);

// kernel.hip, kernel.hsaco, schedule.txt, plan.json, report.json, report.html into `folder`; fills report.kernel.
Status write_outputs(const std::string& folder, const engine::Candidate* candidate, report::Report& report,
                     FileSystem& files);

// Makes `folder` and tries to write there, before minutes are spent on what could not be saved. Refuses a folder that
// cannot be made or written, and one in which a folder has the name of an output.
Status check_output_folder(const std::string& folder, FileSystem& files);

std::string output_folder(const std::string& option, const engine::LoadedTask& task);

}  // namespace hipvault::cli
