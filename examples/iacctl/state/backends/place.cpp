// SPDX-License-Identifier: BSL-1.0
#include "place.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"

#include <string>

namespace iacctl::backends {

auto place::mirror_of(std::string_view type, std::string_view address) const -> std::filesystem::path
{
    return mirrors / (std::string(type) + "-" + hex(digest(address, digest_kind::sha256)).substr(0, 16));
}

}  // namespace iacctl::backends
