// SPDX-License-Identifier: BSL-1.0
#include "file_names.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace iacctl::language {

namespace {

constexpr std::array<std::string_view, 4> test_endings{
    ".tftest.hcl", ".tftest.json", ".tofutest.hcl", ".tofutest.json"};

}  // namespace

auto configuration_file_name::parse(std::string_view name) noexcept -> std::optional<configuration_file_name>
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

auto configuration_file_name::is_override() const noexcept -> bool
{
    return base.ends_with("_override") || base == "override" || base.ends_with("/override");
}

auto is_query_file(std::string_view name) noexcept -> bool
{
    bool const hidden = name.substr(name.rfind('/') + 1).starts_with('.');
    return !hidden && (name.ends_with(".tfquery.hcl") || name.ends_with(".tfquery.json"));
}

auto is_test_file(std::string_view name) noexcept -> bool
{
    return std::ranges::any_of(test_endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

auto test_files(std::vector<std::string> names) -> std::vector<std::string>
{
    std::erase_if(names, [](std::string const& name) {
        bool const temporary = name.ends_with('~') || (name.starts_with('#') && name.ends_with('#'));
        return name.starts_with('.') || temporary || !is_test_file(name);
    });
    std::ranges::sort(names);
    auto const is_replaced = [&](std::string const& name) {
        auto const at = name.rfind(".tftest.");
        return at != std::string::npos
            && std::ranges::binary_search(names, name.substr(0, at) + ".tofutest." + name.substr(at + 8));
    };
    std::vector<std::string> made;
    std::ranges::copy_if(names, std::back_inserter(made), std::not_fn(is_replaced));
    return made;
}

auto configuration_files(std::vector<std::string> names) -> std::vector<std::string>
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
