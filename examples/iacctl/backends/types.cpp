// SPDX-License-Identifier: BSL-1.0
#include "types.hpp"

#include "http_backend.hpp"
#include "local_backend.hpp"
#ifdef IACCTL_HAS_POSTGRES
#include "pg_backend.hpp"
#endif
#include "s3_backend.hpp"

#include <algorithm>
#include <array>

namespace iacctl::backends {

namespace {

constexpr std::array all{
    backend_type{"http", http_arguments, make_http},
    backend_type{"local", local_arguments, make_local},
#ifdef IACCTL_HAS_POSTGRES
    backend_type{"pg", pg_arguments, make_pg},
#endif
    backend_type{"s3", s3_arguments, make_s3},
};

}  // namespace

auto types() noexcept -> std::span<backend_type const>
{
    return all;
}

auto find_type(std::string_view name) noexcept -> backend_type const*
{
    auto const* const found = std::ranges::find(all, name, &backend_type::name);
    return found == all.end() ? nullptr : found;
}

}  // namespace iacctl::backends
