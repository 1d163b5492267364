// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_WITH_TEXT_HPP
#define IACCTL_MESSAGES_WITH_TEXT_HPP

#include <strider/infra/model/diagnostics.hpp>

namespace iacctl::messages {

namespace infra = strider::infra;

/// A diagnostic with texts. Diagnostics of the engine have only a code; their texts are those of the catalogue of
/// messages.
[[nodiscard]] auto with_text(infra::diagnostic problem) -> infra::diagnostic;
[[nodiscard]] auto with_text(infra::diagnostics problems) -> infra::diagnostics;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_WITH_TEXT_HPP
