// SPDX-License-Identifier: BSL-1.0
#include "language_items.hpp"

#include "schema_index.hpp"

#include <array>

namespace iacctl::lsp {

namespace {

struct entry {
    std::string_view owner;  // empty: the file; "*": a resource, data source, ephemeral resource, action or module
    std::string_view name;
    std::string_view text;
};

constexpr std::array documented_words{
    entry{"", "action", "An operation of a provider, which a change or the option -invoke triggers."},
    entry{"", "check", "Assertions whose failure is a warning."},
    entry{"", "data", "A data source: an object that is read and not managed."},
    entry{"", "dynamic", "Nested blocks of one type, one for each element of a collection."},
    entry{"", "ephemeral", "An ephemeral resource: it is opened for a run and never stored."},
    entry{"", "import", "An existing object that enters state."},
    entry{"", "list", "A query: objects of a type that exist at the provider."},
    entry{"", "locals", "Named values of the module."},
    entry{"", "mock_data", "Values for the computed attributes of a type of data source."},
    entry{"", "mock_provider", "A provider for tests: it manages no real objects."},
    entry{"", "mock_resource", "Values for the computed attributes of a type of resource."},
    entry{"", "module", "A call of another module."},
    entry{"", "moved", "A new address for an object in state."},
    entry{"", "output", "A value that the module returns."},
    entry{"", "override_data", "Values for one data source in tests."},
    entry{"", "override_module", "Outputs for one module in tests, which is not executed."},
    entry{"", "override_resource", "Values for one resource in tests, which is not created."},
    entry{"", "provider", "The configuration of a provider."},
    entry{"", "removed", "An object that leaves state."},
    entry{"", "resource", "An object that is managed."},
    entry{"", "run", "A plan or an apply of the configuration, with its expectations."},
    entry{"", "terraform", "Settings of the module: versions, providers, backend."},
    entry{"", "test", "Settings of the file."},
    entry{"", "variable", "A value that the caller of the module provides."},
    entry{"", "variables", "Values for variables in all runs of the file."},
    entry{"*", "count", "The number of instances. Expressions of an instance refer to its index as count.index."},
    entry{"*", "depends_on", "Objects that this one depends on, in addition to those that its expressions refer to."},
    entry{"*", "for_each",
        "A map or a set of strings with an instance for each element. Expressions of an instance refer to it as "
        "each.key "
        "and each.value."},
    entry{"*", "lifecycle", "Rules for the operations on the object."},
    entry{"*", "provider", "The configuration of the provider, such as aws.west."},
    entry{"*", "provisioner", "An action after the creation of the object, or before its destruction."},
    entry{"*", "connection", "Settings for the connection of provisioners to a machine."},
    entry{"action", "config", "The arguments of the action."},
    entry{"action_trigger", "actions", "The actions to invoke, in this order."},
    entry{"action_trigger", "condition", "A condition: the actions are invoked only if it is true."},
    entry{"action_trigger", "events",
        "Any of before_create, after_create, before_update, after_update, before_destroy and after_destroy."},
    entry{"action_trigger", "on_failure", "The effect of a failed action: halt, taint or continue."},
    entry{"caller", "*", "The object whose change triggers this action."},
    entry{"check", "assert", "A condition with the message for its failure."},
    entry{"check", "data", "A data source that only this check refers to."},
    entry{"count", "*", "The position of an instance among those of count."},
    entry{"count", "index", "The index of the instance, from 0."},
    entry{"dynamic", "content", "The body of each block."},
    entry{"dynamic", "for_each", "A collection with a block for each element."},
    entry{
        "dynamic", "iterator", "The name of the current element in the content. The default is the type of the block."},
    entry{"dynamic", "labels", "Labels of each block."},
    entry{"each", "*", "The element of for_each that an instance is for."},
    entry{"each", "key", "The key of the element of for_each; of a set, the element itself."},
    entry{"each", "value", "The value of the element of for_each; of a set, the element itself."},
    entry{"import", "for_each", "A map or a set of strings with an import for each element."},
    entry{"import", "id", "The identifier that the provider has for the object."},
    entry{"import", "identity", "The attributes that identify the object at the provider, in place of the id."},
    entry{"import", "provider", "The configuration of the provider, such as aws.west."},
    entry{"import", "to", "The address of the resource that receives the object."},
    entry{"lifecycle", "action_trigger", "Actions that changes of the object invoke."},
    entry{"lifecycle", "create_before_destroy", "Creates the new object before the old one is destroyed."},
    entry{"lifecycle", "destroy", "With false, the object is forgotten and not destroyed."},
    entry{"lifecycle", "enabled", "With false, the object does not exist (OpenTofu)."},
    entry{"lifecycle", "ignore_changes", "Attributes whose changes do not cause an update, or all."},
    entry{"lifecycle", "postcondition", "A condition that holds after the object was read or changed."},
    entry{"lifecycle", "precondition", "A condition that holds before the object is read or changed."},
    entry{"lifecycle", "prevent_destroy", "Refuses plans that destroy the object."},
    entry{"lifecycle", "replace_triggered_by", "Objects whose changes replace this one."},
    entry{"module", "providers", "Configurations of providers that the module receives."},
    entry{"module", "lifecycle", "Rules for the module (OpenTofu)."},
    entry{"module", "source",
        "The source of the module: a path that begins with ./ or ../, a module of a registry, or the address of a "
        "package."},
    entry{"module", "version", "Constraints of the version of a module from a registry."},
    entry{"moved", "from", "The address that the object had."},
    entry{"moved", "to", "The address that the object has now."},
    entry{"output", "depends_on", "Objects that the output depends on, in addition to those that its value refers to."},
    entry{"output", "description", "Documentation for the callers of the module."},
    entry{"output", "ephemeral", "The value is never stored."},
    entry{"output", "precondition", "A condition that holds before the output is evaluated."},
    entry{"output", "sensitive", "The value is not shown."},
    entry{"output", "type", "The type that the value is converted to."},
    entry{"output", "value", "The value of the output."},
    entry{"path", "*", "Directories of the configuration."},
    entry{"path", "cwd", "The directory in which the program was started."},
    entry{"path", "module", "The directory of this module."},
    entry{"path", "root", "The directory of the root module."},
    entry{"provider", "alias", "The name of this configuration, if a provider has several."},
    entry{"provider", "for_each", "A map or a set of strings with a configuration for each element (OpenTofu)."},
    entry{"provisioner", "on_failure", "\"continue\" ignores a failure; \"fail\" is the default."},
    entry{"provisioner", "when", "\"destroy\" runs it before the object is destroyed."},
    entry{"removed", "from", "The address of the object."},
    entry{"removed", "lifecycle", "With destroy = false, the object is not destroyed."},
    entry{"run", "assert", "A condition with the message for its failure."},
    entry{"run", "command", "apply, which is the default, or plan."},
    entry{"run", "expect_failures", "Objects whose conditions this run must violate."},
    entry{"run", "module", "The module that this run executes in place of the configuration."},
    entry{"run", "parallel", "The run may execute at the same time as others."},
    entry{"run", "plan_options", "Options of the plan."},
    entry{"run", "providers", "Configurations of providers that this run uses."},
    entry{"run", "state_key", "Runs with the same key have the same state."},
    entry{"run", "variables", "Values for variables in this run."},
    entry{"self", "*", "The object itself, with the values that it has after the operation."},
    entry{"terraform", "*", "Data about the run."},
    entry{"terraform", "applying", "True during an apply, false during a plan."},
    entry{"terraform", "backend", "The storage of state."},
    entry{"terraform", "cloud", "State and runs of HCP Terraform, which iacctl does not support."},
    entry{"terraform", "encryption", "Encryption of states and plans (OpenTofu)."},
    entry{"terraform", "provider_meta", "Data for a provider about this module."},
    entry{"terraform", "required_providers", "Sources and versions of the providers of the module."},
    entry{"terraform", "required_version", "Constraints of the version of the program."},
    entry{"terraform", "workspace", "The name of the workspace."},
    entry{"tofu", "*", "Data about the run (OpenTofu)."},
    entry{"tofu", "applying", "True during an apply, false during a plan (OpenTofu)."},
    entry{"tofu", "workspace", "The name of the workspace (OpenTofu)."},
    entry{"validation", "condition", "An expression that is true for values that are accepted."},
    entry{"validation", "error_message", "The message for a value that is not accepted."},
    entry{"variable", "default", "The value if the caller provides none. Without it, the variable is required."},
    entry{"variable", "description", "Documentation for the callers of the module."},
    entry{"variable", "ephemeral", "The value is never stored."},
    entry{"variable", "nullable", "False: null is replaced by the default."},
    entry{"variable", "sensitive", "The value is not shown."},
    entry{"variable", "type", "The type that values are converted to."},
    entry{"variable", "validation", "A rule for values."},
};

auto find(std::string_view owner, std::string_view name) -> std::string_view
{
    for (auto const& one : documented_words)
        if (one.owner == owner && one.name == name) return one.text;
    return {};
}

}  // namespace

auto language_documentation(std::string_view owner, std::string_view name) -> std::string_view
{
    auto const text = find(owner, name);
    bool const object =
        owner == "resource" || owner == "data" || owner == "ephemeral" || owner == "action" || owner == "module";
    return text.empty() && object ? find("*", name) : text;
}

auto language_item(std::string_view owner, std::string_view name, bool is_block, std::size_t labels) -> body_item
{
    body_item made;
    made.name = name;
    made.is_block = is_block;
    made.labels = labels;
    made.documentation = language_documentation(owner, name);
    return made;
}

auto language_items(std::string_view owner) -> std::vector<body_item>
{
    std::vector<body_item> made;
    for (auto const& one : documented_words)
        if (one.owner == owner) made.push_back(language_item(owner, one.name, one.name == "content", 0));
    return made;
}

}  // namespace iacctl::lsp
