// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVIDER_HPP
#define IACCTL_PROVIDERS_PROVIDER_HPP

#include "base/child_process.hpp"
#include "base/expected.hpp"
#include "language/evaluation/functions.hpp"
#include "language/validation/schema.hpp"
#include "language/values/type.hpp"
#include "language/values/value.hpp"
#include "state/encryption/target.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::providers {

using language::value;
using planned = strider::infra::planned<value>;
using applied = strider::infra::applied<value>;
using looked_up = strider::infra::looked_up<value>;
using read_result = strider::infra::read_result<value>;
using read_request = strider::infra::read_request<value>;
using plan_request = strider::infra::plan_request<value>;
using data_request = strider::infra::data_request<value>;
using apply_request = strider::infra::apply_request<value>;
using invoke_request = strider::infra::invoke_request<value>;
using strider::infra::import_request;
template <class T>
using task = strider::infra::task<T>;

/// The schema of one type of resources or of data sources.
class type_schema {
public:
    explicit type_schema(language::schema s, std::uint64_t number = 0)
        : content(std::move(s)),
          object_type(content.object_type()),
          version(number)
    {}

    language::schema content;
    language::type object_type;  ///< of `content`
    std::uint64_t version;       ///< objects of older versions are upgraded
};

/// A function of a provider.
class function_schema {
public:
    language::function definition;
    language::type result;
    std::string summary;
    std::string description;
    std::string deprecation;  ///< the reason why it is deprecated; empty: it is not
    std::map<std::string, std::string> of_parameters;  ///< descriptions by name
};

/// Everything that a provider declares about itself.
class provider_schema {
public:
    using types = std::map<std::string, type_schema, std::less<>>;

    /// Returns the types for addresses of a mode.
    [[nodiscard]] auto of(strider::infra::resource_mode mode) const noexcept -> types const&
    {
        switch (mode) {
        case strider::infra::resource_mode::managed: return resources;
        case strider::infra::resource_mode::data: return data_sources;
        case strider::infra::resource_mode::ephemeral: return ephemeral_resources;
        case strider::infra::resource_mode::action: return actions;
        case strider::infra::resource_mode::list: break;
        }
        return lists;
    }

    language::schema settings;  ///< of the block `provider`
    std::optional<language::schema> meta;  ///< of the blocks `provider_meta` of modules
    types resources;
    types data_sources;
    types ephemeral_resources;
    types actions;
    types lists;  ///< the arguments of blocks `list`, by resource type: see `list_schema`
    types identities;  ///< by resource type: the identity of an object, other than its attributes
    std::map<std::string, function_schema, std::less<>> functions;
};

/// A request for the objects of a type.
class list_request {
public:
    /// Converts the arguments of a block `list`, as in `list_schema`. \pre they are known, and have no marks
    list_request(strider::infra::address block, std::string configuration, value const& arguments);

    strider::infra::address target;  ///< of the block; its type is that of the objects
    std::string provider;  ///< the configuration
    value config;  ///< the block `config`
    std::int64_t limit = 100;  ///< of the number of objects; negative if the argument is not a whole number
    bool with_objects = false;  ///< false: only the identities of the objects
};

/// The schema of a block `list`: the arguments common to all of them, and the block `config` with the schema from the
/// provider.
[[nodiscard]] auto list_schema(language::schema config) -> language::schema;

/// The objects that a provider has found for a block `list`.
class found_objects {
public:
    strider::infra::address block;
    std::string provider;  ///< the configuration
    value config;  ///< the block `config`
    /// A tuple of objects with the attributes `display_name`, `identity`, and `state`, which is null unless it was
    /// requested.
    value objects;
};

/// A provider in one configuration.
///
/// Values are objects with every attribute of the schema; those that are not set are null. Members are called by
/// several visits concurrently. A coroutine ends soon after a terminal cancellation, and does not block its thread for
/// longer than an access to a local file.
class provider {
public:
    provider() = default;
    provider(provider const&) = delete;
    auto operator=(provider const&) -> provider& = delete;
    virtual ~provider() = default;

    /// Sets the settings, parts of which may be unknown while planning. Called once, before all other members.
    [[nodiscard]] virtual auto configure(value settings) -> task<strider::infra::diagnostics> = 0;

    /// Returns the current value of an object.
    [[nodiscard]] virtual auto read(read_request request) -> task<expected<read_result>> = 0;
    /// Returns the planned value of an object. For data: the part that is known before they are read.
    [[nodiscard]] virtual auto plan(plan_request request) -> task<expected<planned>> = 0;
    /// Creates, updates or, without a planned value, destroys an object.
    [[nodiscard]] virtual auto apply(apply_request request) -> task<applied> = 0;
    /// Returns whether operations on objects of a type may change anything outside of state.
    [[nodiscard]] virtual auto has_side_effects(std::string_view) const -> bool { return true; }
    /// Finds the result of an operation that was interrupted.
    [[nodiscard]] virtual auto look_up(apply_request request) -> task<looked_up> = 0;
    /// Finds an existing object by its id.
    [[nodiscard]] virtual auto import_object(import_request request) -> task<expected<read_result>> = 0;
    [[nodiscard]] virtual auto read_data(data_request request) -> task<expected<read_result>> = 0;
    /// Opens an ephemeral resource and keeps it open. If parts of the configuration are unknown, nothing is opened and
    /// parts of the value are unknown.
    [[nodiscard]] virtual auto open_ephemeral(data_request) -> task<expected<read_result>> { co_return read_result(); }
    /// Closes an ephemeral resource. It is not an error if it is not open.
    [[nodiscard]] virtual auto close_ephemeral(strider::infra::address) -> task<strider::infra::diagnostics>
    {
        co_return strider::infra::diagnostics();
    }

