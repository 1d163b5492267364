// SPDX-License-Identifier: BSL-1.0
#include "types.hpp"

#include "azurerm.hpp"
#include "gcs.hpp"
#include "http.hpp"
#include "local.hpp"
#ifdef IACCTL_HAS_POSTGRES
#include "pg.hpp"
#endif
#include "s3.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace iacctl::backends {

namespace {

constexpr std::array all{
    backend_type{"azurerm", azurerm_arguments, make_azurerm},
    backend_type{"gcs", gcs_arguments, make_gcs},
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

auto names_of_types() -> std::string
{
    std::string names;
    for (std::size_t i = 0; i < all.size(); ++i)
        names += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + ('"' + std::string(all[i].name) + '"');
    return names;
}

auto no_settings(backend_type const& bt) -> language::value
{
    auto const type = bt.arguments().object_type();
    std::vector<language::value_entry> none;
    for (auto const& one : type.attributes()) none.push_back({one.name, language::value::null(one.of)});
    return language::value::object(std::move(none));
}

}  // namespace iacctl::backends
