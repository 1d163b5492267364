// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_LAST_ERROR_HPP
#define IACCTL_BASE_LAST_ERROR_HPP

#include <boost/system/error_code.hpp>
#include <boost/system/system_category.hpp>

#include <cerrno>

namespace iacctl {

/// The error of the last system call. \pre it has failed
[[nodiscard]] inline auto last_error() noexcept -> boost::system::error_code
{
    return {errno, boost::system::system_category()};
}

}  // namespace iacctl

#endif  // IACCTL_BASE_LAST_ERROR_HPP
