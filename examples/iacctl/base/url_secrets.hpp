// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_URL_SECRETS_HPP
#define IACCTL_BASE_URL_SECRETS_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// A text with `***` in the place of each secret of the URLs in it. Secrets are the user information of HTTP, where a
/// user name is often a token, the password of other schemes, and parameters of the query such as `token` and `sshkey`.
[[nodiscard]] auto without_url_secrets(std::string_view text) -> std::string;
/// The same with as many stars as the secret has bytes, so that positions in the text stay valid.
[[nodiscard]] auto with_masked_url_secrets(std::string_view text) -> std::string;
/// Returns whether a text contains a secret of a URL.
[[nodiscard]] auto has_url_secrets(std::string_view text) -> bool;

}  // namespace iacctl

#endif  // IACCTL_BASE_URL_SECRETS_HPP
