#pragma once
// JSON everywhere is nlohmann's ordered_json: objects keep the order in which they were written, so that the same
// record always gives the same text.

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace hipvault {

using Json = nlohmann::ordered_json;

// Parses, with a Diagnostic that names `what` and the byte offset instead of an exception.
Result<Json> parse_json(const std::string& text, const std::string& what);

// Reads a field of the type asked for, or says which field of `what` is missing or of the wrong type.
template <class T>
Result<T> json_field(const Json& object, const std::string& field, const std::string& what) {
  if (!object.is_object() || !object.contains(field))
    return fail("json.missing", what + ": the field \"" + field + "\" is missing");
  try {
    return object.at(field).get<T>();
  } catch (const nlohmann::json::exception&) {
    return fail("json.type", what + ": the field \"" + field + "\" has the wrong type");
  }
}

}  // namespace hipvault
