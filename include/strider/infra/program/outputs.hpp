// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_OUTPUTS_HPP
#define STRIDER_INFRA_PROGRAM_OUTPUTS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/program/program.hpp>

#include <concepts>
#include <optional>
#include <utility>

namespace strider::infra {

/// Optional: a separate format for the values of outputs in state.
///
/// - `encode_output(d, v)`, `decode_output(o)`: form of a value in state, and the inverse. Default: the attributes that `encode`
///   makes of the value.
/// - `is_sensitive(d)`: the output may hold secrets. Default: false.
/// - `is_null(v)`: an output with this value is not stored. Default: false.
template <class P>
concept has_output_form = program<P>
    && requires(
        P const& p, typename P::declaration_type const& d, typename P::value_type const& v, output_value const& o) {
           { p.encode_output(d, v) } -> std::same_as<output_value>;
           { p.decode_output(o) } -> std::same_as<result<typename P::value_type, failure>>;
           { p.is_sensitive(d) } -> std::convertible_to<bool>;
           { p.is_null(v) } -> std::convertible_to<bool>;
       };

template <program P>
[[nodiscard]] auto encode_output(
    P const& p, [[maybe_unused]] typename P::declaration_type const& d, typename P::value_type const& v) -> output_value
{
    if constexpr (has_output_form<P>) return p.encode_output(d, v);
    else return {p.encode(address(), {}, v).attributes, {}, false};
}

template <program P>
[[nodiscard]] auto decode_output(P const& p, output_value const& o) -> result<typename P::value_type, failure>
{
    if constexpr (has_output_form<P>) return p.decode_output(o);
    else {
        object stored;
        stored.attributes = o.value;
        return p.decode(address(), stored);
    }
}

template <program P>
[[nodiscard]] auto is_sensitive_output(
    [[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d) -> bool
{
    if constexpr (has_output_form<P>) return p.is_sensitive(d);
    else return false;
}

/// Returns whether the stored output has the value `v` and the sensitivity of the declaration. Marks of parts of the value do
/// not matter, since a state does not store them. False if a part of `v` is not known.
template <program P>
[[nodiscard]] auto is_stored_as(P const& p, typename P::declaration_type const& d, typename P::value_type const& v,
    output_value const& stored) -> bool
{
    if (stored.sensitive != is_sensitive_output(p, d)) return false;
    auto const before = decode_output(p, stored);
    if (!before || *before == v) return before.has_value();
    if (!v.wholly_known()) return false;
    auto const again = decode_output(p, encode_output(p, d, v));
    return again && *again == *before;
}

/// Optional: `in_stored_form(stored, v)` is the stored value, if `v` differs from it only because a newer schema adds empty
/// parts to objects; otherwise `v`. Default: `v`.
template <class P>
concept has_stored_forms = program<P> && requires(P const& p, typename P::value_type const& v) {
    { p.in_stored_form(v, v) } -> std::same_as<typename P::value_type>;
};

template <program P, class V = typename P::value_type>
[[nodiscard]] auto in_stored_form([[maybe_unused]] P const& p, [[maybe_unused]] std::optional<V> const& stored, V v)
    -> V
{
    if constexpr (has_stored_forms<P>)
        if (stored) return p.in_stored_form(*stored, v);
    return v;
}

template <program P>
[[nodiscard]] auto is_null_output([[maybe_unused]] P const& p, [[maybe_unused]] typename P::value_type const& v) -> bool
{
    if constexpr (has_output_form<P>) return p.is_null(v);
    else return false;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_OUTPUTS_HPP
