// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_CHECK_DOCUMENT_HPP
#define IACCTL_WORKSPACE_PROGRAM_CHECK_DOCUMENT_HPP

#include <strider/infra/model/object.hpp>

namespace iacctl::program {

/// Returns whether a text is empty or has the format of `check_results::document`.
[[nodiscard]] auto is_check_document(strider::infra::document const& d) -> bool;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_CHECK_DOCUMENT_HPP
