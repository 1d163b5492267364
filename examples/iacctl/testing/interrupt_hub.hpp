// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_INTERRUPT_HUB_HPP
#define IACCTL_TESTING_INTERRUPT_HUB_HPP

#include "workspace/interrupt_source.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

namespace iacctl::testing {

/// Passes the interrupts of one source on to several runs at the same time.
class interrupt_hub {
public:
    /// The interrupts after a number of earlier ones.
    class branch final : public workspace::interrupt_source {
    public:
        /// \param after  the number of interrupts to ignore \pre `hub` outlives this object
        branch(interrupt_hub& hub, int after) : hub_(&hub), after_(after)
        {
            std::scoped_lock const held(hub_->guard_);
            hub_->branches_.insert(this);
        }
        branch(branch const&) = delete;
        auto operator=(branch const&) -> branch& = delete;
        ~branch() override
        {
            std::scoped_lock const held(hub_->guard_);
            hub_->branches_.erase(this);
        }

        void defer() override {}
        [[nodiscard]] auto defers() const noexcept -> bool override { return true; }
        void restore() override {}
        [[nodiscard]] auto count() const noexcept -> int override
        {
            int const all = hub_->count_;
            return all > after_ ? all - after_ : 0;
        }
        void set_handler(handler to) override
        {
            std::scoped_lock const held(hub_->guard_);
            to_ = std::move(to);
            pass_on();
        }

    private:
        friend class interrupt_hub;
        void pass_on() const
        {
            if (to_ && count() > 0) to_(count());
        }

        interrupt_hub* hub_;
        int after_;
        handler to_;
    };

    /// \param source  null: there are no interrupts
    explicit interrupt_hub(workspace::interrupt_source* source) : source_(source)
    {
        if (source_ == nullptr) return;
        source_->set_handler([this](int count) {
            std::scoped_lock const held(guard_);
            count_ = count;
            for (branch const* one : branches_) one->pass_on();
            if (watch_) watch_(count);
        });
    }
    interrupt_hub(interrupt_hub const&) = delete;
    auto operator=(interrupt_hub const&) -> interrupt_hub& = delete;
    ~interrupt_hub()
    {
        if (source_ != nullptr) source_->set_handler({});
    }

    [[nodiscard]] auto count() const noexcept -> int { return count_; }
    /// `to` is called with the number of each later interrupt, on any thread; empty: nothing is called.
    void watch(workspace::interrupt_source::handler to)
    {
        std::scoped_lock const held(guard_);
        watch_ = std::move(to);
    }

private:
    workspace::interrupt_source* source_;
    workspace::interrupt_source::handler watch_;
    std::atomic<int> count_ = 0;
    std::mutex guard_;
    std::set<branch*> branches_;
};

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_INTERRUPT_HUB_HPP
