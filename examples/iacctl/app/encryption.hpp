// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_ENCRYPTION_HPP
#define IACCTL_APP_ENCRYPTION_HPP

#include "encryption/target.hpp"
#include "settings.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <memory>

namespace iacctl::app {

/// The encryption that a configuration asks for: its block `encryption`, with the content of the environment variable
/// TF_ENCRYPTION over it. Without either of them nothing is encrypted.
///
/// If there are keys, this process writes no core dump from then on.
/// \return the errors of the block; of the rest of the configuration only what the block refers to is read
/// \source OpenTofu, "State and Plan Encryption"
[[nodiscard]] auto encryption_of(settings const& of) -> infra::expected<std::shared_ptr<encryption::targets const>>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_ENCRYPTION_HPP
