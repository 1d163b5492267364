// SPDX-License-Identifier: BSL-1.0
// expect: the code is not in codes::all
#include <strider/infra/model/diagnostics.hpp>

inline constexpr strider::infra::diagnostic_code unlisted{"unlisted"};

strider::infra::diagnostic found()
{
    return strider::infra::make_error(unlisted);
}
