// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_DEPENDENCY_SET_HPP
#define STRIDER_INFRA_MODEL_DEPENDENCY_SET_HPP

#include <strider/version.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strider::infra {

/// All direct and indirect dependencies of an object: configuration addresses.
///
/// A set stores its own names and the sets it contains, which are shared: a chain of n objects takes space for n
/// names, where lists take n². Immutable; copies share the content and may be used in several threads. `id` is
/// computed from the content, so sets that were built in the same way, in any process, compare equal at once.
class dependency_set {
    struct content;

public:
    /// The key of a set. 128 well-distributed bits, but not a cryptographic hash.
    struct id_type {
        std::uint64_t high = 0;  ///< upper 64 bits
        std::uint64_t low = 0;   ///< lower 64 bits

        /// Orders by the upper, then by the lower bits.
        friend auto operator<=>(id_type const&, id_type const&) = default;
    };

    dependency_set() = default;
    /// Contains these names, without parts. Duplicates are allowed.
    dependency_set(std::initializer_list<std::string> names) : dependency_set(std::vector<std::string>(names)) {}
    /// Contains all given names, and all names of the parts.
    dependency_set(std::vector<std::string> names,  // NOLINT(google-explicit-constructor): it is such a set
        std::vector<dependency_set> parts = {});

    /// True if the set and its parts contain no name. \complexity O(1)
    [[nodiscard]] auto empty() const noexcept -> bool { return content_ == nullptr; }
    /// The names added by this set, sorted and distinct, without those of the parts.
    [[nodiscard]] auto own_names() const noexcept -> std::vector<std::string> const&;
    /// Sorted by id, distinct, none empty.
    [[nodiscard]] auto parts() const noexcept -> std::vector<dependency_set> const&;
    /// The key of the content; all bits are zero for an empty set. \complexity O(1)
    [[nodiscard]] auto id() const noexcept -> id_type;

    /// Calls `visit` with each contained set, parts before the sets that contain them, this set last. If `enter`
    /// returns false, a set and its parts are not visited; it may be called several times per set.
    /// \complexity O(sets entered + their parts)
    template <class Enter, class Visit>
    void for_each_set(Enter enter, Visit visit) const;

    /// All names, sorted. \complexity that of the sets, and of sorting the names
    [[nodiscard]] auto names() const -> std::vector<std::string>;

    /// Returns the union. \complexity O(1), or the names of both if neither has parts
    [[nodiscard]] auto merged(dependency_set const& other) const -> dependency_set;

    /// Compares names, independent of the parts. \complexity O(1) if the ids are equal, else that of `names`
    friend auto operator==(dependency_set const& a, dependency_set const& b) -> bool
    {
        return a.id() == b.id() || a.names() == b.names();
    }

private:
    struct content {
        content(std::vector<std::string> n, std::vector<dependency_set> p) : names(std::move(n)), parts(std::move(p)) {}

        std::vector<std::string> names;
        std::vector<dependency_set> parts;
        id_type id;
        std::atomic<std::size_t> references = 0;
        content* next_to_delete = nullptr;

        void acquire() noexcept { references.fetch_add(1, std::memory_order_relaxed); }
        // acq_rel: the thread that deletes must see all accesses of the others.
        [[nodiscard]] auto is_last() noexcept -> bool
        {
            return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
        }
        // Not recursive: the nesting of sets is bounded only by the size of a configuration.
        static void release(content* c) noexcept
        {
            if (!c->is_last()) return;
            while (c != nullptr) {
                content* const current = c;
                c = current->next_to_delete;
                for (dependency_set& part : current->parts) {
                    content* const inner = part.content_.detach();
                    if (!inner->is_last()) continue;
                    inner->next_to_delete = c;
                    c = inner;
                }
                delete current;
            }
        }

        friend void intrusive_ptr_add_ref(content* c) noexcept { c->acquire(); }
        friend void intrusive_ptr_release(content* c) noexcept { release(c); }
    };

