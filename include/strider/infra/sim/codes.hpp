// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_CODES_HPP
#define STRIDER_INFRA_SIM_CODES_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// Codes of the toy program, and of the simulated provider and store. They are for tests and have no texts.
namespace codes {

// Provider. Arguments: address, or name of the provider; operations: kind and address.
inline constexpr std::string_view cloud_unavailable = "sim_cloud_unavailable";  ///< a read or plan request failed
inline constexpr std::string_view plan_refused = "sim_plan_refused";  ///< a plan request was refused
inline constexpr std::string_view throttled = "sim_throttled";  ///< too many requests; nothing was done
inline constexpr std::string_view operation_refused = "sim_operation_refused";  ///< nothing was done
inline constexpr std::string_view operation_failed = "sim_operation_failed";  ///< a part was done
inline constexpr std::string_view import_failed = "sim_import_failed";  ///< an import request failed
inline constexpr std::string_view data_missing = "sim_data_missing";  ///< no object has the id
inline constexpr std::string_view configuration_failed =
    "sim_configuration_failed";  ///< a provider could not be configured
inline constexpr std::string_view provisioner_failed = "sim_provisioner_failed";  ///< a provisioner ended with an error
inline constexpr std::string_view action_failed = "sim_action_failed";  ///< an action ended with an error

// Store.
inline constexpr std::string_view state_unreadable = "sim_state_unreadable";  ///< the store cannot be read

// Program. Arguments: the subject.
inline constexpr std::string_view private_data_mismatch =
    "sim_private_data_mismatch";  ///< those of another object or plan
inline constexpr std::string_view foreign_object = "sim_foreign_object";  ///< or output: of another program
inline constexpr std::string_view missing_provider = "sim_missing_provider";  ///< no provider has the name
inline constexpr std::string_view prevented = "sim_prevented";  ///< `prevent_destroy` is set
inline constexpr std::string_view precondition_failed = "sim_precondition_failed";  ///< the value, the expected one
inline constexpr std::string_view postcondition_failed = "sim_postcondition_failed";  ///< the value, the expected one
inline constexpr std::string_view check_failed = "sim_check_failed";  ///< name, the value, the expected one
inline constexpr std::string_view check_undecided = "sim_check_undecided";  ///< name
inline constexpr std::string_view unknown_import_id = "sim_unknown_import_id";  ///< the id of an import is not known
inline constexpr std::string_view unknown_repetition = "sim_unknown_repetition";  ///< `count` or `for_each`
inline constexpr std::string_view invalid_count = "sim_invalid_count";  ///< `count` is no number
inline constexpr std::string_view invalid_object = "sim_invalid_object";  ///< the provider read parts as unknown
inline constexpr std::string_view invalid_plan = "sim_invalid_plan";  ///< attribute
inline constexpr std::string_view inconsistent_final_plan = "sim_inconsistent_final_plan";  ///< attribute
inline constexpr std::string_view inconsistent_result = "sim_inconsistent_result";  ///< attribute
inline constexpr std::string_view undeclared = "sim_undeclared";  ///< no declaration has the name
inline constexpr std::string_view not_evaluated = "sim_not_evaluated";  ///< the declaration has no value
inline constexpr std::string_view invalid_index = "sim_invalid_index";  ///< subject, key

}  // namespace codes

[[nodiscard]] inline auto sim_diagnostic(
    severity level, std::string_view code, std::vector<std::string> arguments, std::string address) -> diagnostic
{
    return {{}, {}, std::move(address), {}, level, {}, std::string(code), std::move(arguments)};
}
[[nodiscard]] inline auto sim_error(
    std::string_view code, std::vector<std::string> arguments = {}, std::string address = {}) -> diagnostic
{
    return sim_diagnostic(severity::error, code, std::move(arguments), std::move(address));
}
[[nodiscard]] inline auto sim_warning(
    std::string_view code, std::vector<std::string> arguments = {}, std::string address = {}) -> diagnostic
{
    return sim_diagnostic(severity::warning, code, std::move(arguments), std::move(address));
}

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_CODES_HPP
