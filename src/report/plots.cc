#include "report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg.h"
#include "report/table.h"

namespace hipvault::report {
namespace {

// Agents by order of appearance: colour and shape.
struct Look {
  std::string agent, colour, shape;
};

std::vector<Look> looks_of(const std::vector<Point>& points) {
  const char* colours[] = {"a", "b", "c"};
  const char* shapes[] = {"circle", "square", "circle"};
  std::vector<Look> looks;
  for (const Point& point : points) {
    bool known = std::any_of(looks.begin(), looks.end(), [&](const Look& look) { return look.agent == point.agent; });
    if (!known) looks.push_back({point.agent, colours[looks.size() % 3], shapes[looks.size() % 3]});
  }
  return looks;
}

Axis padded_log(double low, double high, const std::string& label) { return {low / 1.15, high * 1.15, true, label}; }

}  // namespace

std::string search_curve(const Report& report) {
  double low = 1e300, high = 0;
  for (const Point& point : report.points) {
    if (!point.time_us) continue;
    low = std::min(low, *point.time_us);
    high = std::max(high, *point.time_us);
  }
  if (high == 0) return "";
  bool baseline = report.baseline && report.baseline->time_us > 0;
  if (baseline) high = std::max(high, report.baseline->time_us);
  // Far ones must not flatten what matters: they stand at the upper edge, as triangles. The baseline stays in sight.
  high = std::max(std::min(high, low * 20), baseline ? report.baseline->time_us * 1.2 : 0);
  // A roofline far below, as of a launch that moves almost nothing, would squeeze the trials into a line: not drawn.
  bool roof = report.timing && report.timing->roofline_us > low / 20;
  if (roof) low = std::min(low, report.timing->roofline_us);
  double count = static_cast<double>(report.points.size());
  Plot plot("search", "search: predicted time of every trial and the best so far", 720, 300,
            {0, count + 1, false, "trial"}, padded_log(low, high, "time [us]"));
  std::vector<Look> looks = looks_of(report.points);
  std::vector<std::pair<double, double>> best;
  bool any_beyond = false, any_untimed = false;
  for (const Point& point : report.points) {
    const Look& look =
        *std::find_if(looks.begin(), looks.end(), [&](const Look& one) { return one.agent == point.agent; });
    double at = static_cast<double>(point.number);
    std::string hover = fmt::format("trial {}, {}, {}: {}", point.number, point.agent, point.family,
                                    point.time_us ? time_text(*point.time_us) : point.reached + " only");
    if (!point.time_us) plot.point(at, high * 1.1, "bad", "cross", hover, 2.5);
    any_untimed = any_untimed || !point.time_us;
    if (!point.time_us) continue;
    bool beyond = *point.time_us > high;
    any_beyond = any_beyond || beyond;
    plot.point(at, beyond ? high * 1.1 : *point.time_us, look.colour, beyond ? "up" : look.shape, hover);
    double before = best.empty() ? 1e300 : best.back().second;
    if (*point.time_us >= before) continue;
    if (!best.empty()) best.push_back({at, before});
    best.push_back({at, *point.time_us});
  }
  if (!best.empty()) best.push_back({count + 1, best.back().second});
  plot.line(best, "ink");
  std::vector<std::array<std::string, 3>> legend;
  for (const Look& look : looks) legend.push_back({look.colour, look.shape, look.agent});
  legend.push_back({"ink", "line", "best so far"});
  if (any_beyond) legend.push_back({"faint", "up", "slower"});
  if (baseline) {
    plot.line({{0, report.baseline->time_us}, {count + 1, report.baseline->time_us}}, "ink", true);
    legend.push_back({"ink", "dash", "default schedule"});
  }
  if (roof) {
    plot.line({{0, report.timing->roofline_us}, {count + 1, report.timing->roofline_us}}, "faint", true);
    legend.push_back({"faint", "dash", "roofline"});
  }
  if (any_untimed) legend.push_back({"bad", "cross", "not timed"});
  plot.legend(legend);
  return plot.svg();
}

std::string roofline(const Report& report) {
  const Roofline& roof = report.roofline;
  if (!report.timing || roof.bytes <= 0 || roof.bandwidth <= 0) return "";
  // Ops without matrix work are drawn by bytes: one unit of work is one byte that must move.
  bool matrix = roof.flops > 0 && roof.peak_flops > 0;
  double intensity = matrix ? roof.flops / roof.bytes : 1;
  double work = matrix ? roof.flops : roof.bytes;
  double reached = work / (report.timing->time_us * 1e-6);
  double top = matrix ? roof.peak_flops : std::max(roof.bandwidth, roof.peak_bandwidth);
  double ridge = matrix ? roof.peak_flops / roof.bandwidth : 1;
  double scale = matrix ? 1e-12 : 1e-9;
  if (!matrix) {
    // Without a second axis of work a bar says it better: bandwidth reached, achievable and of the data sheet.
    Plot plot("roofline", "memory bandwidth: reached, achievable, data sheet", 720, 170,
              {0, top * scale * 1.08, false, "GB/s of bytes that must move"}, {0, 3, false, ""});
    auto bar = [&](double at, double value, const std::string& colour, const std::string& words) {
      plot.bar(value * scale, at, 0.5, colour);
      plot.text(top * scale * 0.012, at + 0.34, words);
    };
    if (report.baseline && report.baseline->time_us > 0)
      bar(0.5, work / (report.baseline->time_us * 1e-6), "b",
          "default schedule " + time_text(report.baseline->time_us));
    bar(1.6, reached, "a",
        fmt::format("winner {}, {} of the roofline", time_text(report.timing->time_us),
                    percent_text(report.timing->roofline_fraction)));
    plot.line({{roof.bandwidth * scale, 0}, {roof.bandwidth * scale, 3}}, "ink");
    plot.line({{roof.peak_bandwidth * scale, 0}, {roof.peak_bandwidth * scale, 3}}, "faint", true);
    plot.legend({{"ink", "line", fmt::format("achievable {:.0f} GB/s", roof.bandwidth * scale)},
                 {"faint", "dash", fmt::format("data sheet {:.0f} GB/s", roof.peak_bandwidth * scale)}});
    return plot.svg();
  }
  double left = std::min(intensity, ridge) / 16, right = std::max(intensity, ridge) * 16;
  double bottom = std::min(reached, left * roof.bandwidth) * scale / 2;
  Plot plot("roofline", "roofline: reached against achievable", 720, 320,
            {left, right, true, "flop per byte that must move"}, {bottom, top * scale * 1.6, true, "Tflop/s"});
  plot.line({{left, left * roof.bandwidth * scale}, {ridge, top * scale}, {right, top * scale}}, "ink");
  plot.point(intensity, reached * scale, "a", "circle", "winner " + time_text(report.timing->time_us), 5);
  if (report.baseline && report.baseline->time_us > 0)
    plot.point(intensity, work / (report.baseline->time_us * 1e-6) * scale, "b", "square",
               "default schedule " + time_text(report.baseline->time_us), 4);
  plot.legend({{"a", "circle", "winner"},
               {"b", "square", "default schedule"},
               {"ink", "line", "achievable memory, matrix peak"}});
  return plot.svg();
}

std::string launch_bars(const Report& report) {
  if (!report.timing || report.timing->launch_us.size() < 2) return "";  // one launch is the whole time
  const std::vector<double>& times = report.timing->launch_us;
  double longest = *std::max_element(times.begin(), times.end()), count = static_cast<double>(times.size());
  if (longest <= 0) return "";
  Plot plot("launches", "predicted time per launch", 720, 80 + 34 * count, {0, longest * 1.3, false, "time [us]"},
            {0, count, false, ""});
  for (size_t i = 0; i < times.size(); ++i) {
    double at = count - static_cast<double>(i) - 0.5;
    plot.bar(times[i], at, 0.5, "a");
    plot.text(times[i] + longest * 0.01, at, fmt::format("launch {}: {}", i, time_text(times[i])));
  }
  return plot.svg();
}

}  // namespace hipvault::report
