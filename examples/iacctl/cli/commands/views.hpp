// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_VIEWS_HPP
#define IACCTL_CLI_COMMANDS_VIEWS_HPP

#include "providers/catalog.hpp"
#include "views/plan_view.hpp"
#include "workspace/plan_file.hpp"
#include "workspace/program/hcl_program.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace infra = strider::infra;

/// The schemas of a catalog in the format of the user interface. They exist as long as this object.
class schema_views {
public:
    explicit schema_views(std::shared_ptr<providers::catalog const> c) : catalog_(std::move(c)) {}

    [[nodiscard]] auto catalog() const noexcept -> providers::catalog const& { return *catalog_; }
    /// Returns the schema of a type; null: the provider does not have it.
    [[nodiscard]] auto find(std::string_view provider, infra::address const& given) -> views::resource_schema const*;

private:
    std::shared_ptr<providers::catalog const> catalog_;
    std::map<providers::type_schema const*, views::resource_schema> made_;
};

/// State for display. Unreadable parts are omitted and reported in `problems`. \pre `schemas` outlives the view
[[nodiscard]] auto view_of(infra::snapshot const& state, schema_views& schemas, infra::diagnostics& problems)
    -> views::state_view;

/// Only the outputs of a state.
[[nodiscard]] auto outputs_of(infra::snapshot const& state, infra::diagnostics& problems)
    -> std::vector<views::output_view>;

/// The objects of a plan that are shown: all of them, or those that an apply processes.
enum class shown_changes : std::uint8_t { all, to_be_made };

/// A plan for display, without the state before it, which only JSON shows. \pre `schemas` outlives the view
[[nodiscard]] auto view_of(workspace::saved_plan const& saved, schema_views& schemas,
    shown_changes which = shown_changes::all) -> views::plan_view;

/// The attributes that affected a plan.
[[nodiscard]] auto relevant_of(program::hcl_program const& desired, workspace::saved_plan const& saved)
    -> std::vector<views::relevant_attribute>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_VIEWS_HPP
