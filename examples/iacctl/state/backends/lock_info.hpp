// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_LOCK_INFO_HPP
#define IACCTL_STATE_BACKENDS_LOCK_INFO_HPP

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::backends {

/// The description of a lock that Terraform and its backends exchange.
struct lock_info {
    std::string id;  ///< a UUID
    std::string operation;  ///< "OperationTypeApply"
    std::string info;
    std::string who;  ///< user@host
    std::string version;
    std::string created;  ///< RFC 3339, UTC
    std::string path;
    std::string other_id = {};  ///< a second id of the same lock, which is not part of the description; empty: none

    /// A new lock of this process, with a random id.
    [[nodiscard]] static auto of_this_process(std::string_view operation, std::string path) -> lock_info;
    /// Nothing if the text is not such a description.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<lock_info>;
    [[nodiscard]] auto has_id(std::string_view sought) const noexcept -> bool
    {
        return id == sought || (!other_id.empty() && other_id == sought);
    }
    /// JSON with Terraform's member names.
    [[nodiscard]] auto text() const -> std::string;
    /// Lines for a message: the id, the holder, the operation and the time, as far as they are known.
    [[nodiscard]] auto description() const -> std::string;
};

/// The command that releases a lock which its process has left behind: "iacctl force-unlock ID".
[[nodiscard]] auto release_command(std::string const& workspace, std::string const& id) -> std::string;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_LOCK_INFO_HPP
