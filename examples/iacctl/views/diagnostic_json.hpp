// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_DIAGNOSTIC_JSON_HPP
#define IACCTL_VIEWS_DIAGNOSTIC_JSON_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <vector>

namespace iacctl::views {

namespace infra = strider::infra;

/// A diagnostic in the format of `validate -json`: with the place in bytes and characters, and the source around it.
[[nodiscard]] auto diagnostic_json(infra::diagnostic const& problem) -> std::string;

/// The program whose rules a module follows, and the reason.
struct dialect_view {
    std::string module;  ///< empty: the root module
    std::string program;
    std::string reason;  ///< empty: nothing selects a program
};

/// The document of `validate -json`, indented.
[[nodiscard]] std::string validation_json(
    infra::diagnostics const& all, std::vector<dialect_view> const& dialects = {});

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_DIAGNOSTIC_JSON_HPP
