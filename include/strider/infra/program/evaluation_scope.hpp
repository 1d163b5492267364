// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_EVALUATION_SCOPE_HPP
#define STRIDER_INFRA_PROGRAM_EVALUATION_SCOPE_HPP

#include <strider/core/assert.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/program/name_index.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

/// The values that expressions read during a walk: a row per declaration, a slot per instance.
///
/// The visit of a declaration expands its row once and publishes each slot once; dependents read them later. The walk
/// orders these accesses. Atomic flags protect against a missing edge: a reader then finds an unpublished slot
/// instead of a partly written one.
/// \complexity look-up O(1) for a row, O(log n) for an instance.
template <class V>
class evaluation_scope {
public:
    /// One instance, and its value after its visit.
    struct slot {
        address target;  ///< address of the instance; set by `expand`
        V value{};  ///< read only by `get`, because another visit may write it
        std::atomic<bool> published = false;  ///< true after the value was written, and never false again

        /// The value, or null if it is not published.
        [[nodiscard]] auto get() const noexcept -> V const*
        {
            return published.load(std::memory_order_acquire) ? &value : nullptr;
        }
    };

    /// The instances of one declaration.
    class row {
    public:
        /// The number of instances; 0 before expansion.
        [[nodiscard]] auto size() const noexcept -> std::size_t { return is_expanded() ? size_ : 0; }
        /// The slots in ascending address; an empty range before expansion.
        /// @{
        [[nodiscard]] auto begin() const noexcept -> slot const* { return slots_.get(); }
        [[nodiscard]] auto end() const noexcept -> slot const* { return slots_.get() + size(); }
        /// @}
        /// True if the instances are set. A thread that sees true sees the instances, too.
        [[nodiscard]] auto is_expanded() const noexcept -> bool { return expanded_.load(std::memory_order_acquire); }
        /// True if the row has instances whose keys are not known yet. Other instances may then exist, too.
        [[nodiscard]] auto is_partial() const noexcept -> bool { return is_expanded() && partial_; }
        /// The value of for_each or count from which the instances were expanded.
        [[nodiscard]] auto repetition() const noexcept -> V const* { return repetition_.get(); }

        /// The slot of an instance, or null. \complexity O(1) for most instances that have numbers, and for the instance after
        /// the one that was found last; O(log instances) for others
        [[nodiscard]] auto find(address const& a) const -> slot const*
        {
            std::size_t const count = size();
            auto const* const number = a.key().index();
            auto const likely =
                number != nullptr ? static_cast<std::size_t>(*number) : last_.load(std::memory_order_relaxed) + 1;
            if (likely < count && slots_[likely].target == a) return note(likely);
            auto const* const at = std::lower_bound(
                begin(), end(), a, [](slot const& s, address const& instance) { return s.target < instance; });
            return at != end() && at->target == a ? note(static_cast<std::size_t>(at - begin())) : nullptr;
        }
        /// The instances in one instance of a module, which are adjacent.
        [[nodiscard]] auto in_module(std::vector<module_step> const& path) const -> std::span<slot const>
        {
            auto const module_of = [](slot const& s) -> auto const& { return s.target.module(); };
            auto const found = std::ranges::equal_range(begin(), end(), path, std::ranges::less(), module_of);
            return {found.begin(), found.end()};
        }

    private:
        friend class evaluation_scope;
        [[nodiscard]] auto note(std::size_t found) const -> slot const*
        {
            if (slots_[found].target.key().name() != nullptr) last_.store(found, std::memory_order_relaxed);
            return &slots_[found];
        }

        std::unique_ptr<slot[]> slots_;  // NOLINT(modernize-avoid-c-arrays): atomics do not move
        std::size_t size_ = 0;
        bool partial_ = false;
        std::unique_ptr<V> repetition_;
        std::atomic<bool> expanded_ = false;
        mutable std::atomic<std::size_t> last_ = 0;  // the slot that was found last, of those with a text
    };

    evaluation_scope() = default;
    /// One row for each name; their numbers are those of the declarations.
    explicit evaluation_scope(std::shared_ptr<name_index const> names)
        : rows_(std::make_unique<row[]>(names->size())),
          names_(std::move(names))
    {}
    /// Makes one row per name. \param names  distinct, in the order of the declarations
    explicit evaluation_scope(std::vector<std::string> names)
        : evaluation_scope(std::make_shared<name_index const>(std::move(names)))
    {}

    /// Sets the instances of a row. \pre not expanded before.
    void expand(std::size_t declaration, std::vector<address> instances)
    {
        row& r = rows_[declaration];
        STRIDER_ASSERT(!r.is_expanded(), "a declaration is expanded once");
        if (!std::is_sorted(instances.begin(), instances.end())) std::sort(instances.begin(), instances.end());
        r.partial_ = std::any_of(instances.begin(), instances.end(), has_unknown_key);
        r.slots_ = std::make_unique<slot[]>(instances.size());
        r.size_ = instances.size();
        for (std::size_t i = 0; i < instances.size(); ++i) r.slots_[i].target = std::move(instances[i]);
        r.expanded_.store(true, std::memory_order_release);
    }

    /// Sets the value by which the instances are repeated. \pre called once, by the visit of the declaration.
    void repeat(std::size_t declaration, V repetition)
    {
        rows_[declaration].repetition_ = std::make_unique<V>(std::move(repetition));
    }

    /// Publishes the value of an instance. \pre the row is expanded and contains it; not published before.
    void publish(std::size_t declaration, address const& instance, V value)
    {
        slot* const s = const_cast<slot*>(rows_[declaration].find(instance));
        STRIDER_ASSERT(s != nullptr, "the instance belongs to the declaration");
        STRIDER_ASSERT(s->get() == nullptr, "an instance is published once");
        s->value = std::move(value);
        s->published.store(true, std::memory_order_release);
    }

    /// Publishes the value of a declaration without instances (a variable, a local, an output).
    void publish(std::size_t declaration, V value)
    {
        expand(declaration, {address()});
        publish(declaration, address(), std::move(value));
    }

    /// Makes evaluations for a destroy, which rules and outputs must not prevent. \pre no evaluation has begun
    void evaluate_for_destroy() noexcept { for_destroy_ = true; }
    /// An evaluation checks no rules of values, and the value of an output with an error is unknown.
    [[nodiscard]] auto is_for_destroy() const noexcept -> bool { return for_destroy_; }

    /// The row of a declaration by name, or null. \complexity O(1)
    [[nodiscard]] auto find(std::string_view name) const -> row const*
    {
        auto const number = names_->find(name);
        return number ? &rows_[*number] : nullptr;
    }
    /// The number of a declaration by name; empty if there is none. \complexity O(1)
    [[nodiscard]] auto number_of(std::string_view name) const -> std::optional<std::size_t>
    {
        return names_->find(name);
    }
    /// The row of a declaration. \pre the number is that of a declaration
    [[nodiscard]] auto operator[](std::size_t declaration) const -> row const& { return rows_[declaration]; }

    /// The value of a declaration without instances, or null.
    [[nodiscard]] auto value(std::string_view name) const -> V const*
    {
        row const* const r = find(name);
        return r != nullptr && r->size() == 1 ? r->begin()->get() : nullptr;
    }

private:
    std::unique_ptr<row[]> rows_;  // NOLINT(modernize-avoid-c-arrays): atomics do not move
    std::shared_ptr<name_index const> names_ = std::make_shared<name_index const>();
    bool for_destroy_ = false;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_EVALUATION_SCOPE_HPP
