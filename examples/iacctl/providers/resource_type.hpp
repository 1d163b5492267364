// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_RESOURCE_TYPE_HPP
#define IACCTL_PROVIDERS_RESOURCE_TYPE_HPP

#include "base/expected.hpp"
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

/// A type of resources of a built-in provider.
///
/// Values are objects with every attribute of the schema; those that are not set are null. Calls come from several
/// visits concurrently. None may block its thread for longer than an access to a local file: longer waits are
/// coroutines, which end early when they are cancelled.
class resource_type {
public:
    virtual ~resource_type() = default;

    [[nodiscard]] virtual auto name() const noexcept -> std::string_view = 0;
    /// In the format of state files: `provider["…"]`.
    [[nodiscard]] virtual auto provider() const noexcept -> std::string_view = 0;
    [[nodiscard]] virtual auto schema() const noexcept -> language::schema const& = 0;

    /// The version of the schema in the real provider, which state has for each object.
    [[nodiscard]] virtual auto schema_version() const noexcept -> std::uint64_t { return 0; }
    /// Converts an object of an older version, in which attributes that this version did not have are null.
    [[nodiscard]] virtual auto upgrade(value stored) const -> expected<value> { return stored; }

    /// The schema of the settings of the provider.
    [[nodiscard]] virtual auto settings_schema() const noexcept -> language::schema const&;
    /// This type with a configuration of its provider; null if there are no settings. Parts of the settings may be
    /// unknown while planning.
    [[nodiscard]] virtual auto configured(value const& settings) const
        -> expected<std::shared_ptr<resource_type const>>;

    /// Returns the current value of an object; nothing if it no longer exists.
    [[nodiscard]] virtual auto read(value prior) const -> task<expected<std::optional<value>>> = 0;
    /// Returns the planned value for a configuration. If the change requires a new object, lists the attributes that
    /// require it. Performs no input or output.
    [[nodiscard]] virtual auto plan(std::optional<value> const& prior, value const& desired) const
        -> expected<planned> = 0;
    /// Creates, updates or (without a planned value) destroys an object.
    [[nodiscard]] virtual auto apply(apply_request request) const -> task<applied> = 0;
    /// Finds the result of an interrupted operation.
    [[nodiscard]] virtual auto look_up(apply_request request) const -> task<looked_up> = 0;
    /// Returns whether operations may change anything outside of state.
    [[nodiscard]] virtual auto has_side_effects() const noexcept -> bool { return true; }
    /// Returns the existing object with an id, for import. The default is an error.
    [[nodiscard]] virtual auto import_object(std::string id) const -> task<expected<value>>;

protected:
    resource_type() = default;
    resource_type(resource_type const&) = default;
    auto operator=(resource_type const&) -> resource_type& = default;
};

/// A type whose operations never wait: plain functions instead of coroutines.
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

/// The error of a type that does not support import.
[[nodiscard]] auto import_refused() -> strider::infra::failure;

/// The object with some attributes replaced; the marks of other attributes are kept.
[[nodiscard]] auto with(value const& given, std::initializer_list<std::pair<std::string_view, value>> changed) -> value;
/// An attribute of an object; null if it does not exist.
[[nodiscard]] auto attribute(value const& v, std::string_view name) -> value;

/// An attribute as text, whole number or flag; empty, nothing or false if it does not have such a value.
[[nodiscard]] auto text_of(value const& given, std::string_view name) -> std::string;
[[nodiscard]] auto number_of(value const& given, std::string_view name) -> std::optional<std::int64_t>;
[[nodiscard]] auto flag_of(value const& given, std::string_view name) -> bool;
/// The texts in a list or map of texts, without nulls.
[[nodiscard]] auto texts_of(value const& given, std::string_view name) -> std::vector<std::string>;
[[nodiscard]] auto pairs_of(value const& given, std::string_view name) -> std::map<std::string, std::string>;

/// A diagnostic with the attribute concerned, if there is one.
[[nodiscard]] auto about_attribute(std::string_view name, strider::infra::diagnostic problem)
    -> strider::infra::diagnostic;
/// The same as the reason of a failure.
[[nodiscard]] auto problem_with(std::string_view attribute_name, strider::infra::diagnostic problem)
    -> strider::infra::failure;
/// The path of an attribute of an object.
[[nodiscard]] auto path_of(std::string_view attribute_name) -> strider::infra::attribute_path;

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
[[nodiscard]] auto random_uuid4() -> resource_type const&;
[[nodiscard]] auto random_uuid7() -> resource_type const&;
[[nodiscard]] auto restapi_object() -> resource_type const&;
[[nodiscard]] auto terraform_data() -> resource_type const&;
[[nodiscard]] auto time_offset() -> resource_type const&;
[[nodiscard]] auto time_rotating() -> resource_type const&;
[[nodiscard]] auto time_sleep() -> resource_type const&;
[[nodiscard]] auto time_static() -> resource_type const&;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_RESOURCE_TYPE_HPP
