// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_PERSISTENT_LOCK_HPP
#define IACCTL_STATE_PERSISTENT_LOCK_HPP

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::state {

/// A note about a lock that remains when this process ends. It exists while the lock may be held. A process that ends
/// abnormally prints the notes.
class persistent_lock {
public:
    /// \param release  the end of a sentence: the place of the state and the command that releases the lock
    explicit persistent_lock(std::string release) : release_(std::move(release))
    {
        std::scoped_lock const held(guard);
        next_ = std::exchange(first, this);
    }
    persistent_lock(persistent_lock const&) = delete;
    auto operator=(persistent_lock const&) -> persistent_lock& = delete;
    ~persistent_lock()
    {
        std::scoped_lock const held(guard);
        auto** at = &first;
        while (*at != this) at = &(*at)->next_;
        *at = next_;
    }

    /// Calls `visit` with the text of each note. Does not allocate.
    template <class Visit>
    static void for_each(Visit visit) noexcept
    {
        std::scoped_lock const held(guard);
        for (persistent_lock const* one = first; one != nullptr; one = one->next_)
            visit(std::string_view(one->release_));
    }

private:
    inline static std::mutex guard;
    inline static persistent_lock* first = nullptr;  // one list for the process, because it ends as a whole

    std::string release_;
    persistent_lock* next_ = nullptr;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_PERSISTENT_LOCK_HPP
