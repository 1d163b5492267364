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
    entry{"", "locals", "Named values of the module."},
    entry{"", "module", "A call of another module."},
    entry{"", "moved", "A new address for an object in state."},
    entry{"", "output", "A value that the module returns."},
    entry{"", "provider", "The configuration of a provider."},
    entry{"", "removed", "An object that leaves state."},
    entry{"", "resource", "An object that is managed."},
    entry{"", "terraform", "Settings of the module: versions, providers, backend."},
    entry{"", "variable", "A value that the caller of the module provides."},
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
    entry{"check", "assert", "A condition with the message for its failure."},
    entry{"check", "data", "A data source that only this check refers to."},
    entry{"dynamic", "content", "The body of each block."},
    entry{"dynamic", "for_each", "A collection with a block for each element."},
    entry{
        "dynamic", "iterator", "The name of the current element in the content. The default is the type of the block."},
    entry{"dynamic", "labels", "Labels of each block."},
    entry{"import", "for_each", "A map or a set of strings with an import for each element."},
    entry{"import", "id", "The identifier that the provider has for the object."},
    entry{"import", "to", "The address of the resource that receives the object."},
    entry{"lifecycle", "action_trigger", "Actions that changes of the object invoke."},
    entry{"lifecycle", "create_before_destroy", "Creates the new object before the old one is destroyed."},
    entry{"lifecycle", "ignore_changes", "Attributes whose changes do not cause an update, or all."},
    entry{"lifecycle", "postcondition", "A condition that holds after the object was read or changed."},
    entry{"lifecycle", "precondition", "A condition that holds before the object is read or changed."},
    entry{"lifecycle", "prevent_destroy", "Refuses plans that destroy the object."},
    entry{"lifecycle", "replace_triggered_by", "Objects whose changes replace this one."},
    entry{"module", "providers", "Configurations of providers that the module receives."},
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
    entry{"output", "value", "The value of the output."},
    entry{"provider", "alias", "The name of this configuration, if a provider has several."},
    entry{"provisioner", "on_failure", "\"continue\" ignores a failure; \"fail\" is the default."},
    entry{"provisioner", "when", "\"destroy\" runs it before the object is destroyed."},
    entry{"removed", "from", "The address of the object."},
    entry{"removed", "lifecycle", "With destroy = false, the object is not destroyed."},
    entry{"terraform", "backend", "The storage of state."},
    entry{"terraform", "provider_meta", "Data for a provider about this module."},
    entry{"terraform", "required_providers", "Sources and versions of the providers of the module."},
    entry{"terraform", "required_version", "Constraints of the version of the program."},
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
