// Pages made by code, fine resolution, A4: what clinics fax, from a sparse letter to a scanned photograph.
#pragma once
#include <optional>
#include <string>

#include "../test/fax_rig.h"

namespace study {

// letter, report, form, photo, blank; nothing for another name.
std::optional<FaxPage> document(const std::string& kind, unsigned seed);

}  // namespace study
