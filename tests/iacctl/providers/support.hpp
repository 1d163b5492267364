// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PROVIDERS_SUPPORT_HPP
#define STRIDER_TESTS_IACCTL_PROVIDERS_SUPPORT_HPP

#include <providers/built_in.hpp>
#include <providers/operation.hpp>
#include <providers/provider_set.hpp>

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

[[nodiscard]] auto text(std::string_view of) -> value;
[[nodiscard]] auto whole(std::int64_t of) -> value;
[[nodiscard]] auto texts(std::vector<std::string> const& of) -> value;
[[nodiscard]] auto pairs(entries of) -> value;

/// An object with all attributes and blocks of a schema; those that are not given are null.
[[nodiscard]] auto desired(iacctl::language::schema const& of, entries given) -> value;
[[nodiscard]] auto desired(std::string_view type, entries given) -> value;

/// Calls the providers as the engine does. Errors are texts: "summary: detail [code]".
template <class T>
class said {
public:
    said(T one) : value_(std::move(one)) {}  // NOLINT(google-explicit-constructor)
    static auto error(std::string why) -> said
    {
        said s{T()};
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

[[nodiscard]] auto plan(std::string_view type, std::optional<value> const& prior, value const& wanted) -> said<planned>;
/// \param cancel_after_ms  0: never
[[nodiscard]] auto apply(std::string_view type, infra::operation_kind kind, std::optional<value> prior,
    std::optional<value> planned, std::int64_t cancel_after_ms = 0) -> applied;
[[nodiscard]] auto look_up(std::string_view type, infra::operation_kind kind, std::optional<value> prior,
    std::optional<value> planned) -> looked_up;
[[nodiscard]] auto read(std::string_view type, value const& prior) -> said<std::optional<value>>;
[[nodiscard]] auto import_object(std::string_view type, std::string const& id) -> said<value>;

/// Reads data of a type.
/// \param withheld  variables that programs do not get
[[nodiscard]] auto read_data(std::string_view type, entries given, std::set<std::string> const& withheld = {})
    -> said<value>;

/// The first warning about data that were read; empty: there is none.
[[nodiscard]] auto warnings_about(std::string_view type, value const& read) -> std::string;

/// Plans and creates; the error is that of either.
[[nodiscard]] auto create(std::string_view type, entries given) -> said<value>;
[[nodiscard]] auto first_error(infra::diagnostics const& of) -> std::string;

[[nodiscard]] auto at(value const& of, std::string_view name) -> value;
[[nodiscard]] auto text_at(value const& of, std::string_view name) -> std::string;
[[nodiscard]] auto number_at(value const& of, std::string_view name) -> std::int64_t;

/// As long as it lives, the functions above ask a configuration of a provider that was told this.
class told {
public:
    /// \param type  a type of that provider
    told(std::string_view type, entries settings);
    told(told const&) = delete;
    auto operator=(told const&) -> told& = delete;
    ~told();
    /// Why the provider would not take it; empty: it did.
    [[nodiscard]] auto error() const -> std::string;
};

/// As long as it lives, the functions above have the operations of all types performed as another machine does: they are encoded,
/// decoded, and performed apart from the provider. \pre there is no other
class placed_elsewhere {
public:
    placed_elsewhere();
    placed_elsewhere(placed_elsewhere const&) = delete;
    auto operator=(placed_elsewhere const&) -> placed_elsewhere& = delete;
    ~placed_elsewhere();
    /// Operations end with this obstacle from now on.
    void hinder(iacctl::providers::run_obstacle obstacle, std::string why);
    /// The operations so far.
    [[nodiscard]] auto performed() const -> std::vector<iacctl::providers::operation> const&;
};

/// Applies with a provider that is no part of the program, has the type, and that a runner of operations has a place for.
[[nodiscard]] auto apply_with_placed_plugin(std::string_view type) -> applied;

/// A directory that is gone when the test is over.
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
