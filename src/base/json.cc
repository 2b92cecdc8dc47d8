#include "base/json.h"

namespace hipvault {

Result<Json> parse_json(const std::string& text, const std::string& what) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return fail("json.syntax", what + ": not valid JSON at byte " + std::to_string(error.byte));
  }
}

}  // namespace hipvault
