// SPDX-License-Identifier: BSL-1.0
// The options -executor and -place, and the block "placement" of the CLI configuration.
#include "placement.hpp"

#include "base/characters.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "packages/cli_configuration.hpp"
#include "providers/built_in/perform.hpp"
#include "providers/operation.hpp"
#include "slurm/slurm_executor.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::commands {

namespace infra = strider::infra;

namespace {

using strider::infra::resource_mode;

constexpr std::string_view commands_of_provisioners = "local-exec";

// Labels by type. Empty: all work is done on this machine.
using places = std::map<std::string, std::string, std::less<>>;

auto problem_with(std::string_view type, std::string_view label) -> std::optional<infra::diagnostic>
{
    bool const is_feature = !label.empty()
        && std::ranges::all_of(label, [](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; });
    if (type.empty() || !is_feature)
        return make_error(messages::place_malformed, {std::string(type) + '=' + std::string(label)});
    std::string_view const data = prefix_of(resource_mode::data);
    bool const placeable = type == commands_of_provisioners
        || (type.starts_with(data) ? providers::can_be_placed(resource_mode::data, type.substr(data.size()))
                                   : providers::can_be_placed(resource_mode::managed, type));
    if (!placeable) return make_error(messages::place_unsupported, {type});
    return std::nullopt;
}

auto places_of(placement_options const& options, packages::cli_configuration const& settings) -> expected<places>
{
    places made;
    for (std::string const& place : options.places) {
        auto const sign = place.find('=');
        if (sign == std::string::npos) return infra::failure(make_error(messages::place_malformed, {place}));
        auto const [at, added] = made.emplace(place.substr(0, sign), place.substr(sign + 1));
        if (auto const problem = problem_with(at->first, place.substr(sign + 1))) return infra::failure(*problem);
        if (!added && at->second != place.substr(sign + 1))
            return infra::failure(make_error(messages::place_repeated, {at->first}));
    }
    std::string executor = options.executor;
    if (auto const& placement = settings.placement) {
        for (auto const& [type, label] : placement->places) {
            if (auto const problem = problem_with(type, label)) return infra::failure(*problem);
            made.emplace(type, label);
        }
        if (executor.empty()) executor = placement->executor;
    }
    if (executor == "slurm") {
        if (made.empty()) return infra::failure(make_error(messages::executor_without_place));
        return made;
    }
    if (!options.places.empty()) return infra::failure(make_error(messages::place_without_executor));
    return places();
}

// The types whose operations run on nodes of a cluster.
class placed_types final : public providers::operation_runner {
public:
    placed_types(places where, std::shared_ptr<slurm::slurm_executor> by)
        : places_(std::move(where)),
          by_(std::move(by))
    {}
    [[nodiscard]] auto has(resource_mode mode, std::string_view type) const -> bool override
    {
        return places_.contains(std::string(prefix_of(mode)) + std::string(type));
    }
    [[nodiscard]] auto perform(providers::operation o) -> providers::task<providers::operation_outcome> override
    {
        bool const reads = o.kind == providers::operation::kind_type::read_data;
        std::string const type = std::string(prefix_of(reads ? resource_mode::data : resource_mode::managed)) + o.type;
        return by_->perform(places_.find(type)->second, std::move(o));
    }

private:
    places places_;
    std::shared_ptr<slurm::slurm_executor> by_;
};

}  // namespace

auto placement_problems(placement_options const& options) -> infra::diagnostics
{
    auto const settings = packages::cli_configuration::load();
    if (!settings) return settings.error().why();
    auto const made = places_of(options, *settings);
    return made ? infra::diagnostics() : made.error().why();
}

auto place_work(placement_options const& options, workspace::settings& s) -> infra::diagnostics
{
    auto const settings = packages::cli_configuration::load();
    if (!settings) return {};  // the search for providers reports the errors
    auto where = places_of(options, *settings);
    if (!where) return where.error().why();
    if (where->empty()) return {};
    auto executor = std::make_shared<slurm::slurm_executor>();
    if (auto const commands = where->find(commands_of_provisioners); commands != where->end())
        s.run_provisioner = [executor, label = commands->second](
                                child_command command, std::function<bool(std::string_view)> output) {
            return executor->run(label, std::move(command), std::move(output));
        };
    s.placed = std::make_shared<placed_types>(std::move(*where), std::move(executor));
    return {};
}

}  // namespace iacctl::commands
