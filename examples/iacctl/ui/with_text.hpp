// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_WITH_TEXT_HPP
#define IACCTL_UI_WITH_TEXT_HPP

#include <strider/infra/model/diagnostics.hpp>

namespace iacctl::ui {

namespace infra = strider::infra;

/// A diagnostic with texts. Diagnostics of the engine have only a code; their texts are those of the catalogue of
/// messages.
[[nodiscard]] infra::diagnostic with_text(infra::diagnostic of);
[[nodiscard]] infra::diagnostics with_text(infra::diagnostics of);

}  // namespace iacctl::ui

#endif  // IACCTL_UI_WITH_TEXT_HPP
