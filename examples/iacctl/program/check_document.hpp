// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_CHECK_DOCUMENT_HPP
#define IACCTL_PROGRAM_CHECK_DOCUMENT_HPP

#include <strider/infra/object.hpp>

namespace iacctl::program {

/// Whether a text from elsewhere has the form of what `check_results::document` gives; empty is one.
[[nodiscard]] auto is_check_document(strider::infra::document const& of) -> bool;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_CHECK_DOCUMENT_HPP
