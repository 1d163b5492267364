// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_SETTINGS_HPP
#define IACCTL_STATE_BACKENDS_SETTINGS_HPP

#include "base/expected.hpp"
#include "language/values/value.hpp"
#include "state/state_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// Reads the arguments of a backend. An argument that is null has the value of its environment variable, if it has one
/// that is set.
class settings_reader {
public:
    /// \param type      of the backend, for messages
    /// \param settings  an object with all arguments; must outlive this reader
    settings_reader(std::string_view type, language::value const& settings) : type_(type), settings_(&settings) {}

    /// Empty if neither the argument nor the variable is set.
    [[nodiscard]] auto text(std::string_view argument, char const* variable = nullptr) const -> std::string;
    /// \return a failure if the variable is not a whole number
    [[nodiscard]] auto number(std::string_view argument, char const* variable, std::int64_t otherwise) const
        -> expected<std::int64_t>;
    /// \return a failure if the variable is neither true nor false
    [[nodiscard]] auto flag(std::string_view argument, char const* variable, bool otherwise) const -> expected<bool>;

    /// The error for a required argument that is missing.
    /// \param variables  the variables that could set it, as text for the message; empty: none
    [[nodiscard]] auto missing(std::string_view argument, std::string_view variables = {}) const
        -> state::infra::failure;
    /// The error for an argument with an invalid value. \param why  a sentence
    [[nodiscard]] auto invalid(std::string_view argument, std::string_view why) const -> state::infra::failure;

private:
    [[nodiscard]] auto find(std::string_view argument) const -> language::value const*;

    std::string_view type_;
    language::value const* settings_;
};

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_SETTINGS_HPP
