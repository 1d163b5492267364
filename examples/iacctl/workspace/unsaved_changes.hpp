// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_UNSAVED_CHANGES_HPP
#define IACCTL_WORKSPACE_UNSAVED_CHANGES_HPP

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

namespace iacctl::workspace {

/// Changes that are not in state yet. From its construction until `saved`, even during an exception, a sudden end of
/// the process would lose them.
class unsaved_changes {
public:
    unsaved_changes() noexcept { ++count; }
    /// \param rescue_directory  where a copy of state is written if the changes cannot be saved
    explicit unsaved_changes(std::filesystem::path const& rescue_directory) : unsaved_changes()
    {
        // A process changes the state of one workspace. The text is never destroyed: it is needed when memory is exhausted.
        static auto const& first = *new std::string(rescue_directory.string());
        rescue_directory_ = &first;
    }
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

    /// The directory of a copy of state, if the changes could not be saved; empty if there is none. Allocates no memory.
    [[nodiscard]] static auto rescue_directory() noexcept -> std::string_view
    {
        std::string const* const known = rescue_directory_;
        return known == nullptr ? std::string_view() : std::string_view(*known);
    }

private:
    inline static std::atomic<std::string const*> rescue_directory_{nullptr};
    inline static std::atomic<int> count{0};  // a process ends as a whole
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_UNSAVED_CHANGES_HPP
