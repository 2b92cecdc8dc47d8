#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hipvault::report {
namespace {

std::string tick_text(double value) {
  double size = std::abs(value);
  if (value != 0 && (size >= 1e5 || size < 1e-3)) return fmt::format("{:.0e}", value);
  return fmt::format("{:g}", std::round(value * 1e6) / 1e6);
}

double position(const Axis& axis, double value) {
  if (!axis.log) return (value - axis.low) / (axis.high - axis.low);
  return (std::log(value) - std::log(axis.low)) / (std::log(axis.high) - std::log(axis.low));
}

std::vector<double> log_ticks(const Axis& axis) {
  std::vector<double> found;
  bool fine = axis.high / axis.low < 50;
  for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high * 1.001; power *= 10) {
    for (double step : {1.0, 2.0, 5.0}) {
      double tick = power * step;
      if ((step == 1.0 || fine) && tick >= axis.low * 0.999 && tick <= axis.high * 1.001) found.push_back(tick);
    }
  }
  while (found.size() > 9) {  // many decades: every second one
    std::vector<double> half;
    for (size_t i = 0; i < found.size(); i += 2) half.push_back(found[i]);
    found = half;
  }
  return found;
}

}  // namespace

std::string escape(const std::string& text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::vector<double> ticks(const Axis& axis) {
  if (axis.log) return log_ticks(axis);
  double rough = (axis.high - axis.low) / 6, power = std::pow(10, std::floor(std::log10(rough))), step = power;
  for (double factor : {2.0, 5.0, 10.0})
    if (step < rough) step = power * factor;
  std::vector<double> found;
  for (double tick = std::ceil(axis.low / step) * step; tick <= axis.high + step * 1e-6; tick += step)
    found.push_back(tick);
  return found;
}

Plot::Plot(std::string id, std::string title, double width, double height, Axis x, Axis y)
    : id_(std::move(id)),
      title_(std::move(title)),
      width_(width),
      height_(height),
      x_axis_(std::move(x)),
      y_axis_(std::move(y)) {
  draw_axes();
}

double Plot::x(double value) const {
  return left_ + (width_ - left_ - right_) * std::clamp(position(x_axis_, value), -0.02, 1.02);
}
double Plot::y(double value) const {
  return height_ - bottom_ - (height_ - top_ - bottom_) * std::clamp(position(y_axis_, value), 0.0, 1.0);
}

void Plot::draw_axes() {
  double bottom = height_ - bottom_, right = width_ - right_;
  for (double tick : ticks(x_axis_)) {
    body_ += fmt::format("<line class='grid' x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}'/>", x(tick), top_, bottom);
    body_ += fmt::format("<text class='tick' x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n", x(tick), bottom + 16,
                         tick_text(tick));
  }
  if (!y_axis_.label.empty()) draw_y_ticks(right);
  body_ += fmt::format("<path class='axis' d='M{0} {1}V{2}H{3}'/>", left_, top_, bottom, right);
  body_ += fmt::format("<text class='label' x='{:.1f}' y='{}' text-anchor='middle'>{}</text>", (left_ + right) / 2,
                       height_ - 8, escape(x_axis_.label));
  body_ +=
      fmt::format("<text class='label' transform='translate(14 {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                  (top_ + bottom) / 2, escape(y_axis_.label));
}

void Plot::draw_y_ticks(double right) {
  for (double tick : ticks(y_axis_)) {
    body_ += fmt::format("<line class='grid' x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}'/>", left_, y(tick), right);
    body_ += fmt::format("<text class='tick' x='{}' y='{:.1f}' text-anchor='end'>{}</text>\n", left_ - 6, y(tick) + 4,
                         tick_text(tick));
  }
}

void Plot::bar(double px, double py, double height, const std::string& colour) {
  body_ += fmt::format("<rect class='f-{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' rx='2'/>\n", colour,
                       x(0), y(py + height / 2), x(px) - x(0), y(py - height / 2) - y(py + height / 2));
}

void Plot::line(const std::vector<std::pair<double, double>>& points, const std::string& colour, bool dashed) {
  std::string path;
  for (const auto& [px, py] : points) path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(px), y(py));
  body_ += fmt::format("<path class='line s-{}{}' d='{}'/>\n", colour, dashed ? " dash" : "", path);
}

std::string Plot::marker(double px, double py, const std::string& colour, const std::string& shape, double size) const {
  if (shape == "square")
    return fmt::format("<rect class='f-{0}' x='{1:.1f}' y='{2:.1f}' width='{3:.1f}' height='{3:.1f}'/>", colour,
                       px - size, py - size, 2 * size);
  if (shape == "cross")
    return fmt::format("<path class='line s-{0}' d='M{1:.1f} {2:.1f}l{3:.1f} {3:.1f}m0 -{3:.1f}l-{3:.1f} {3:.1f}'/>",
                       colour, px - size, py - size, 2 * size);
  if (shape == "up")
    return fmt::format("<path class='f-{0}' d='M{1:.1f} {2:.1f}l{3:.1f} {4:.1f}h-{4:.1f}z'/>", colour, px, py - size,
                       size, 2 * size);
  return fmt::format("<circle class='f-{}' cx='{:.1f}' cy='{:.1f}' r='{:.1f}'/>", colour, px, py, size);
}

void Plot::point(double px, double py, const std::string& colour, const std::string& shape, const std::string& hover,
                 double size) {
  body_ += fmt::format("<g><title>{}</title>{}</g>\n", escape(hover), marker(x(px), y(py), colour, shape, size));
}

void Plot::text(double px, double py, const std::string& text, const std::string& colour, const std::string& anchor) {
  body_ += fmt::format("<text class='note f-{}' x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>\n", colour, x(px),
                       y(py), anchor, escape(text));
}

void Plot::legend(const std::vector<std::array<std::string, 3>>& entries) {
  double at = left_ + 4;
  for (const std::array<std::string, 3>& entry : entries) {
    double px = at + 6, py = 16;
    bool stroke = entry[1] == "line" || entry[1] == "dash";
    if (stroke)
      body_ += fmt::format("<path class='line s-{}{}' d='M{:.1f} {}h14'/>", entry[0], entry[1] == "dash" ? " dash" : "",
                           px - 6, py);
    if (!stroke) body_ += marker(px, py, entry[0], entry[1], 3.5);
    body_ += fmt::format("<text class='tick' x='{:.1f}' y='{}'>{}</text>\n", at + 18, py + 4, escape(entry[2]));
    at += 28 + 6.2 * static_cast<double>(entry[2].size());
  }
}

std::string Plot::svg() const {
  return fmt::format(
      "<svg id='{0}' viewBox='0 0 {1} {2}' role='img' aria-label='{3}' "
      "xmlns='http://www.w3.org/2000/svg'><title>{3}</title>\n{4}</svg>\n",
      id_, width_, height_, escape(title_), body_);
}

}  // namespace hipvault::report
