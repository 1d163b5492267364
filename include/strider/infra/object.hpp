// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_OBJECT_HPP
#define STRIDER_INFRA_OBJECT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// A value in the form in which it is kept: a text that only its program can read.
class document {
public:
    document() = default;
    explicit document(std::string text) : text_(std::move(text)) {}

    [[nodiscard]] auto text() const noexcept -> std::string const& { return text_; }
    [[nodiscard]] auto empty() const noexcept -> bool { return text_.empty(); }

    friend auto operator==(document const&, document const&) -> bool = default;

private:
    std::string text_;
};

/// What an object depends on: configuration addresses, sorted. Immutable and shared, since every object of a state has
/// such a list, and plans, entries and snapshots pass it on.
class dependency_list {
public:
    using value_type = std::string;
    using const_iterator = std::vector<std::string>::const_iterator;
    using iterator = const_iterator;
    using size_type = std::size_t;

    dependency_list() = default;
    dependency_list(std::vector<std::string> names)  // NOLINT(google-explicit-constructor): it is such a list
        : names_(names.empty() ? nullptr : std::make_shared<std::vector<std::string> const>(std::move(names)))
    {}
    dependency_list(std::initializer_list<std::string> names) : dependency_list(std::vector<std::string>(names)) {}

    [[nodiscard]] auto names() const noexcept -> std::vector<std::string> const&
    {
        static std::vector<std::string> const none;
        return names_ ? *names_ : none;
    }
    [[nodiscard]] auto begin() const noexcept -> const_iterator { return names().begin(); }
    [[nodiscard]] auto end() const noexcept -> const_iterator { return names().end(); }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return names().size(); }
    [[nodiscard]] auto empty() const noexcept -> bool { return names_ == nullptr; }

    /// Everything that is in either list.
    [[nodiscard]] auto merged(dependency_list const& other) const -> dependency_list
    {
        if (names_ == other.names_ || other.empty()) return *this;
        if (empty()) return other;
        if (std::includes(begin(), end(), other.begin(), other.end())) return *this;
        std::vector<std::string> both;
        std::set_union(begin(), end(), other.begin(), other.end(), std::back_inserter(both));
        return both;
    }

    friend auto operator==(dependency_list const& a, dependency_list const& b) -> bool
    {
        return a.names_ == b.names_ || a.names() == b.names();
    }

private:
    std::shared_ptr<std::vector<std::string> const> names_;
};

/// An object that exists, as state remembers it.
struct object {
    document attributes;
    document sensitive;                     ///< where in it secrets lie
    std::string provider;                   ///< who made it, and will be asked to change or destroy it
    dependency_list dependencies;  ///< configuration addresses, transitive, sorted
    std::uint64_t schema_version = 0;
    bool tainted = false;                   ///< made, but not to the end: replace it
    bool create_before_destroy = false;     ///< declared or forced when it was made

    friend auto operator==(object const&, object const&) -> bool = default;
};

/// The value of an output as state keeps it.
struct output_value {
    document value;
    document type;
    bool sensitive = false;

    friend auto operator==(output_value const&, output_value const&) -> bool = default;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_OBJECT_HPP
