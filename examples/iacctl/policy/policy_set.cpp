// SPDX-License-Identifier: BSL-1.0
#include "policy_set.hpp"

#include "language/configuration/file_source.hpp"
#include "messages/policies.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace iacctl::policy {

namespace {

auto has_form(std::string_view name, std::string_view ending) -> bool
{
    return name.ends_with(ending) && name.size() > ending.size() && !name.starts_with('.');
}

}  // namespace

auto policy_set::read(std::vector<std::string> const& directories, infra::diagnostics& problems) -> policy_set
{
    policy_set made;
    infra::diagnostics found;
    for (std::string const& directory : directories) {
        auto names = language::disk().list(directory);
        if (!names) {
            found.add(language::error(messages::policies_unreadable, {directory, names.error().message()}));
            continue;
        }
        std::ranges::sort(*names);
        bool any = false;
        rego_policies rego(directory);
        for (std::string const& name : *names) {
            bool const own = has_form(name, ".policy.hcl");
            if (!own && (!has_form(name, ".rego") || name.ends_with("_test.rego"))) continue;
            any = true;
            auto const file = std::filesystem::path(directory) / name;
            auto text = language::disk().read(file);
            if (!text)
                found.add(language::error(messages::policies_unreadable, {file.string(), text.error().message()}));
            else if (own) made.own_.read(file.string(), std::move(*text), found);
            else rego.read(name, *text, found);
        }
        if (!any) found.add(language::error(messages::policies_missing, {directory}));
        if (!rego.empty()) made.rego_.push_back(std::move(rego));
    }
    // Diagnostics refer to texts of files, which `made` owns.
    problems.add(found);
    return made;
}

auto policy_set::check(planned_run const& run, std::vector<infra::address> const& approved,
    std::function<std::string()> const& document, secrets const& hidden) const -> infra::diagnostics
{
    infra::diagnostics found;
    own_.check(run, approved, found);
    if (!rego_.empty()) {
        auto const text = document();
        for (rego_policies const& one : rego_) one.check(text, hidden, found);
    }
    return found;
}

}  // namespace iacctl::policy