    /// Checks the configuration of an action, parts of which may be unknown, without performing it.
    [[nodiscard]] virtual auto plan_action(data_request) -> task<strider::infra::diagnostics>
    {
        co_return strider::infra::diagnostics();
    }
    /// Performs an action.
    [[nodiscard]] virtual auto invoke_action(invoke_request request) -> task<strider::infra::invoked>;

    /// Finds existing objects. \return the objects as in `found_objects`
    [[nodiscard]] virtual auto list(list_request request) -> task<expected<read_result>>;

    /// Requests running operations to end soon. They return as usual.
    virtual void stop() noexcept {}
};

class operation_runner;
class provider_source;
class provider_context;

/// Makes an instance of a provider for one configuration, as a replacement for `provider_source::make`.
using instance_maker = std::function<std::shared_ptr<provider>(
    std::string_view configuration, provider_source& of, provider_context const& in)>;

/// Inputs of a provider other than its configuration.
class provider_context {
public:
    std::set<std::string> withheld;  ///< environment variables that programs of a configuration do not inherit
    std::shared_ptr<encryption::targets const> encryption;  ///< of states that data sources read; null: none
    /// Returns the block `provider_meta` for a provider in the module of an object; nothing if there is none. Empty: no
    /// module has one.
    std::function<std::optional<value>(std::string_view provider, strider::infra::address const&)> meta;
    instance_maker make;  ///< empty: sources make the instances
    bool deferral_allowed = false;  ///< a provider may defer changes
    command_runner run_provisioner;  ///< runs commands of provisioners; empty: on this machine
    std::shared_ptr<operation_runner> placed;  ///< performs operations of built-in types that it has; null: none
    /// Receives the objects of each block `list`; called by several threads. Empty: they are dropped.
    std::function<void(found_objects)> listed;
    bool lists_whole_objects = false;  ///< blocks `list` return whole objects even if they do not request them
    std::vector<value> marked;  ///< values that diagnostics of providers do not show, beside those of their requests
};

/// An available provider: its schema, and its instances.
class provider_source {
public:
    provider_source() = default;
    provider_source(provider_source const&) = delete;
    auto operator=(provider_source const&) -> provider_source& = delete;
    virtual ~provider_source() = default;

    /// The address: "registry.terraform.io/hashicorp/random".
    [[nodiscard]] virtual auto address() const noexcept -> std::string_view = 0;
    /// Returns whether it is part of this program rather than installed.
    [[nodiscard]] virtual auto is_built_in() const noexcept -> bool { return false; }
    /// The release of the real provider whose types a built-in one has: "3.9.0". Empty: there is none.
    [[nodiscard]] virtual auto release() const noexcept -> std::string_view { return {}; }
    /// Returns whether that release has a type or a function that this provider lacks. \param part  "data.TYPE",
    /// "ephemeral.TYPE", or the name of a function
    [[nodiscard]] virtual auto lacks(std::string_view /*part*/) const -> bool { return false; }
    /// The schema. It is loaded by the first call, which may wait for a program to start. Thread-safe.
    [[nodiscard]] virtual auto schema() -> expected<provider_schema const*> = 0;
    /// The problems that the provider reports about a configuration, any part of which may be unknown and which has no
    /// marks.
    /// \pre `schema()` was successful; the configuration is of its type
    [[nodiscard]] virtual auto validate(language::configured_block, std::string_view /*type*/, value const& /*of*/)
        -> std::vector<language::attribute_problem>
    {
        return {};
    }
    /// Converts an object to the current schema. \pre `schema()` was successful, and has another version than the
    /// object
    [[nodiscard]] virtual auto upgrade(strider::infra::address const&, strider::infra::object const& stored)
        -> expected<strider::infra::object>
    {
        return stored;
    }
    /// Converts the identity of an object to the current schema. \pre `schema()` was successful
    [[nodiscard]] virtual auto upgrade_identity(strider::infra::address const&, strider::infra::object const& stored)
        -> expected<strider::infra::object>
    {
        return stored;
    }
    /// Converts an object of another type or provider to a type of this one. \pre `schema()` was successful
    [[nodiscard]] virtual auto move(strider::infra::address const& from, strider::infra::address const& to,
        strider::infra::object const& stored) -> expected<strider::infra::object>;
    /// Makes an instance that is not configured yet. \pre `schema()` was successful; `in` outlives the instance
    [[nodiscard]] virtual auto make(provider_context const& in) -> std::shared_ptr<provider> = 0;
    /// Cancels running calls of functions. Thread-safe.
    virtual void cancel_functions() noexcept {}
    /// Begins to end all started processes. \pre no instance is in use
    virtual void close() {}
    /// Waits until they have ended. \pre `close()` was called for all providers
    virtual void join() {}
};

/// A problem of a provider with a part of a configuration, for the program that reports it.
[[nodiscard]] auto attribute_problem_of(
    std::vector<language::path_step> path, strider::infra::diagnostic const& problem) -> language::attribute_problem;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVIDER_HPP
