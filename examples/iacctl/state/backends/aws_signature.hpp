// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_AWS_SIGNATURE_HPP
#define IACCTL_STATE_BACKENDS_AWS_SIGNATURE_HPP

#include "base/http/client.hpp"

#include <string>
#include <string_view>

namespace iacctl::backends {

struct aws_credentials {
    std::string access_key;
    std::string secret_key;
    std::string token;  ///< of a session; empty: there is none
};

/// Encodes each byte that is not unreserved as %XX. \param kept  reserved characters that are not encoded
[[nodiscard]] auto aws_encoded(std::string_view text, std::string_view kept = {}) -> std::string;

/// Signs a request: adds the headers X-Amz-Date, Authorization, and X-Amz-Security-Token if there is a token. All
/// headers of the request are signed.
///
/// \param time  as in "20130524T000000Z", UTC
/// \pre The URL has its path and query encoded by `aws_encoded`; header values have no spaces at their ends.
/// \source AWS Signature Version 4
void sign(http::request& r, aws_credentials const& by, std::string_view region, std::string_view service,
    std::string const& time);

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_AWS_SIGNATURE_HPP
