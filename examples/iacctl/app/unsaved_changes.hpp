// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_UNSAVED_CHANGES_HPP
#define IACCTL_APP_UNSAVED_CHANGES_HPP

#include <atomic>

namespace iacctl::app {

/// Changes that are not in state yet. From its construction until `saved`, even during an exception, a sudden end of
/// the process would lose them.
class unsaved_changes {
public:
    unsaved_changes() noexcept { ++count; }
    unsaved_changes(unsaved_changes const&) = delete;
    auto operator=(unsaved_changes const&) -> unsaved_changes& = delete;
    /// Takes over the changes of `other`, whose `saved` must not be called any more.
    unsaved_changes(unsaved_changes&& /*other*/) noexcept {}
    auto operator=(unsaved_changes&&) -> unsaved_changes& = delete;
    ~unsaved_changes() = default;

    /// \pre not called before
    void saved() noexcept { --count; }

    /// Returns whether there are unsaved changes in this process.
    [[nodiscard]] static auto exist() noexcept -> bool { return count != 0; }

private:
    inline static std::atomic<int> count{0};  // a process ends as a whole
};

}  // namespace iacctl::app

#endif  // IACCTL_APP_UNSAVED_CHANGES_HPP
