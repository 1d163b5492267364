// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_DATABASE_ERROR_HPP
#define IACCTL_BASE_DATABASE_ERROR_HPP

#include <stdexcept>

namespace iacctl {

/// A statement of a database failed, or the database cannot be used.
class database_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    /// Returns whether the database itself is damaged, so that other parts of it may still be readable.
    [[nodiscard]] virtual auto is_damage() const noexcept -> bool { return false; }
    /// Returns whether it can be read but not written.
    [[nodiscard]] virtual auto is_read_only() const noexcept -> bool { return false; }
};

}  // namespace iacctl

#endif  // IACCTL_BASE_DATABASE_ERROR_HPP
