// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_VERSION_HPP
#define IACCTL_SUPPORT_VERSION_HPP

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

    /// Nothing if the text is none. \param prefix  true: a "v" may stand before it
    [[nodiscard]] static auto parse(std::string_view text, bool prefix = false) -> std::optional<version>;

    /// The number at a position; zero where none is written.
    [[nodiscard]] auto number(std::size_t position) const noexcept -> std::uint64_t;
    [[nodiscard]] auto is_release() const noexcept -> bool { return prerelease.empty(); }
    /// With three numbers at least.
    [[nodiscard]] auto text() const -> std::string;

    /// The order of Semantic Versioning 2.0.0: a missing number is zero, and metadata does not count.
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

    /// True if a version meets it. Prereleases are compared as the order says.
    [[nodiscard]] auto allows(version const& candidate) const noexcept -> bool;
};

/// Conditions that all hold: ">= 1.2, < 2.0".
class version_constraints {
public:
    std::vector<version_constraint> all;

    /// Nothing if the text is none. An empty text is none.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<version_constraints>;

    [[nodiscard]] auto empty() const noexcept -> bool { return all.empty(); }
    void add(version_constraints const& more) { all.insert(all.end(), more.all.begin(), more.all.end()); }

    /// True if a version of a provider meets them: a prerelease only if one of them is that version exactly.
    /// \source apparentlymart/go-versions, MeetingConstraints
    [[nodiscard]] auto allow(version const& candidate) const noexcept -> bool;
    /// True if a version of a module meets them: a prerelease only if each of them has a prerelease of the same numbers.
    /// \source hashicorp/go-version, prereleaseCheck
    [[nodiscard]] auto allow_module(version const& candidate) const noexcept -> bool;

    /// Each once, in order, in the form of Terraform's lock files: "~> 2.0, >= 2.1.0".
    [[nodiscard]] auto text() const -> std::string;
};

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_VERSION_HPP
