// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_STATE_OBJECTS_HPP
#define STRIDER_INFRA_SIM_STATE_OBJECTS_HPP

#include <strider/infra/program/requests.hpp>
#include <strider/infra/sim/private_data.hpp>
#include <strider/infra/sim/toy_value.hpp>

#include <utility>

namespace strider::infra::sim {

/// Performs an operation on an object that exists only in state. The id of a new object is that of the operation.
[[nodiscard]] inline auto apply_in_state(apply_request<toy_value> r) -> applied<toy_value>
{
    if (!r.planned) return {};
    toy_value made = std::move(*r.planned);
    if (made.is_unknown("id")) made.set("id", r.operation.operation);
    made.set("stamp", "of-" + made["size"]);
    applied<toy_value> answer(made);
    answer.private_data = private_data_of(made);
    return answer;
}

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_STATE_OBJECTS_HPP
