// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_FIBRE_HPP
#define STRIDER_TESTS_SUPPORT_FIBRE_HPP

#include <cxxabi.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace strider::test {

/// A stack on which a function runs until another fibre continues. All fibres run in one thread. One without a function is the
/// place from which they are run.
class fibre {
public:
    using function = void (*)();

    fibre() = default;
    explicit fibre(function entry) : stack_(take_stack())
    {
        getcontext(&context_);
        context_.uc_stack.ss_sp = stack_.get();
        context_.uc_stack.ss_size = stack_size;
        context_.uc_link = nullptr;
        makecontext(&context_, entry, 0);
    }
    fibre(fibre const&) = delete;
    auto operator=(fibre const&) -> fibre& = delete;
    /// Leaves the stack to another fibre. Objects on it are not destroyed if this fibre has not ended.
    ~fibre()
    {
        if (stack_) stacks().push_back(std::move(stack_));
    }

    /// The current fibre, which is this one, waits until it is continued.
    void continue_with(fibre& next)
    {
        exceptions_ = exceptions();
        resume(next.exceptions_);
        swapcontext(&context_, &next.context_);
    }
    /// The current fibre does not run again.
    [[noreturn]] static void end_with(fibre& next)
    {
        resume(next.exceptions_);
        setcontext(&next.context_);
        __builtin_unreachable();
    }

private:
    static constexpr std::size_t stack_size = std::size_t{256} * 1024;
    using stack_memory = std::unique_ptr<std::byte[]>;
    using exception_state = std::array<std::byte, 2 * sizeof(void*)>;

    [[nodiscard]] static auto stacks() -> std::vector<stack_memory>&
    {
        static std::vector<stack_memory> spare;
        return spare;
    }
    [[nodiscard]] static auto take_stack() -> stack_memory
    {
        if (stacks().empty()) return stack_memory(new std::byte[stack_size]);
        stack_memory taken = std::move(stacks().back());
        stacks().pop_back();
        return taken;
    }
    // The exceptions that are being handled, which the C++ runtime stores for each thread.
    [[nodiscard]] static auto exceptions() -> exception_state
    {
        exception_state state;
        std::memcpy(&state, __cxxabiv1::__cxa_get_globals(), sizeof(state));
        return state;
    }
    static void resume(exception_state const& state)
    {
        std::memcpy(static_cast<void*>(__cxxabiv1::__cxa_get_globals()), &state, sizeof(state));
    }

    stack_memory stack_;
    ucontext_t context_{};
    exception_state exceptions_{};
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_FIBRE_HPP
