#pragma once
// The pictures of a report.

#include "report/report.h"

namespace hipvault::report {

std::string search_curve(const Report& report);  // every trial as a point, best so far as a line, baseline dashed
std::string roofline(const Report& report);      // log-log: ceilings, baseline and winner
std::string launch_bars(const Report& report);   // time per launch of the plan

}  // namespace hipvault::report
