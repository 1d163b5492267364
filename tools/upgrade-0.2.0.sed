# SPDX-License-Identifier: BSL-1.0
# Renames in a program that uses 0.1.0: sed -E -i -f tools/upgrade-0.2.0.sed FILE...
# Run it once per file. CHANGELOG.md lists the changes that need editing by hand.
s#<strider/transform\.hpp>#<strider/lifecycle.hpp>#g
s#strider/transform/(destroy_policy|destroy_split|forced_cbd|cbd_inversion)\.hpp#strider/lifecycle/\1.hpp#g
s#strider/transform/vertex_naming\.hpp#strider/core/vertex_naming.hpp#g
s#strider/walk/class_limits\.hpp#strider/walk/resource_pools.hpp#g
s#strider/walk/heaviest_first\.hpp#strider/walk/priority_first.hpp#g
s#strider/algorithm/in_degree\.hpp#strider/algorithm/dependency_count.hpp#g
s#strider/infra/(action|address|checks|dependency_set|diagnostics|event|lifecycle|object|plan_options|selection|snapshot)\.hpp#strider/infra/model/\1.hpp#g
s#strider/infra/(evaluation_scope|execution|execution_limits)\.hpp#strider/infra/program/\1.hpp#g
s#strider/infra/(journal|journal_entry)\.hpp#strider/infra/journal/\1.hpp#g
s#strider/infra/(declared_dependencies|dependency_tables|graph_builder|graph_tables|nodes|overruled_cbd|policies|prior_instances|recorded_cbd|stages)\.hpp#strider/infra/graph/\1.hpp#g
s#strider/infra/(data_planner|data_reader|instance_planner|moves|object_reader|plan|plan_conditions|plan_findings|plan_moves|plan_visitor)\.hpp#strider/infra/plan/\1.hpp#g
s#strider/infra/(apply|apply_report|change_applier|operation_runner)\.hpp#strider/infra/apply/\1.hpp#g
s#strider/infra/pending_settler\.hpp#strider/infra/plan/recover_pending.hpp#g
s#strider/infra/instance_lanes\.hpp#strider/infra/plan/concurrency_limiter.hpp#g
s#strider/infra/left_out\.hpp#strider/infra/apply/unchanged.hpp#g
s#strider/infra/declared_resources\.hpp#strider/infra/program/declaration_index.hpp#g
s/\bwalk_options<(strider::)?(worker_handlers|work_stealing_scheduler)>/walk_options<>/g
s/\bwalk_options<(strider::)?(worker_handlers|work_stealing_scheduler), /walk_options</g
s/\.(control|scheduler) = \{([^{}]*)\}/\2/g
s/\bsharing::unknown\b/visit_granularity::coarse/g
s/\bsharing::tiny\b/visit_granularity::fine/g
s/\bsharing::adaptive\b/visit_granularity::adaptive/g
s/\bcaller_works\b/caller_helps/g
s/\bclass_limits\b/resource_pools/g
s/\bclass_limit\b/resource_pool/g
s/\blimit_policy\b/pool_policy/g
s/\bheaviest_first\b/priority_first/g
s/\bremaining_weight\b/bottom_levels/g
s/\bsame_order\b/equal_reachability/g
s/\breaches\(/has_path(/g
s/\bis_cyclic\(/is_nontrivial(/g
s/\.in_degree\(/.dependency_count(/g
s/\bin_degree\(([^(),]*)\)/dependency_counts(\1)/g
s/\bin_degree\(/dependency_count(/g
s/\.(of_class)\b/.id/g
s/\bedge_origin::(reference|explicit_dependency|own_destroyer|after_destruction_of_dependency|destroy_order|after_destruction_of_dependent|cbd_inversion|scope_begin|scope_close|expansion|join|root|unspecified)\b/edge_rules::\1/g
s/\bedge_origin::rule\b/edge_rule/g
s/\bproperty::(forced_cbd|destroy_split|cbd_inversion|scope_boundaries|targeted|pruned|reduced|single_root|acyclic)\b/properties::\1/g
s/\bchecked</expected</g
s/\binfra::checked\b/infra::expected/g
s/\bpending_settler\b/recover_pending/g
s/\binstance_lanes\b/concurrency_limiter/g
s/\bleft_out_instance\b/unchanged_instance/g
s/\binstances_left_out\b/unchanged_instances/g
s/\bis_left_out\b/is_unselected/g
s/(walk_options|options)(<[^>]*>)?(\{[^}]*)\.limit = /\1\2\3.max_concurrency = /g
s/(walk_options|options)(<[^>]*>)?(\{[^}]*)\.deadline = /\1\2\3.timeout = /g
s/\{\.limit = /{.max_concurrency = /g
s/\{\.deadline = /{.timeout = /g
s/\boptions\.limit\b/options.max_concurrency/g
s/\boptions\.deadline\b/options.timeout/g
s/\boptions\.control\./options./g
s/(resource_pool\{[^}]*)\.limit = /\1.capacity = /g
s/\.share = visit_granularity/.granularity = visit_granularity/g
s/\.share = (strider::)visit_granularity/.granularity = \1visit_granularity/g
s/\.request\(((boost::)?asio::cancellation_type)/.cancel(\1/g
s/\bstatic constexpr (strider::)?property (needs|excludes|establishes|invalidates) = (strider::)?property::none;/using \2 = \1property_list<>;/g
s/\bstatic constexpr (strider::)?property (needs|excludes|establishes|invalidates) = ([a-z_:| ]*);/using \2 = \1property_list<\3>;/g
:properties
s/(property_list<[a-z_:, ]*) \| /\1, /
t properties
s/\bhold_back_checks\b/order_checks_last/g
s/\badd_unwanted\b/add_orphan_vertices/g
s/\bkeep_what_changes_need\b/keep_dependencies_of_changes/g
s/\bdrop_idle_providers\b/drop_unused_providers/g
s/\btarget_choice\b/target_selection/g
s/\bgo_on_after_failure\b/continue_on_failure/g
s/\bjournal(\.|->)poison\(\)/journal\1error()/g
s/\bmisbehaviour::gives_nothing\b/contract_violation::returns_nothing/g
s/\bmisbehaviour::gives_object\b/contract_violation::returns_object/g
s/\bmisbehaviour::leaves_unknown\b/contract_violation::returns_unknown/g
s/\bmisbehaviour::changes_mind\b/contract_violation::is_inconsistent/g
s/\bmisbehaviour\b/contract_violation/g
s/\bmisbehave\(/violate_contract(/g
s/\blose_memory\(/forget_operations(/g
s/\blose_provider\(/remove_provider(/g
s/\bturn_the_page\(/start_new_log(/g
s/\bcloud\.alter\(/cloud.change_outside(/g
s/\bcloud\.found\(/cloud.create_outside(/g
s/\bcloud\.lose\(/cloud.destroy_outside(/g
s/\bkept_state\b/durable_state/g
s#strider/walk/hand_stepped\.hpp#strider/walk/is_manual_executor.hpp#g
s/\bis_hand_stepped_v\b/is_manual_executor_v/g
s/\bis_hand_stepped\b/is_manual_executor/g
s/\baction_call\b/invocation_context/g
s/\bcloud::thing\b/cloud::resource/g
s/\.things\(\)/.resources()/g
s#strider/core/frozen_digraph\.hpp#strider/core/dag.hpp#g
s#strider/algorithm/depth_first\.hpp#strider/algorithm/views.hpp#g
s#strider/algorithm/transitive_reduction\.hpp#strider/algorithm/redundant_edges.hpp#g
s#strider/transform/reduce\.hpp#strider/transform/transitive_reduction.hpp#g
s/\bfrozen_digraph\b/dag/g
s/\bfrozen_graph\b/acyclic_graph/g
s/\bis_frozen\b/is_acyclic/g
s/\btransitive_dependencies\(/views::ancestors(/g
s/\btransitive_dependents\(/views::descendants(/g
s/\bstrider::reduce\b/strider::transitive_reduction/g
s/\breduce\{\}/transitive_reduction{}/g
s/\.others\(\)/.not_done()/g
s/(\.|->)(add_edge|erase_edge|has_edge|origin)\(([^(),]+), ([^(),]+)(\)|,)/\1\2(\3, depends_on(\4)\5/g
s#strider/walk/asio_(execution|groups|handlers|streams|timers)\.hpp#strider/walk/asio.hpp#g
s#strider/walk/(context_clock|is_manual_executor|strand_executor|walk_executor)\.hpp#strider/walk/executor.hpp#g
s#strider/walk/clock_timer\.hpp#strider/walk/clock.hpp#g
s#strider/walk/(async_visitor|visit_handle)\.hpp#strider/walk/visitor.hpp#g
s#strider/walk/priority_first\.hpp#strider/walk/ready_queue.hpp#g
s#strider/walk/(chrome_trace|timeline)\.hpp#strider/walk/trace.hpp#g
s#strider/walk/trace_events\.hpp#strider/walk/walk_times.hpp#g
s#strider/walk/value_handle\.hpp#strider/walk/dependency_values.hpp#g
s#strider/walk/value_cache\.hpp#strider/walk/visit_values.hpp#g
s#strider/walk/growing_graph\.hpp#strider/walk/growing_digraph.hpp#g
s/\b(strider::)?infra::expected<(([^<>]|<([^<>]|<[^<>]*>)*>)*)>/strider::result<\2, \1infra::failure>/g
s/\bvertex_map<([^<>,]+|[^<>,]+<[^<>]*>), ((strider::)?(draft_)?vertex_id)>/basic_vertex_map<\2, \1>/g
s/\b(strider::)?dag<[^<>]*(<[^<>]*>)?>::from\(/\1freeze(/g
