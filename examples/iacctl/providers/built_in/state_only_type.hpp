// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_BUILT_IN_STATE_ONLY_TYPE_HPP
#define IACCTL_PROVIDERS_BUILT_IN_STATE_ONLY_TYPE_HPP

#include "base/expected.hpp"
#include "providers/resource_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// The effect of a change of an attribute. `replace_unless_null` ignores added or removed map entries with null values,
/// as in keepers.
enum class on_change : std::uint8_t { update, replace, replace_unless_null };

/// The behaviour of an attribute in plans, in addition to its schema.
struct attribute_rule {
    language::schema_attribute is;
    on_change change = on_change::update;
    value by_default = {};
    std::optional<std::int64_t> at_least = {};
    std::optional<std::int64_t> at_most = {};
    bool fraction = false;  ///< a number need not be whole
};

[[nodiscard]] auto schema_of(std::vector<attribute_rule> const& rules) -> language::schema;
/// Reports numbers in a configuration that violate the rules.
[[nodiscard]] auto check_by_rules(std::vector<attribute_rule> const& rules, value const& desired)
    -> strider::infra::diagnostics;
/// Plans an object: fills in defaults. Computed attributes keep their prior values, or are unknown in a new object.
[[nodiscard]] auto plan_by_rules(
    std::vector<attribute_rule> const& rules, std::optional<value> const& prior, value const& desired) -> planned;

/// A map whose changes replace the object.
[[nodiscard]] auto keepers_rule(std::string_view name) -> attribute_rule;
[[nodiscard]] auto computed_rule(std::string_view name, language::type t = language::type::string()) -> attribute_rule;

/// A type whose objects exist in state only. Its plans follow from a table of attributes.
class state_only_type : public plain_resource_type {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view final { return name_; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view final { return provider_; }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& final { return schema_; }
    [[nodiscard]] auto has_side_effects() const noexcept -> bool final { return false; }
    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const
        -> expected<planned> override;

protected:
    state_only_type(std::string_view name, std::string_view provider, std::vector<attribute_rule> rules);

    /// The configuration with the values that a table cannot express, or the errors in it.
    [[nodiscard]] virtual auto prepare(value desired) const -> expected<value> { return desired; }
    /// The planned object with values for all unknown attributes. May throw.
    [[nodiscard]] virtual auto create(value const& planned) const -> expected<value> = 0;

    [[nodiscard]] auto read_now(value const& prior) const -> expected<std::optional<value>> override { return {prior}; }
    [[nodiscard]] auto apply_now(apply_request const& request) const -> applied final;
    /// Objects exist in state only, so an operation that was not recorded did not take place.
    [[nodiscard]] auto look_up_now(apply_request const&) const -> looked_up final
    {
        return looked_up(strider::infra::lookup_answer::not_done);
    }

    [[nodiscard]] auto rules() const noexcept -> std::vector<attribute_rule> const& { return rules_; }
    /// An object with all attributes null or with their defaults.
    [[nodiscard]] auto blank() const -> value;

private:
    std::string_view name_;
    std::string_view provider_;
    std::vector<attribute_rule> rules_;
    language::schema schema_;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_BUILT_IN_STATE_ONLY_TYPE_HPP
