// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_BLOCK_SHAPES_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_BLOCK_SHAPES_HPP

#include "language/syntax/body_shape.hpp"

/// The parts of the kinds of blocks that do not depend on a resource type.
namespace iacctl::language::detail::shapes {

extern body_shape const encryption;
extern body_shape const terraform;
extern body_shape const rule;
extern body_shape const variable;
extern body_shape const output;
extern body_shape const lifecycle;
extern body_shape const provisioner;
extern body_shape const resource;
extern body_shape const data;
extern body_shape const ephemeral;
extern body_shape const action;
extern body_shape const list;
extern body_shape const action_trigger;
extern body_shape const provider;
extern body_shape const compatible_with;
extern body_shape const language;
extern body_shape const module;
extern body_shape const module_lifecycle;
extern body_shape const moved;
extern body_shape const import;
extern body_shape const removed;
extern body_shape const removed_lifecycle;
extern body_shape const check;
extern body_shape const file;
extern body_shape const query_file;
extern body_shape const test_settings;
extern body_shape const test_plan_options;
extern body_shape const test_module;
extern body_shape const test_values;
extern body_shape const test_outputs;
extern body_shape const test_mock;
extern body_shape const test_mocks;
extern body_shape const test_mock_provider;
extern body_shape const test_run;
extern body_shape const test_file;

}  // namespace iacctl::language::detail::shapes

#endif  // IACCTL_LANGUAGE_CONFIGURATION_BLOCK_SHAPES_HPP
