// SPDX-License-Identifier: BSL-1.0
#include "worded.hpp"

#include "messages/catalogue.hpp"

#include <string_view>
#include <vector>

namespace iacctl::ui {

infra::diagnostic worded(infra::diagnostic of)
{
    if (!of.summary.empty() || of.code.empty()) return of;
    auto const* const message = messages::find_message(of.code);
    if (message == nullptr) {
        of.summary = of.code;
        return of;
    }
    std::vector<std::string_view> const with(of.arguments.begin(), of.arguments.end());
    of.summary = messages::filled(message->summary, with);
    of.detail = messages::filled(message->detail, with);
    return of;
}

}  // namespace iacctl::ui
