// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_PRIVATE_DATA_HPP
#define STRIDER_INFRA_SIM_PRIVATE_DATA_HPP

#include <strider/infra/model/object.hpp>
#include <strider/infra/sim/toy_value.hpp>

#include <optional>

namespace strider::infra::sim {

/// The data that the simulated provider stores with an object. They differ for every object, so that a request with the
/// data of another object is noticed.
[[nodiscard]] inline auto private_data_of(toy_value const& object) -> document
{
    return document("of " + object["id"]);
}

/// Returns whether the data of a request belong to another object than the prior one. Objects that another program stored
/// have no data.
[[nodiscard]] inline auto has_data_of_another(std::optional<toy_value> const& prior, document const& private_data)
    -> bool
{
    return !private_data.empty() && (!prior || private_data != private_data_of(*prior));
}

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_PRIVATE_DATA_HPP
