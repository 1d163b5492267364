// SPDX-License-Identifier: BSL-1.0
#include "root_module.hpp"

#include "encryption.hpp"
#include "language/configuration/variables.hpp"
#include "messages/configuration.hpp"

#include <vector>

namespace iacctl::workspace {

namespace {

auto collect(settings const& s, language::configuration const& root, infra::diagnostics& found)
    -> language::variable_values
{
    language::variable_inputs inputs;
    inputs.options = s.variables;
    inputs.environment = s.environment;
    inputs.directory = s.directory;
    return language::collect_variables(root, inputs, found);
}

}  // namespace

auto load_options_of(settings const& s) -> language::load_options
{
    auto const variables = [s](language::configuration const& root) {
        infra::diagnostics ignored;
        return collect(s, root, ignored).values;
    };
    return {variables, s.workspace, s.reads_queries};
}

auto root_module::state_place(infra::diagnostics& found) const -> language::configuration const&
{
    if (!state_place_) {
        state_place_.emplace();
        state_place_->content =
            language::load_state_place(settings_.directory, state_place_->found, settings_.configuration_files());
    }
    found.add(state_place_->found);
    return state_place_->content;
}

auto root_module::configuration() const -> language::configuration const&
{
    if (!whole_) {
        whole_.emplace();
        language::load_options const early{[this](language::configuration const& root) { return variables_of(root); },
            settings_.workspace, settings_.reads_queries};
        whole_->content =
            language::load_configuration(settings_.directory, whole_->found, early, settings_.configuration_files());
    }
    return whole_->content;
}

auto root_module::take_configuration(infra::diagnostics& found) const -> language::configuration
{
    (void)configuration();
    // A wrong value of a variable may be the reason why an expression is not known early enough.
    auto const wrong = whole_->found.has_errors() && variables_ ? wrong_values() : infra::diagnostics{};
    found.add(wrong);
    for (infra::diagnostic const& one : whole_->found)
        if (wrong.empty() || one.code != messages::static_value_unknown.code) found.add(one);
    auto taken = std::move(whole_->content);
    whole_.reset();
    variables_.reset();
    return taken;
}

auto root_module::variables_of(language::configuration const& root) const -> variable_map const&
{
    if (!variables_) {
        infra::diagnostics found;
        auto made = collect(settings_, root, found);
        variables_ = collected{std::move(made.values), found};
    }
    return variables_->values;
}

auto root_module::check_variables() const -> infra::diagnostics
{
    if (settings_.variables.empty()) return {};
    (void)variables();
    return wrong_values();
}

auto root_module::wrong_values() const -> infra::diagnostics
{
    bool const all_declared = whole_->content.all_declared;
    auto const concerns_values = [&](infra::diagnostic const& problem) {
        return problem.level == infra::severity::error && problem.code != messages::missing_variable_value.code
            && (all_declared || problem.code != messages::undeclared_variable_in_option.code);
    };
    infra::diagnostics wrong;
    for (infra::diagnostic const& one : variables_->found)
        if (concerns_values(one)) wrong.add(one);
    return wrong;
}

auto root_module::encryption() const -> expected<std::shared_ptr<encryption::targets const>>
{
    if (!encryption_) encryption_ = read_encryption(*this);
    return *encryption_;
}

}  // namespace iacctl::workspace
