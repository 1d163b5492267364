// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_HPP

#include "diagnostic.hpp"
#include "references.hpp"
#include "syntax_tree.hpp"
#include "type_constraint.hpp"
#include "value.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// A condition that must hold, with what to say if it does not: validation, precondition, postcondition.
struct check_rule {
    expression condition;
    expression error_message;
    source_range range;
};

struct variable {
    std::string name;
    type_constraint constraint;
    bool has_type = false;
    std::optional<value> default_value;
    std::string description;
    bool sensitive = false;
    bool ephemeral = false;
    bool nullable = true;
    std::vector<check_rule> validations;
    source_range range;

    /// Whether `-var` and environment give it as plain text instead of as an expression.
    [[nodiscard]] bool is_literal() const noexcept { return !has_type || constraint.of.is_primitive(); }
};

struct local_value {
    std::string name;
    expression of;
    source_range range;
};

struct output_value {
    std::string name;
    expression of;
    std::string description;
    bool sensitive = false;
    bool ephemeral = false;
    std::vector<reference> depends_on;
    std::vector<check_rule> preconditions;
    source_range range;
};

enum class provisioner_time : std::uint8_t { create, destroy };
enum class failure_action : std::uint8_t { fail, keep_going };

struct provisioner {
    std::string type;
    provisioner_time when = provisioner_time::create;
    failure_action on_failure = failure_action::fail;
    body content;                    // without the arguments above
    std::optional<body> connection;
    source_range range;
};

struct lifecycle {
    bool create_before_destroy = false;
    bool create_before_destroy_set = false;
    bool prevent_destroy = false;
    bool ignore_all_changes = false;
    std::vector<expression> ignore_changes;      // traversals relative to the resource
    std::vector<expression> replace_triggered_by;
    std::vector<check_rule> preconditions;
    std::vector<check_rule> postconditions;
};

enum class resource_mode : std::uint8_t { managed, data };

struct resource {
    resource_mode mode = resource_mode::managed;
    std::string type;
    std::string name;
    body content;                    // what the resource type itself defines
    expression count;                // empty if absent
    expression for_each;
    std::vector<reference> depends_on;
    std::string provider;            // "local" or "local.alias"; empty if absent
    language::lifecycle lifecycle;
    std::vector<provisioner> provisioners;
    std::optional<body> connection;
    source_range range;
    source_range type_range;

    [[nodiscard]] std::string address() const
    {
        return (mode == resource_mode::data ? "data." : "") + type + "." + name;
    }
};

struct provider_block {
    std::string name;
    std::string alias;
    body content;
    source_range range;
};

struct backend_block {
    std::string type;
    body content;
    source_range range;
    source_range type_range;
};

/// A block that is kept as it was written.
struct raw_block {
    block const* of = nullptr;
    source_range range;
};

struct required_provider {
    std::string source;
    std::string version;
    source_range range;
};

/// The configuration of one module: all `*.tf` files of a directory.
///
/// Everything points into the trees it holds, so it may be moved but outlives none of them.
struct configuration {
    std::filesystem::path directory;
    std::vector<std::shared_ptr<syntax_tree>> files;
    /// Expressions that were written in quotes and read anew.
    std::vector<std::shared_ptr<syntax_tree>> fragments;

    std::map<std::string, variable, std::less<>> variables;
    std::map<std::string, local_value, std::less<>> locals;
    std::map<std::string, output_value, std::less<>> outputs;
    std::map<std::string, resource, std::less<>> resources;  // by address, data sources too
    std::map<std::string, provider_block, std::less<>> providers;  // by name or name.alias

    std::vector<std::pair<std::string, source_range>> required_versions;
    std::map<std::string, required_provider, std::less<>> required_providers;
    std::optional<backend_block> backend;
    std::vector<raw_block> cloud;

    std::map<std::string, raw_block, std::less<>> modules;
    std::vector<raw_block> moved;
    std::vector<raw_block> removed;
    std::vector<raw_block> imports;
    std::vector<raw_block> checks;

    [[nodiscard]] resource const* find_resource(reference const& of) const;
};

/// Loads all `*.tf` files of a directory. What can be said without evaluating anything is said:
/// syntax, unknown blocks and arguments, duplicates, constant arguments. File names in messages are relative
/// to `directory`, as it was given, unless that is ".".
[[nodiscard]] configuration load_configuration(std::filesystem::path const& directory, diagnostics& found);

/// The same from texts, by file name.
[[nodiscard]] configuration load_configuration(std::map<std::string, std::string> const& files, diagnostics& found);

/// Says of each block that this version cannot carry out yet (modules, imports, …) that it cannot.
void refuse_unsupported_blocks(configuration const& of, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_HPP
