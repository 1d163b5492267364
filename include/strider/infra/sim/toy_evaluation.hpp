// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_EVALUATION_HPP
#define STRIDER_INFRA_SIM_TOY_EVALUATION_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/toy_declaration.hpp>
#include <strider/infra/sim/toy_value.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace strider::infra::sim {

using text_type = std::optional<std::string>;  ///< empty: not known yet

/// A diagnostic with the place of a declaration.
[[nodiscard]] inline auto located(toy_declaration const& d, diagnostic p) -> diagnostic
{
    p.source.file = "toy";
    p.source.line = d.place;
    return p;
}
/// Diagnostics with the place of a declaration.
[[nodiscard]] inline auto located(toy_declaration const& d, diagnostics all) -> diagnostics
{
    all.update([&](diagnostic& p) { p = located(d, std::move(p)); });
    return all;
}
/// Splits a text at commas.
[[nodiscard]] inline auto split(std::string_view text) -> std::vector<std::string>
{
    std::vector<std::string> words;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find(','), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// True if a reference includes an instance: one in the module instance of the referring instance, if they share a
/// module.
[[nodiscard]] inline auto includes(toy_term const& t, address const& from, address const& target) -> bool
{
    if (t.key() && target.key() != t.key()) return false;
    std::size_t const depth = std::min(from.module().size(), target.module().size());
    for (std::size_t i = 0; i < depth && from.module()[i].name == target.module()[i].name; ++i)
        if (from.module()[i].key != target.module()[i].key) return false;
    return true;
}

/// Value of a term for an instance.
[[nodiscard]] inline auto value_of(toy_term const& t, address const& a, evaluation_scope<toy_value> const& scope)
    -> result<text_type, failure>
{
    if (t.kind() == toy_term::kind_type::text) return text_type(t.text());
    if (t.kind() == toy_term::kind_type::own_key) {
        if (a.key().is_unknown()) return text_type();
        if (auto const* index = a.key().index()) return text_type(std::to_string(*index));
        return text_type(a.key().name() != nullptr ? *a.key().name() : std::string());
    }
    if (t.kind() == toy_term::kind_type::caller) return failure(sim_error(codes::undeclared, {"caller"}, to_string(a)));
    auto const* const row = scope.find(t.subject());
    if (row == nullptr) return failure(sim_error(codes::undeclared, {t.subject()}, to_string(a)));
    std::string joined;
    bool known = !row->is_partial();
    std::size_t count = 0;
    for (auto const& slot : *row) {
        if (!includes(t, a, slot.target)) continue;
        auto const* const value = slot.get();
        if (value == nullptr) return failure(sim_error(codes::not_evaluated, {t.subject()}, to_string(a)));
        // The attributes of data are not known before they are read.
        bool const is_read = slot.target.mode() == resource_mode::managed || value->wholly_known();
        known = known && is_read && !value->is_unknown(t.text());
        joined += (count++ == 0 ? "" : ",") + (*value)[t.text()];
    }
    if (t.key() && count == 0 && known)
        return failure(sim_error(codes::invalid_index, {t.subject(), to_string(t.key())}, to_string(a)));
    return known ? text_type(std::move(joined)) : text_type();
}

/// Keys of the instances of a declaration. A key that for_each contains several times is one instance.
/// \param defers  if what repeats the declaration is unknown, the only key is unknown, and it is no error
[[nodiscard]] inline auto keys_of(toy_declaration const& d, evaluation_scope<toy_value> const& scope, bool defers)
    -> result<std::vector<instance_key>, failure>
{
    if (!d.count && !d.for_each) return std::vector<instance_key>(1);
    auto const text = value_of(d.count ? *d.count : *d.for_each, {}, scope);
    if (!text) return text.error();
    std::string const word = d.count ? "count" : "for_each";
    if (!*text && defers) return std::vector<instance_key>(1, instance_key::unknown());
    if (!*text) return failure(located(d, sim_error(codes::unknown_repetition, {word})));
    std::vector<instance_key> keys;
    if (d.for_each) {
        for (std::string& name : split(**text))
            if (instance_key key(std::move(name)); std::ranges::find(keys, key) == keys.end())
                keys.push_back(std::move(key));
        return keys;
    }
    std::int64_t count = 0;
    std::string const& digits = **text;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size() || count < 0)
        return failure(located(d, sim_error(codes::invalid_count, {digits})));
    for (std::int64_t i = 0; i < count; ++i) keys.emplace_back(i);
    return keys;
}

/// All instances of the modules in a path.
/// \param defers  as of `keys_of`
[[nodiscard]] inline auto module_instances_of(std::vector<toy_declaration> const& declared,
    std::vector<module_step> const& path, evaluation_scope<toy_value> const& scope, bool defers)
    -> result<std::vector<std::vector<module_step>>, failure>
{
    std::vector<std::vector<module_step>> all(1);
    std::vector<module_step> so_far;
    for (module_step const& step : path) {
        so_far.push_back({step.name, {}});
        auto const call = std::find_if(declared.begin(), declared.end(),
            [name = to_string(so_far)](toy_declaration const& d) { return d.name == name; });
        std::vector<instance_key> keys(1);
        if (call != declared.end()) {
            auto found = keys_of(*call, scope, defers);
            if (!found) return found.error();
            keys = std::move(*found);
        }
        std::vector<std::vector<module_step>> longer;
        for (auto const& before : all)
            for (instance_key const& key : keys) {
                longer.push_back(before);
                longer.back().push_back({step.name, key});
            }
        all = std::move(longer);
    }
    return all;
}

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_EVALUATION_HPP