    [[nodiscard]] static auto spread(std::uint64_t x) noexcept -> std::uint64_t
    {
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;  // the finalizer of SplitMix64
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31U);
    }
    static void add(id_type& to, std::uint64_t word) noexcept
    {
        to.high = spread(to.high + 0x9e3779b97f4a7c15U + word);
        to.low = spread((to.low ^ word) * 0xff51afd7ed558ccdU + to.high);
    }
    [[nodiscard]] static auto id_of(content const& c) noexcept -> id_type
    {
        id_type id{c.names.size() + 1, c.parts.size() + 1};
        for (std::string const& name : c.names) {
            add(id, name.size());
            for (std::size_t i = 0; i < name.size(); i += 8) {
                std::uint64_t word = 0;
                for (std::size_t k = i; k < std::min(i + 8, name.size()); ++k)
                    word = word << 8U | static_cast<unsigned char>(name[k]);
                add(id, word);
            }
        }
        for (dependency_set const& part : c.parts) {
            add(id, part.id().high);
            add(id, part.id().low);
        }
        return id;
    }

    boost::intrusive_ptr<content> content_;
};

inline dependency_set::dependency_set(std::vector<std::string> names, std::vector<dependency_set> parts)
{
    auto const by_id = [](dependency_set const& a, dependency_set const& b) { return a.id() < b.id(); };
    auto const same = [](dependency_set const& a, dependency_set const& b) { return a.id() == b.id(); };
    std::erase_if(parts, [](dependency_set const& part) { return part.empty(); });
    std::sort(parts.begin(), parts.end(), by_id);
    parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.empty() && parts.empty()) return;
    if (names.empty() && parts.size() == 1) {
        content_ = std::move(parts.front().content_);
        return;
    }
    content_.reset(new content(std::move(names), std::move(parts)));
    content_->id = id_of(*content_);
}

inline auto dependency_set::own_names() const noexcept -> std::vector<std::string> const&
{
    static std::vector<std::string> const none;
    return content_ ? content_->names : none;
}

inline auto dependency_set::parts() const noexcept -> std::vector<dependency_set> const&
{
    static std::vector<dependency_set> const none;
    return content_ ? content_->parts : none;
}

inline auto dependency_set::id() const noexcept -> id_type
{
    return content_ ? content_->id : id_type();
}

template <class Enter, class Visit>
void dependency_set::for_each_set(Enter enter, Visit visit) const
{
    struct frame {
        dependency_set const* set;
        std::size_t next;
    };
    if (empty() || !enter(*this)) return;
    std::vector<frame> path{{this, 0}};
    while (!path.empty()) {
        frame& top = path.back();
        if (top.next == top.set->parts().size()) {
            visit(*top.set);
            path.pop_back();
            continue;
        }
        dependency_set const& part = top.set->parts()[top.next++];
        if (enter(part)) path.push_back({&part, 0});
    }
}

inline auto dependency_set::merged(dependency_set const& other) const -> dependency_set
{
    auto const contains = [](dependency_set const& whole, dependency_set const& part) {
        return std::any_of(
            whole.parts().begin(), whole.parts().end(), [&](dependency_set const& p) { return p.id() == part.id(); });
    };
    if (other.empty() || id() == other.id() || contains(*this, other)) return *this;
    if (empty() || contains(other, *this)) return other;
    if (!parts().empty() || !other.parts().empty()) return dependency_set({}, {*this, other});
    std::vector<std::string> both;
    std::set_union(own_names().begin(), own_names().end(), other.own_names().begin(), other.own_names().end(),
        std::back_inserter(both));
    return both;
}

}  // namespace strider::infra

template <>
struct std::hash<strider::infra::dependency_set::id_type> {
    [[nodiscard]] auto operator()(strider::infra::dependency_set::id_type const& id) const noexcept -> std::size_t
    {
        return static_cast<std::size_t>(id.low);
    }
};

namespace strider::infra {

inline auto dependency_set::names() const -> std::vector<std::string>
{
    if (parts().empty()) return own_names();
    std::unordered_set<id_type> seen;
    std::vector<std::string> all;
    for_each_set([&](dependency_set const& s) { return seen.insert(s.id()).second; },
        [&](dependency_set const& s) { all.insert(all.end(), s.own_names().begin(), s.own_names().end()); });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_DEPENDENCY_SET_HPP
