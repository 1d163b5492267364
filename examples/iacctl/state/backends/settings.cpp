// SPDX-License-Identifier: BSL-1.0
#include "settings.hpp"

#include "base/environment.hpp"
#include "language/values/number.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace iacctl::backends {

namespace infra = state::infra;

namespace {

auto value_of(char const* variable) -> std::string
{
    return variable == nullptr ? std::string() : environment_variable(variable);
}

auto about(std::string_view argument, infra::diagnostic problem) -> infra::failure
{
    problem.attribute = argument;
    return infra::failure(std::move(problem));
}

}  // namespace

auto settings_reader::find(std::string_view argument) const -> language::value const*
{
    auto const* const given = settings_->find(argument);
    return given != nullptr && given->has_data() ? given : nullptr;
}

auto settings_reader::text(std::string_view argument, char const* variable) const -> std::string
{
    auto const* const given = find(argument);
    return given != nullptr ? given->as_string() : value_of(variable);
}

auto settings_reader::number(std::string_view argument, char const* variable, std::int64_t otherwise) const
    -> expected<std::int64_t>
{
    std::string const named = value_of(variable);
    auto const* const given = find(argument);
    if (given == nullptr && named.empty()) return otherwise;
    auto const number = given != nullptr ? given->as_number() : language::number::parse(named);
    auto const whole = number ? number->as_int64() : std::nullopt;
    if (!whole) return invalid(argument, "It must be a whole number.");
    return *whole;
}

auto settings_reader::flag(std::string_view argument, char const* variable, bool otherwise) const -> expected<bool>
{
    if (auto const* const given = find(argument)) return given->as_bool();
    std::string const named = value_of(variable);
    if (named.empty()) return otherwise;
    // The words of Go's strconv.ParseBool.
    static constexpr std::array<std::string_view, 6> yes{"1", "t", "T", "true", "True", "TRUE"};
    static constexpr std::array<std::string_view, 6> no{"0", "f", "F", "false", "False", "FALSE"};
    if (std::ranges::find(yes, named) != yes.end()) return true;
    if (std::ranges::find(no, named) != no.end()) return false;
    return invalid(argument, "It must be true or false.");
}

auto settings_reader::missing(std::string_view argument, std::string_view variables) const -> infra::failure
{
    std::string const ways =
        variables.empty() ? std::string() : ", or the environment variable " + std::string(variables);
    return about(argument, messages::make_error(messages::backend_argument_missing, {type_, argument, ways}));
}

auto settings_reader::invalid(std::string_view argument, std::string_view why) const -> infra::failure
{
    return about(argument, messages::make_error(messages::backend_argument_invalid, {type_, argument, why}));
}

}  // namespace iacctl::backends
