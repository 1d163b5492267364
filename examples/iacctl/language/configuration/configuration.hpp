// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_CONFIGURATION_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_CONFIGURATION_HPP

#include "dialect.hpp"
#include "file_source.hpp"
#include "language/evaluation/type_constraint.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/references.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "language/values/value.hpp"
#include "module_finder.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iacctl::language {

class scope;

/// A condition that must hold, with the message if it does not: validation, precondition, postcondition.
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
    std::optional<bool> constant;   // if it has a value before anything is planned
    std::optional<std::string> deprecated;
    std::vector<check_rule> validations;
    source_range range;

    [[nodiscard]] auto marks() const noexcept -> mark
    {
        return (sensitive ? mark::sensitive : mark::none) | (ephemeral ? mark::ephemeral : mark::none);
    }
    /// Returns whether `-var` and the environment give the value as plain text instead of as an expression.
    [[nodiscard]] auto is_literal() const noexcept -> bool { return !has_type || constraint.of.is_primitive(); }
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
    std::optional<type_constraint> constraint;
    std::optional<std::string> deprecated;
    std::vector<reference> depends_on;
    std::vector<check_rule> preconditions;
    source_range range;

    [[nodiscard]] auto marks() const noexcept -> mark
    {
        return (sensitive ? mark::sensitive : mark::none) | (ephemeral ? mark::ephemeral : mark::none);
    }
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

/// The connection of a provisioner. Arguments of its own block precede those of its resource. Nothing: there is no block.
[[nodiscard]] auto connection_of(provisioner const& p, std::optional<body> const& of_resource) -> std::optional<body>;

enum class action_event : std::uint8_t {
    before_create,
    after_create,
    before_update,
    after_update,
    before_destroy,
    after_destroy
};
enum class action_failure : std::uint8_t { halt, taint, keep_going };

/// One element of `actions`: the action, and the key of its instance as the element gives it.
struct action_reference {
    reference of;
    expression key;  // empty: it is constant and in the reference, or there is none
    source_range range;
};

/// The actions that changes of a resource invoke.
struct action_trigger_block {
    std::vector<action_event> events;
    expression condition;  // empty if absent
    std::vector<action_reference> actions;
    action_failure on_failure = action_failure::halt;
    source_range range;
};

struct lifecycle {
    bool create_before_destroy = false;
    bool create_before_destroy_set = false;
    expression prevent_destroy;  // empty if absent
    bool destroy = true;  // false: objects are forgotten instead of destroyed
    bool ignore_all_changes = false;
    std::vector<expression> ignore_changes;  // traversals relative to the resource
    std::vector<expression> replace_triggered_by;
    std::vector<check_rule> preconditions;
    std::vector<check_rule> postconditions;
    std::vector<action_trigger_block> action_triggers;

    [[nodiscard]] auto rule_count() const noexcept -> std::size_t
    {
        return preconditions.size() + postconditions.size();
    }
};

/// Constant data of a module for a provider, sent with each request about its resources.
struct provider_meta_block {
    body content;
    source_range range;
};

/// The key in brackets that selects an instance of a provider with `for_each`.
struct provider_instance_key {
    expression computed;  // empty: it is constant, or there is none
    std::optional<value> constant;
    source_range range;  // without a key, of the name of the provider

    [[nodiscard]] explicit operator bool() const noexcept { return computed || constant; }
};

enum class resource_mode : std::uint8_t { managed, data, ephemeral, action, list };

struct resource {
    resource_mode mode = resource_mode::managed;
    std::string type;
    std::string name;
    body content;  // what the resource type itself defines
    expression count;  // empty if absent
    expression for_each;
    expression enabled;
    std::vector<reference> depends_on;
    std::string provider;  // "local" or "local.alias"; empty if absent
    provider_instance_key provider_key;
    language::lifecycle lifecycle;
    std::vector<provisioner> provisioners;
    std::optional<body> connection;
    source_range range;
    source_range type_range;

    [[nodiscard]] auto address() const -> std::string
    {
        static constexpr std::array<std::string_view, 5> prefixes{"", "data.", "ephemeral.", "action.", "list."};
        return std::string(prefixes[static_cast<std::size_t>(mode)]) + type + "." + name;
    }
};

