// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_INTERRUPT_SOURCE_HPP
#define IACCTL_WORKSPACE_INTERRUPT_SOURCE_HPP

#include <exception>
#include <functional>

namespace iacctl::workspace {

/// Thrown if a command ends because of an interrupt. Destructors release its locks.
class interrupted final : public std::exception {
public:
    [[nodiscard]] auto what() const noexcept -> char const* override { return "interrupted"; }
};

/// A source of interrupts, such as signals or a button. The first interrupt requests the running work to stop, the
/// second one to stop at once.
class interrupt_source {
public:
    using handler = std::function<void(int)>;

    interrupt_source() = default;
    interrupt_source(interrupt_source const&) = delete;
    auto operator=(interrupt_source const&) -> interrupt_source& = delete;
    virtual ~interrupt_source() = default;

    /// From now on the first interrupt does not end the process: it is counted, and `check` or a handler acts on it.
    virtual void defer() = 0;
    /// Returns whether interrupts are deferred.
    [[nodiscard]] virtual auto defers() const noexcept -> bool = 0;
    /// From now on an interrupt ends the process again.
    virtual void restore() = 0;
    /// The number of interrupts that were deferred.
    [[nodiscard]] virtual auto count() const noexcept -> int = 0;
    /// Defers interrupts. `to` is called with the number of each interrupt, including earlier ones; empty: nothing is
    /// called. It may be called on any thread, and is not called any more after the next call of this function has
    /// returned.
    virtual void set_handler(handler to) = 0;

    /// \throws interrupted  after an interrupt
    void check() const
    {
        if (count() > 0) throw interrupted();
    }
};

/// Defers interrupts during its lifetime, unless they were deferred before.
class interrupt_deferral {
public:
    /// \param source  null: there are no interrupts
    explicit interrupt_deferral(interrupt_source* source)
        : of_(source != nullptr && !source->defers() ? source : nullptr)
    {
        if (of_ != nullptr) of_->defer();
    }
    interrupt_deferral(interrupt_deferral const&) = delete;
    auto operator=(interrupt_deferral const&) -> interrupt_deferral& = delete;
    ~interrupt_deferral()
    {
        if (of_ != nullptr) of_->restore();
    }

private:
    interrupt_source* of_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_INTERRUPT_SOURCE_HPP
