// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_CONTRACT_VIOLATION_HPP
#define STRIDER_INFRA_SIM_CONTRACT_VIOLATION_HPP

#include <strider/version.hpp>

#include <cstdint>

namespace strider::infra::sim {

/// Violations of the contract of providers.
enum class contract_violation : std::uint8_t {
    none,
    returns_nothing,    ///< reports success, but returns no object
    returns_object,     ///< reports success of a destroy, but returns an object
    returns_unknown,   ///< returns an object with an unknown part
    ignores_plan,     ///< returns an object that differs from the plan
    ignores_configuration,  ///< returns a plan that differs from the configuration
    is_inconsistent,     ///< returns another computed value after each operation
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_CONTRACT_VIOLATION_HPP