/// Finds the resources of one module that references name, in time that does not depend on their number.
class resource_index {
public:
    void reserve(std::size_t resources) { at_.reserve(resources); }
    /// \pre `r` stays at its address as long as the index is used.
    void add(resource const& r) { at_.emplace(key{r.mode, r.type, r.name}, &r); }
    [[nodiscard]] auto find(resource_mode mode, std::string_view type, std::string_view name) const -> resource const*
    {
        auto const found = at_.find({mode, type, name});
        return found == at_.end() ? nullptr : found->second;
    }

private:
    struct key {
        resource_mode mode;
        std::string_view type;
        std::string_view name;

        friend bool operator==(key const&, key const&) = default;
    };
    struct key_hash {
        [[nodiscard]] auto operator()(key const& k) const noexcept -> std::size_t
        {
            std::hash<std::string_view> const text;
            return (text(k.type) + static_cast<std::size_t>(k.mode)) * 31 + text(k.name);
        }
    };

    std::unordered_map<key, resource const*, key_hash> at_;
};

struct provider_block {
    std::string name;
    std::string alias;
    body content;
    bool has_version = false;
    source_range range;
    std::string version;  // the constraint that it should not have
    expression for_each = {};  // empty if absent
    std::vector<value_entry> instances = {};  // what `for_each` gives, sorted by key
    bool mocked = false;  // by a test: the provider has no settings
    std::shared_ptr<scope const> sees = nullptr;  // what its expressions refer to; null: the module
};

struct backend_block {
    std::string type;
    body content;
    source_range range;
    source_range type_range;
};

/// A block that is not decoded.
struct raw_block {
    block const* of = nullptr;
    source_range range;
};

struct configuration;

/// A provider configuration that a call passes to a module under a name of the module.
struct passed_provider {
    std::string in_child;  // "local" or "local.alias"
    std::string in_parent;
    provider_instance_key parent_key;  // of the provider in the parent
    source_range range;  // of the local name in the child
    source_range parent_range;  // of that in the parent
};

/// A call of a module, and the configuration it calls.
struct module_call {
    std::string name;
    std::string source;
    std::string version;  // constraints, of a module of a registry
    expression computed_source;  // what `source` is computed from; empty if it is constant
    expression computed_version;
    body content;  // values for the variables of the module
    std::map<std::string_view, expression> arguments;  // the same by name
    expression count;  // empty if absent
    expression for_each;
    expression enabled;
    std::vector<reference> depends_on;
    std::vector<passed_provider> providers;
    source_range range;
    source_range source_range_;
    source_range lifecycle_range;  // of its block `lifecycle`; nowhere if absent
    block const* of = nullptr;
    /// Null after a diagnostic, if the module could not be loaded.
    std::shared_ptr<configuration> child;

    /// The value for a variable of the module, or nothing.
    [[nodiscard]] auto argument(std::string_view variable) const -> expression
    {
        auto const given = arguments.find(variable);
        return given == arguments.end() ? expression() : given->second;
    }
};

/// `moved`: an object has a new address.
struct moved_block {
    expression from;
    expression to;
    source_range range;
};

/// `removed`: an object leaves state, and is destroyed or not.
struct removed_block {
    expression from;
    bool destroy = true;
    std::vector<provisioner> provisioners;
    std::optional<body> connection;
    source_range range;
};

/// `import`: an existing object enters state.
struct import_block {
    expression to;
    expression id;
    expression identity;  // in place of the id
    expression for_each;
    source_range range;
    source_range provider_range;  // of the argument `provider`; nowhere if absent
    std::string provider;  // its value: "local" or "local.alias"
};

/// `check`: assertions whose failure is only a warning, perhaps about data of their own.
struct check_block {
    std::string name;
    std::vector<check_rule> assertions;
    std::optional<resource> data;
    source_range range;
};

/// A constraint on the version of one of the programs.
struct required_version {
    std::string constraint;
    source_range range;
    origin_program of = origin_program::terraform;
};

struct required_provider {
    std::string source;
    std::string version;
    source_range range;
    std::vector<std::string> aliases;  // "local.alias", as `configuration_aliases` has them
};

/// The configuration of one module: all files of a directory that `configuration_files` lists, override files merged
/// in, and the modules it calls.
///
/// Its parts point into the syntax trees that it holds: it can be moved, but references to its parts must not outlive
/// it.
struct configuration {
    std::filesystem::path directory;
    std::string source;  // where the call says that it is; empty of the root module
    std::string version;  // of a module of a registry
    std::filesystem::path package;  // the directory that its local modules do not leave; empty: there is none
    module_manifest installed;  // of the root module: the list that names modules which are not at local paths
    /// Names of the calls from the root module to this one.
    std::vector<std::string> path;
    std::vector<std::shared_ptr<syntax_tree>> files;
    dialect_choice dialect;  // the program whose rules it follows
    /// False if a file of this module or of those below could not be read as a whole: then a missing name may be
    /// declared there.
    bool complete = true;
    bool all_declared = true;  ///< false after an error in a file of this module, which may hide a declaration

