// SPDX-License-Identifier: BSL-1.0
#include "block_shapes.hpp"

namespace iacctl::language::detail::shapes {

// Deeper fallbacks are not supported in JSON syntax.
body_shape const encryption_fallback_2{{{"method", true}}, {{"fallback", {}}}};
body_shape const encryption_fallback{{{"method", true}}, {{"fallback", {}, &encryption_fallback_2}}};
body_shape const encryption_target{{{"method"}, {"enforced"}}, {{"fallback", {}, &encryption_fallback}}};
body_shape const encryption_of_states{
    {}, {{"default", {}, &encryption_target}, {"remote_state_data_source", {"name"}, &encryption_target}}};
body_shape const encryption{{},
    {{"key_provider", {"type", "name"}}, {"method", {"type", "name"}}, {"state", {}, &encryption_target},
        {"plan", {}, &encryption_target}, {"remote_state_data_sources", {}, &encryption_of_states}}};
body_shape const terraform{{{"required_version"}, {"experiments"}, {"language"}},
    {{"backend", {"type"}}, {"cloud", {}}, {"required_providers", {}}, {"provider_meta", {"provider"}},
        {"encryption", {}, &encryption}}};

body_shape const rule{{{"condition", true}, {"error_message", true}}, {}};
body_shape const variable{
    {{"description"}, {"default"}, {"type"}, {"sensitive"}, {"ephemeral"}, {"nullable"}, {"const"}, {"deprecated"}},
    {{"validation", {}, &rule}}};

body_shape const output{
    {{"description"}, {"value", true}, {"depends_on"}, {"sensitive"}, {"ephemeral"}, {"type"}, {"deprecated"}},
    {{"precondition", {}, &rule}, {"postcondition", {}, &rule}}};

body_shape const action_trigger{{{"events", true}, {"condition"}, {"actions", true}, {"on_failure"}}, {}};
body_shape const lifecycle{{{"create_before_destroy"}, {"prevent_destroy"}, {"destroy"}, {"enabled"},
                               {"ignore_changes"}, {"replace_triggered_by"}},
    {{"precondition", {}, &rule}, {"postcondition", {}, &rule}, {"action_trigger", {}, &action_trigger}}};
body_shape const provisioner{{{"when"}, {"on_failure"}}, {{"connection", {}}, {"lifecycle", {}}, {"_", {}}}};
body_shape const resource{{{"count"}, {"for_each"}, {"provider"}, {"depends_on"}},
    {{"locals", {}}, {"lifecycle", {}, &lifecycle}, {"connection", {}}, {"provisioner", {"type"}, &provisioner},
        {"_", {}}}};
body_shape const data{{{"count"}, {"for_each"}, {"provider"}, {"depends_on"}},
    {{"lifecycle", {}, &lifecycle}, {"locals", {}}, {"_", {}}}};
body_shape const ephemeral{{{"count"}, {"for_each"}, {"provider"}, {"depends_on"}},
    {{"lifecycle", {}, &lifecycle}, {"locals", {}}, {"_", {}}}};
body_shape const action{{{"count"}, {"for_each"}, {"provider"}}, {{"config", {}}}};
body_shape const list{{{"count"}, {"for_each"}, {"provider", true}}, {}};
body_shape const provider{{{"version"}, {"alias"}, {"count"}, {"depends_on"}, {"for_each"}, {"source"}},
    {{"_", {}}, {"lifecycle", {}}, {"locals", {}}}};
body_shape const module_lifecycle{{{"enabled"}}, {}};
body_shape const module{{{"source", true}, {"version"}, {"count"}, {"for_each"}, {"depends_on"}, {"providers"}},
    {{"_", {}}, {"lifecycle", {}, &module_lifecycle}, {"locals", {}}, {"provider", {"type"}}}};
body_shape const moved{{{"from", true}, {"to", true}}, {}};
body_shape const import{{{"provider"}, {"for_each"}, {"id"}, {"identity"}, {"to", true}}, {}};
body_shape const removed{
    {{"from", true}}, {{"lifecycle", {}}, {"connection", {}}, {"provisioner", {"type"}, &provisioner}}};
body_shape const removed_lifecycle{{{"destroy"}}, {}};
body_shape const check{{}, {{"data", {"type", "name"}, &data}, {"assert", {}, &rule}}};

// Other programs may have arguments of their own in `compatible_with`.
body_shape const language{{{"edition"}, {"experiments"}}, {{"compatible_with", {}}}};

body_shape const file{{},
    {{"language", {}, &language}, {"terraform", {}, &terraform}, {"required_providers", {}},
        {"provider", {"name"}, &provider}, {"variable", {"name"}, &variable}, {"locals", {}},
        {"output", {"name"}, &output}, {"module", {"name"}, &module}, {"resource", {"type", "name"}, &resource},
        {"data", {"type", "name"}, &data}, {"ephemeral", {"type", "name"}, &ephemeral}, {"moved", {}, &moved},
        {"import", {}, &import}, {"check", {"name"}, &check}, {"removed", {}, &removed},
        {"action", {"type", "name"}, &action}, {"list", {"type", "name"}}}};

body_shape const query_file{{},
    {{"list", {"type", "name"}, &list}, {"locals", {}}, {"provider", {"name"}, &provider},
        {"variable", {"name"}, &variable}}};

body_shape const test_settings{{{"parallel"}, {"skip_cleanup"}}, {}};
body_shape const test_plan_options{{{"mode"}, {"refresh"}, {"replace"}, {"target"}}, {}};
body_shape const test_module{{{"source", true}, {"version"}}, {}};
body_shape const test_values{{{"target", true}, {"values"}, {"override_during"}}, {}};
body_shape const test_outputs{{{"target", true}, {"outputs"}, {"override_during"}}, {}};
body_shape const test_mock{{{"defaults"}, {"override_during"}}, {}};
body_shape const test_mocks{{},
    {{"mock_resource", {"type"}, &test_mock}, {"mock_data", {"type"}, &test_mock},
        {"override_resource", {}, &test_values}, {"override_data", {}, &test_values}}};
body_shape const test_mock_provider{{{"alias"}, {"source"}, {"override_during"}}, test_mocks.blocks};
body_shape const test_run{
    {{"command"}, {"expect_failures"}, {"parallel"}, {"providers"}, {"skip_cleanup"}, {"state_key"}},
    {{"assert", {}, &rule}, {"backend", {"type"}}, {"module", {}, &test_module}, {"override_data", {}, &test_values},
        {"override_module", {}, &test_outputs}, {"override_resource", {}, &test_values},
        {"plan_options", {}, &test_plan_options}, {"variables", {}}}};
body_shape const test_file{{},
    {{"mock_provider", {"name"}, &test_mock_provider}, {"override_data", {}, &test_values},
        {"override_module", {}, &test_outputs}, {"override_resource", {}, &test_values},
        {"provider", {"name"}, &provider}, {"run", {"name"}, &test_run}, {"test", {}, &test_settings},
        {"variable", {"name"}, &variable}, {"variables", {}}}};

}  // namespace iacctl::language::detail::shapes
