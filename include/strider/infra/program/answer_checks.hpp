// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_ANSWER_CHECKS_HPP
#define STRIDER_INFRA_PROGRAM_ANSWER_CHECKS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/program.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace strider::infra {

/// Value that is compared with a plan: the final plan, made when unknown values are known, or the result of the apply.
enum class plan_outcome : std::uint8_t { final_plan, result };

/// Optional: the program compares the results of providers with the requests, attribute by attribute. Each member
/// returns errors; an operation with an error fails, and the object that a provider created stays in state.
///
/// - `check_object(a, provider, v)`: `v` is a possible value of an object that a provider has read. Default: no error.
/// - `check_plan(d, a, prior, desired, planned)`: the planned value follows from the desired configuration. Default: no error.
/// - `check_outcome(d, a, of, planned, actual)`: the final plan or the result agrees with the plan in all that was known.
///   Default: an error if the planned value was wholly known and the other one is not equal to it.
template <class P>
concept has_answer_checks = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        std::optional<typename P::value_type> const& prior, std::string const& provider) {
           { p.check_object(a, provider, v) } -> std::same_as<diagnostics>;
           { p.check_plan(d, a, prior, v, v) } -> std::same_as<diagnostics>;
           { p.check_outcome(d, a, plan_outcome::result, v, v) } -> std::same_as<diagnostics>;
       };

template <program P>
[[nodiscard]] auto check_object([[maybe_unused]] P const& p, [[maybe_unused]] address const& a,
    [[maybe_unused]] std::string const& provider, [[maybe_unused]] typename P::value_type const& read) -> diagnostics
{
    if constexpr (has_answer_checks<P>) return p.check_object(a, provider, read);
    else return {};
}

template <program P, class V = typename P::value_type>
[[nodiscard]] auto check_plan([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d,
    [[maybe_unused]] address const& a, [[maybe_unused]] std::optional<V> const& prior,
    [[maybe_unused]] V const& desired, [[maybe_unused]] V const& planned) -> diagnostics
{
    if constexpr (has_answer_checks<P>) return p.check_plan(d, a, prior, desired, planned);
    else return {};
}

template <program P, class V = typename P::value_type>
[[nodiscard]] auto check_outcome([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d,
    address const& a, plan_outcome of, V const& planned, V const& actual) -> diagnostics
{
    if constexpr (has_answer_checks<P>) return p.check_outcome(d, a, of, planned, actual);
    else {
        if (!planned.wholly_known() || planned == actual) return {};
        std::string const name = to_string(a);
        if (of == plan_outcome::final_plan) return {make_error(codes::final_plan_differs, {name}, name)};
        return {make_error(codes::result_differs, {name}, name)};
    }
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_ANSWER_CHECKS_HPP
