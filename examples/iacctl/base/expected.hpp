// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_EXPECTED_HPP
#define IACCTL_BASE_EXPECTED_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/diagnostics.hpp>

namespace iacctl {

/// A value, or the diagnostics that explain its absence.
template <class T>
using expected = strider::result<T, strider::infra::failure>;

}  // namespace iacctl

#endif  // IACCTL_BASE_EXPECTED_HPP
