// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_WIRE_DIAGNOSTICS_HPP
#define IACCTL_PROVIDERS_PLUGIN_WIRE_DIAGNOSTICS_HPP

#include "language/validation/path_text.hpp"

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <provider.pb.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace iacctl::plugin {

/// Converts a path. Steps without a selector are ignored.
[[nodiscard]] inline auto path_of(protocol::AttributePath const& from) -> strider::infra::attribute_path
{
    using step = protocol::AttributePath::Step;
    strider::infra::attribute_path path;
    for (step const& one : from.steps()) {
        switch (one.selector_case()) {
        case step::kAttributeName: path.emplace_back(one.attribute_name()); break;
        case step::kElementKeyString: path.emplace_back(one.element_key_string()); break;
        case step::kElementKeyInt: path.emplace_back(one.element_key_int()); break;
        case step::SELECTOR_NOT_SET: break;
        }
    }
    return path;
}

/// Converts a time. A time out of range becomes the nearest one in range.
[[nodiscard]] inline auto time_of(protocol::Timestamp const& from) -> std::chrono::system_clock::time_point
{
    using namespace std::chrono;
    seconds const most = duration_cast<seconds>(hours(24 * 365 * 200));
    auto const whole = std::clamp(seconds(from.seconds()), -most, most);
    return system_clock::time_point(whole + duration_cast<microseconds>(nanoseconds(from.nanos())));
}

/// Converts the diagnostics of a provider. \param about  an address as text; empty: no object
template <class List>
[[nodiscard]] auto diagnostics_of(List const& from, std::string_view about) -> strider::infra::diagnostics
{
    strider::infra::diagnostics all;
    for (protocol::Diagnostic const& one : from) {
        bool const warns = one.severity() == protocol::Diagnostic::WARNING;
        strider::infra::diagnostic made;
        made.level = warns ? strider::infra::severity::warning : strider::infra::severity::error;
        made.code = warns ? "provider_warning" : "provider_error";
        made.summary = one.summary();
        made.detail = one.detail();
        made.address = about;
        made.attribute = language::path_text(path_of(one.attribute()));
        all.add(std::move(made));
    }
    return all;
}

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_WIRE_DIAGNOSTICS_HPP
