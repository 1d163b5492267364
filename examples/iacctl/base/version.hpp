// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_VERSION_HPP
#define IACCTL_BASE_VERSION_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// A version such as "1.2.0-beta.1+build5": numbers, a prerelease and build metadata.
class version {
public:
    std::vector<std::uint64_t> numbers;  ///< as many as are written
    std::string prerelease;
    std::string metadata;

    /// Nothing if the text is invalid. \param prefix  true: the text may begin with "v"
    [[nodiscard]] static auto parse(std::string_view text, bool prefix = false) -> std::optional<version>;

    /// The number at a position; zero if it is not written.
    [[nodiscard]] auto number(std::size_t position) const noexcept -> std::uint64_t;
    [[nodiscard]] auto is_release() const noexcept -> bool { return prerelease.empty(); }
    /// The text with at least three numbers.
    [[nodiscard]] auto text() const -> std::string;

    /// The order of Semantic Versioning 2.0.0. A missing number is zero; metadata is ignored.
    friend auto operator<=>(version const& a, version const& b) noexcept -> std::weak_ordering;
    friend auto operator==(version const& a, version const& b) noexcept -> bool { return (a <=> b) == 0; }
};

/// Operators of constraints, in the order of Terraform's lock files.
enum class version_operator : std::uint8_t {
    greater,
    greater_or_equal,
    equal,
    pessimistic,  ///< ~>
    less_or_equal,
    less,
    not_equal,
};

/// One condition, such as "~> 1.2".
class version_constraint {
public:
    version_operator sign = version_operator::equal;
    version of;

    /// Returns whether a version satisfies the condition. Prereleases are compared by their order.
    [[nodiscard]] auto allows(version const& candidate) const noexcept -> bool;
};

/// Conditions that must all hold: ">= 1.2, < 2.0".
class version_constraints {
public:
    std::vector<version_constraint> all;

    /// Nothing if the text is invalid. An empty text is invalid.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<version_constraints>;

    [[nodiscard]] auto empty() const noexcept -> bool { return all.empty(); }
    void add(version_constraints const& more) { all.insert(all.end(), more.all.begin(), more.all.end()); }

    /// Returns whether a version of a provider satisfies them. A prerelease does only if one condition names exactly
    /// that version.
    /// \source apparentlymart/go-versions, MeetingConstraints
    [[nodiscard]] auto allow(version const& candidate) const noexcept -> bool;
    /// Returns whether a version of a module satisfies them. A prerelease does only if each condition has a prerelease
    /// of the same numbers.
    /// \source hashicorp/go-version, prereleaseCheck
    [[nodiscard]] auto allow_module(version const& candidate) const noexcept -> bool;

    /// The distinct conditions in order, in the format of Terraform's lock files: "~> 2.0, >= 2.1.0".
    [[nodiscard]] auto text() const -> std::string;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_VERSION_HPP