    std::map<std::string, variable, std::less<>> variables;
    std::map<std::string, local_value, std::less<>> locals;
    std::map<std::string, output_value, std::less<>> outputs;
    std::map<std::string, resource, std::less<>> resources;  // by address, of all modes
    std::map<std::string, provider_block, std::less<>> providers;  // by name or name.alias

    std::vector<required_version> required_versions;
    std::map<std::string, required_provider, std::less<>> required_providers;
    source_range required_providers_at;  // the block that lists them
    std::map<std::string, provider_meta_block, std::less<>> provider_meta;  // by name of the provider
    std::optional<backend_block> backend;
    std::vector<raw_block> cloud;
    std::vector<raw_block> encryption;

    std::map<std::string, module_call, std::less<>> modules;
    std::vector<moved_block> moved;
    std::vector<removed_block> removed;
    std::vector<import_block> imports;
    std::map<std::string, check_block, std::less<>> checks;
    /// In the root module: outputs that a test overrides, by the path of the module, with or without the key of its
    /// last step.
    std::map<std::string, value, std::less<>> overridden_outputs;
    std::unique_ptr<resource_index const> index;  // of all resources, data of `checks` included, once all are known

    /// The resource that is referred to, or null. Includes data sources of `check` blocks, to which only that block may
    /// refer.
    [[nodiscard]] auto find_resource(reference const& r) const -> resource const*;
    /// The check that contains the data source, or null.
    [[nodiscard]] auto check_of(resource const& data) const -> check_block const*;
    [[nodiscard]] auto is_root() const noexcept -> bool { return path.empty(); }
    /// "the root module" or "module.a.module.b", as in messages.
    [[nodiscard]] auto display_name() const -> std::string;
};

/// Options of `load_configuration`. The places of modules may depend on the values of the root module that are known
/// before its modules are loaded.
struct load_options {
    /// Returns the values of its variables. It is called at most once, if one is needed. Empty: only the defaults are
    /// known.
    std::function<std::map<std::string, value, std::less<>>(configuration const& root)> variables;
    std::string workspace = "default";
    bool with_queries = false;  ///< the root module has its files `*.tfquery.hcl`, too
};

/// Loads all files of configuration in a directory and of the modules that they call. Reports all errors that need no
/// evaluation: syntax, unknown blocks and arguments, duplicates, constant arguments. File names in messages are
/// relative to `directory` as it was given, unless that is ".". Modules that are not at local paths are read from the
/// installation in the data directory: the one that TF_DATA_DIR names, or ".terraform".
[[nodiscard]] configuration load_configuration(std::filesystem::path const& directory, diagnostics& found,
    load_options const& early = {}, file_source const& files = disk());

/// The same with a finder for the modules.
[[nodiscard]] configuration load_configuration(
    std::filesystem::path const& directory, module_finder& modules, diagnostics& found, load_options const& early = {});

/// The module in a directory alone: calls of other modules have no `child`.
[[nodiscard]] auto load_module(std::filesystem::path const& directory, diagnostics& found) -> configuration;

/// Loads a configuration from texts, by file name. A file of a module has a directory in its name; the root module is
/// in `directory`. The file `manifest_name` is the list of installed modules.
[[nodiscard]] configuration load_configuration(std::map<std::string, std::string> const& files, diagnostics& found,
    std::filesystem::path const& directory = ".", load_options const& early = {});

/// The name of the list of installed modules among texts of a configuration.
inline constexpr std::string_view manifest_name = ".terraform/modules/modules.json";

/// Loads the part of the root module that states where state is stored: decodes only `backend` and `cloud` blocks, and
/// parses only files that may contain one. Diagnostics are about these files and blocks.
[[nodiscard]] auto load_state_place(
    std::filesystem::path const& directory, diagnostics& found, file_source const& files = disk()) -> configuration;

/// Calls `visit` with a configuration and with those of all modules below it, callers first.
void for_each_module(configuration const& c, std::function<void(configuration const&)> const& visit);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_CONFIGURATION_HPP
