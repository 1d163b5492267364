// SPDX-License-Identifier: BSL-1.0
#include "file_names.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace iacctl::language {

std::optional<configuration_file_name> configuration_file_name::parse(std::string_view name) noexcept
{
    auto const file = name.substr(name.rfind('/') + 1);
    if (file.starts_with('.')) return std::nullopt;
    configuration_file_name made{name};
    made.json = made.base.ends_with(".json");
    if (made.json) made.base.remove_suffix(5);
    made.opentofu = made.base.ends_with(".tofu");
    if (!made.opentofu && !made.base.ends_with(".tf")) return std::nullopt;
    made.base.remove_suffix(made.opentofu ? 5 : 3);
    return made;
}

bool configuration_file_name::is_override() const noexcept
{
    return base.ends_with("_override") || base == "override" || base.ends_with("/override");
}

bool is_query_file(std::string_view name) noexcept
{
    bool const hidden = name.substr(name.rfind('/') + 1).starts_with('.');
    return !hidden && (name.ends_with(".tfquery.hcl") || name.ends_with(".tfquery.json"));
}

std::vector<std::string> configuration_files(std::vector<std::string> names)
{
    std::set<std::pair<std::string_view, bool>> replaced;
    for (auto const& name : names)
        if (auto const one = configuration_file_name::parse(name); one && one->opentofu)
            replaced.emplace(one->base, one->json);
    std::vector<std::string> made;
    for (auto const& name : names) {
        auto const one = configuration_file_name::parse(name);
        if (one && (one->opentofu || !replaced.contains({one->base, one->json}))) made.push_back(name);
    }
    std::ranges::sort(made);
    return made;
}

}  // namespace iacctl::language
