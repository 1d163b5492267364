// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_RESOURCE_TYPE_HPP
#define IACCTL_PROVIDERS_RESOURCE_TYPE_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"
#include "provider.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::providers {

/// One type of resources of a built-in provider.
///
/// Values are objects with every attribute of the schema; those that are not set are null. Calls come from several
/// visits at once. None may block its thread for longer than a local file takes: what waits does so as a coroutine,
/// and ends early when it is cancelled.
class resource_type {
public:
    virtual ~resource_type() = default;

    [[nodiscard]] virtual auto name() const noexcept -> std::string_view = 0;
    /// As state files write it: `provider["…"]`.
    [[nodiscard]] virtual auto provider() const noexcept -> std::string_view = 0;
    [[nodiscard]] virtual auto schema() const noexcept -> language::schema const& = 0;

    /// What the provider can be told for all its objects.
    [[nodiscard]] virtual auto settings_schema() const noexcept -> language::schema const&;
    /// This type for those who use a configuration of its provider; null: there is nothing to tell. Parts of the settings
    /// may be unknown while planning.
    [[nodiscard]] virtual auto configured(value const& settings) const
        -> expected<std::shared_ptr<resource_type const>>;

    /// What became of an object; nothing if it is gone.
    [[nodiscard]] virtual auto read(value prior) const -> task<expected<std::optional<value>>> = 0;
    /// What would be made of a wish. Where a change needs a new object, says which attributes did it. Asks nobody.
    [[nodiscard]] virtual auto plan(std::optional<value> const& prior, value const& desired) const
        -> expected<planned> = 0;
    /// Creates, updates or (without a planned value) destroys.
    [[nodiscard]] virtual auto apply(apply_request request) const -> task<applied> = 0;
    /// What became of an operation that was cut short.
    [[nodiscard]] virtual auto look_up(apply_request request) const -> task<looked_up> = 0;
    /// The object that exists under an id, for state that does not know it. Refuses unless a type says otherwise.
    [[nodiscard]] virtual auto import_object(std::string id) const -> task<expected<value>>;

protected:
    resource_type() = default;
    resource_type(resource_type const&) = default;
    auto operator=(resource_type const&) -> resource_type& = default;
};

/// A type that waits for nobody: plain functions in place of coroutines.
class plain_resource_type : public resource_type {
public:
    [[nodiscard]] auto read(value prior) const -> task<expected<std::optional<value>>> final;
    [[nodiscard]] auto apply(apply_request request) const -> task<applied> final;
    [[nodiscard]] auto look_up(apply_request request) const -> task<looked_up> final;
    [[nodiscard]] auto import_object(std::string id) const -> task<expected<value>> final;

protected:
    [[nodiscard]] virtual auto read_now(value const& prior) const -> expected<std::optional<value>> = 0;
    [[nodiscard]] virtual auto apply_now(apply_request const& request) const -> applied = 0;
    [[nodiscard]] virtual auto look_up_now(apply_request const& request) const -> looked_up = 0;
    [[nodiscard]] virtual auto import_now(std::string const& id) const -> expected<value>;
};

/// What those say who cannot import.
[[nodiscard]] auto import_refused() -> strider::infra::failure;

/// The object with some attributes set to other values; marks of the attributes that stay are kept.
[[nodiscard]] auto with(value const& of, std::initializer_list<std::pair<std::string_view, value>> changed) -> value;
/// An attribute of an object; null if it has none.
[[nodiscard]] auto attribute(value const& of, std::string_view name) -> value;

/// An attribute as text, as a whole number, as a flag; empty, nothing or false unless it has such data.
[[nodiscard]] auto text_of(value const& of, std::string_view name) -> std::string;
[[nodiscard]] auto number_of(value const& of, std::string_view name) -> std::optional<std::int64_t>;
[[nodiscard]] auto flag_of(value const& of, std::string_view name) -> bool;
/// The texts in a list or map of texts; those that are null are left out.
[[nodiscard]] auto texts_of(value const& of, std::string_view name) -> std::vector<std::string>;
[[nodiscard]] auto pairs_of(value const& of, std::string_view name) -> std::map<std::string, std::string>;

/// One error, and the attribute that it is about, if one.
[[nodiscard]] auto problem_with(std::string_view attribute_name, strider::infra::diagnostic what)
    -> strider::infra::failure;
/// Position of an attribute of an object.
[[nodiscard]] auto path_of(std::string_view attribute_name) -> strider::infra::attribute_path;

/// One error, as a list.
[[nodiscard]] auto one_error(strider::infra::diagnostic what) -> strider::infra::diagnostics;

[[nodiscard]] auto local_file() -> resource_type const&;
[[nodiscard]] auto local_sensitive_file() -> resource_type const&;
[[nodiscard]] auto null_resource() -> resource_type const&;
[[nodiscard]] auto random_bytes() -> resource_type const&;
[[nodiscard]] auto random_id() -> resource_type const&;
[[nodiscard]] auto random_integer() -> resource_type const&;
[[nodiscard]] auto random_password() -> resource_type const&;
[[nodiscard]] auto random_pet() -> resource_type const&;
[[nodiscard]] auto random_shuffle() -> resource_type const&;
[[nodiscard]] auto random_string() -> resource_type const&;
[[nodiscard]] auto random_uuid() -> resource_type const&;
[[nodiscard]] auto restapi_object() -> resource_type const&;
[[nodiscard]] auto terraform_data() -> resource_type const&;
[[nodiscard]] auto time_offset() -> resource_type const&;
[[nodiscard]] auto time_rotating() -> resource_type const&;
[[nodiscard]] auto time_sleep() -> resource_type const&;
[[nodiscard]] auto time_static() -> resource_type const&;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_RESOURCE_TYPE_HPP
