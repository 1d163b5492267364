// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_HPP
#define STRIDER_INFRA_HPP

#include <strider/infra/action.hpp>
#include <strider/infra/address.hpp>
#include <strider/infra/apply.hpp>
#include <strider/infra/apply_report.hpp>
#include <strider/infra/change_applier.hpp>
#include <strider/infra/change_set.hpp>
#include <strider/infra/concepts.hpp>
#include <strider/infra/data_planner.hpp>
#include <strider/infra/declared_dependencies.hpp>
#include <strider/infra/dependency_set.hpp>
#include <strider/infra/dependency_tables.hpp>
#include <strider/infra/diagnostics.hpp>
#include <strider/infra/engine.hpp>
#include <strider/infra/evaluation_scope.hpp>
#include <strider/infra/event.hpp>
#include <strider/infra/execution.hpp>
#include <strider/infra/execution_limits.hpp>
#include <strider/infra/graph_builder.hpp>
#include <strider/infra/instance_lanes.hpp>
#include <strider/infra/instance_planner.hpp>
#include <strider/infra/journal.hpp>
#include <strider/infra/journal_entry.hpp>
#include <strider/infra/left_out.hpp>
#include <strider/infra/lifecycle.hpp>
#include <strider/infra/moves.hpp>
#include <strider/infra/nodes.hpp>
#include <strider/infra/object.hpp>
#include <strider/infra/object_reader.hpp>
#include <strider/infra/operation_runner.hpp>
#include <strider/infra/overruled_cbd.hpp>
#include <strider/infra/plan.hpp>
#include <strider/infra/plan_conditions.hpp>
#include <strider/infra/plan_findings.hpp>
#include <strider/infra/plan_moves.hpp>
#include <strider/infra/plan_options.hpp>
#include <strider/infra/plan_visitor.hpp>
#include <strider/infra/policies.hpp>
#include <strider/infra/prior_instances.hpp>
#include <strider/infra/recorded_cbd.hpp>
#include <strider/infra/snapshot.hpp>
#include <strider/infra/stages.hpp>

#endif  // STRIDER_INFRA_HPP
