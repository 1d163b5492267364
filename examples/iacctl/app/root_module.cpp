// SPDX-License-Identifier: BSL-1.0
#include "root_module.hpp"

#include "encryption.hpp"
#include "language/configuration/variables.hpp"

namespace iacctl::app {

auto load_options_of(settings const& of) -> language::load_options
{
    auto const variables = [of](language::configuration const& root) {
        language::diagnostics ignored;
        language::variable_inputs inputs;
        inputs.options = of.variables;
        inputs.environment = of.environment;
        inputs.directory = of.directory;
        return language::collect_variables(root, inputs, ignored).values;
    };
    return {variables, of.workspace, of.reads_queries};
}

auto root_module::state_place(language::diagnostics& found) const -> language::configuration const&
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
        whole_->content = language::load_configuration(
            settings_.directory, whole_->found, load_options_of(settings_), settings_.configuration_files());
    }
    return whole_->content;
}

auto root_module::take_configuration(language::diagnostics& found) const -> language::configuration
{
    (void)configuration();
    found.add(whole_->found);
    auto taken = std::move(whole_->content);
    whole_.reset();
    return taken;
}

auto root_module::encryption() const -> infra::expected<std::shared_ptr<encryption::targets const>>
{
    if (!encryption_) encryption_ = read_encryption(*this);
    return *encryption_;
}

}  // namespace iacctl::app
