#pragma once
// A small canvas for plots: data coordinates in, SVG text out. Colours are CSS variables of the page, so that one
// picture serves light and dark; kinds differ by shape too.

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace hipvault::report {

std::string escape(const std::string& text);  // for HTML and SVG

struct Axis {
  double low = 0, high = 1;
  bool log = false;
  std::string label;  // "": an axis without meaning of its own, drawn without ticks
};

class Plot {
 public:
  Plot(std::string id, std::string title, double width, double height, Axis x, Axis y);

  // Colours: "a", "b", "c" (series), "ink", "faint", "bad". Shapes: "circle", "square", "cross", "up" (triangle).
  void line(const std::vector<std::pair<double, double>>& points, const std::string& colour, bool dashed = false);
  void bar(double x, double y, double height, const std::string& colour);  // from 0 to x, around y
  void point(double x, double y, const std::string& colour, const std::string& shape, const std::string& hover,
             double size = 3.2);
  void text(double x, double y, const std::string& text, const std::string& colour = "ink",
            const std::string& anchor = "start");
  void legend(const std::vector<std::array<std::string, 3>>& entries);  // colour, shape or "line"/"dash", words
  std::string svg() const;

 private:
  double x(double value) const;
  double y(double value) const;
  void draw_axes();
  void draw_y_ticks(double right);
  std::string marker(double px, double py, const std::string& colour, const std::string& shape, double size) const;

  std::string id_, title_, body_;
  double width_, height_;
  double left_ = 64, right_ = 16, top_ = 36, bottom_ = 44;
  Axis x_axis_, y_axis_;
};

std::vector<double> ticks(const Axis& axis);  // 4 to 8 round numbers (powers and their 2, 5 multiples on a log axis)

}  // namespace hipvault::report
