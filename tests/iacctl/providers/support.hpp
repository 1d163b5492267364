// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PROVIDERS_SUPPORT_HPP
#define STRIDER_TESTS_IACCTL_PROVIDERS_SUPPORT_HPP

#include "providers/built_in/built_in.hpp"
#include "providers/operation.hpp"
#include "providers/provider_set.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace providers_test {

namespace infra = strider::infra;
using iacctl::language::value;
using iacctl::providers::applied;
using iacctl::providers::apply_request;
using iacctl::providers::looked_up;
using iacctl::providers::planned;
using iacctl::providers::resource_type;
using entries = std::vector<iacctl::language::value_entry>;

[[nodiscard]] auto text(std::string_view content) -> value;
[[nodiscard]] auto whole(std::int64_t n) -> value;
[[nodiscard]] auto texts(std::vector<std::string> const& contents) -> value;
[[nodiscard]] auto pairs(entries e) -> value;

/// An object with all attributes and blocks of a schema. Attributes without an entry are null.
[[nodiscard]] auto desired(iacctl::language::schema const& s, entries given) -> value;
[[nodiscard]] auto desired(std::string_view type, entries given) -> value;

/// Calls the providers as the engine does. Errors are texts: "summary: detail [code]".
template <class T>
class result_or_error {
public:
    result_or_error(T item) : value_(std::move(item)) {}  // NOLINT(google-explicit-constructor)
    static auto error(std::string why) -> result_or_error
    {
        result_or_error s{T()};
        s.error_ = std::move(why);
        return s;
    }
    [[nodiscard]] auto error() const -> std::string const& { return error_; }
    [[nodiscard]] auto operator*() const -> T const& { return value_; }
    [[nodiscard]] auto operator->() const -> T const* { return &value_; }

private:
    T value_;
    std::string error_;
};

[[nodiscard]] auto plan(std::string_view type, std::optional<value> const& prior, value const& wanted)
    -> result_or_error<planned>;
/// \param cancel_after_ms  0: never
[[nodiscard]] auto apply(std::string_view type, infra::operation_kind kind, std::optional<value> prior,
    std::optional<value> planned, std::int64_t cancel_after_ms = 0) -> applied;
[[nodiscard]] auto look_up(std::string_view type, infra::operation_kind kind, std::optional<value> prior,
    std::optional<value> planned) -> looked_up;
[[nodiscard]] auto read(std::string_view type, value const& prior) -> result_or_error<std::optional<value>>;
[[nodiscard]] auto import_object(std::string_view type, std::string const& id) -> result_or_error<value>;

/// Reads data of a type.
/// \param withheld  environment variables that programs do not receive
[[nodiscard]] auto read_data(std::string_view type, entries given, std::set<std::string> const& withheld = {})
    -> result_or_error<value>;

/// The first warning about the data that were read; empty: there is none.
[[nodiscard]] auto warnings_about(std::string_view type, value const& read) -> std::string;

/// Plans and creates an object. The error is that of the failed step.
[[nodiscard]] auto create(std::string_view type, entries given) -> result_or_error<value>;
[[nodiscard]] auto first_error(infra::diagnostics const& problems) -> std::string;

[[nodiscard]] auto at(value const& v, std::string_view name) -> value;
[[nodiscard]] auto text_at(value const& v, std::string_view name) -> std::string;
[[nodiscard]] auto number_at(value const& v, std::string_view name) -> std::int64_t;

/// During its lifetime, the functions above use a provider with this configuration.
class scoped_settings {
public:
    /// \param type  a type of that provider
    scoped_settings(std::string_view type, entries settings);
    scoped_settings(scoped_settings const&) = delete;
    auto operator=(scoped_settings const&) -> scoped_settings& = delete;
    ~scoped_settings();
    /// The reason why the provider refused the configuration; empty: it accepted it.
    [[nodiscard]] auto error() const -> std::string;
};

/// During its lifetime, the operations of all types are performed as on another machine: they are encoded, decoded, and
/// performed apart from the provider. \pre there is no other such object
class simulated_placement {
public:
    simulated_placement();
    simulated_placement(simulated_placement const&) = delete;
    auto operator=(simulated_placement const&) -> simulated_placement& = delete;
    ~simulated_placement();
    /// From now on, operations end with this obstacle.
    void fail_with(iacctl::run_obstacle obstacle, std::string why);
    /// The operations so far.
    [[nodiscard]] auto performed() const -> std::vector<iacctl::providers::operation> const&;
};

/// Applies an object of the type with an external provider, for which a runner of operations has a place.
[[nodiscard]] auto apply_with_placed_plugin(std::string_view type) -> applied;

/// A directory that is removed at the end of the test.
class scratch_directory {
public:
    scratch_directory();
    scratch_directory(scratch_directory const&) = delete;
    auto operator=(scratch_directory const&) -> scratch_directory& = delete;
    ~scratch_directory();
    [[nodiscard]] auto path(std::string const& name) const -> std::string { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace providers_test

#endif  // STRIDER_TESTS_IACCTL_PROVIDERS_SUPPORT_HPP
