// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_BLOCK_DECODER_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_BLOCK_DECODER_HPP

#include "configuration.hpp"
#include "language/evaluation/body_reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language::detail {

/// Decodes the blocks of a file into variables, resources and so on, and reports the errors in them.
class block_decoder {
public:
    block_decoder(configuration& into, diagnostics& found) : into_(into), found_(found) {}

    void decode(body const& file);
    /// The blocks of a file `*.tfquery.hcl`.
    void decode_query(body const& file);
    /// Only `backend` and `cloud` blocks.
    void decode_state_places(body const& file);

protected:
    void decode_terraform(block const& b);
    void decode_language(block const& b);
    void decode_required_providers(block const& b);
    /// The text of a version constraint; nothing after a diagnostic, and for null.
    [[nodiscard]] auto decode_constraint(attribute const& a) -> std::optional<std::string>;
    /// Returns whether a text is a version constraint, and reports an error if it is not.
    auto check_constraint(std::string const& text, source_range place) -> bool;
    void decode_state_places_in(body const& settings);
    void decode_state_place(block const& b, bool cloud);
    void decode_provider_meta(block const& b);
    void decode_requirement(attribute const& a, required_provider& made);
    void decode_configuration_aliases(attribute const& a, expression const& aliases, required_provider& made);
    struct provider_reference {
        std::string name;        // "local" or "local.alias"
        source_range local_range;
        provider_instance_key key;
    };
    /// Nothing after a diagnostic.
    [[nodiscard]] auto decode_provider_reference(expression const& e, std::string const& argument)
        -> std::optional<provider_reference>;
    void check_provider_source(std::string const& source, source_range place);
    /// Returns whether a text is a valid name of a provider, and reports an error if it is not.
    auto check_provider_name(std::string_view name, source_range place) -> bool;
    void check_self_references(resource const& r);
    void decode_provider(block const& b);
    void decode_variable(block const& b);
    /// The text of an argument `deprecated`; nothing after a diagnostic.
    [[nodiscard]] auto decode_deprecation(attribute const& a) -> std::optional<std::string>;
    void decode_default(variable& made, body const& content);
    void report_bad_default(attribute const& a, attribute const* desired, std::string const& why);
    void decode_locals(block const& b);
    void decode_output(block const& b);
    void decode_resource(block const& b, resource_mode mode);
    void decode_action(block const& b);
    void decode_action_trigger(block const& b, lifecycle& into);
    void decode_events(attribute const& a, action_trigger_block& made);
    void decode_triggered_actions(attribute const& a, action_trigger_block& made);
    void decode_lifecycle(block const& b, resource& made);
    void decode_prevent_destroy(attribute const& a, lifecycle& into);
    /// The argument `enabled` of a block `lifecycle` in the body `around`; empty if absent.
    [[nodiscard]] auto decode_enabled(block const& lifecycle, body const& around) -> expression;
    void decode_ignore_changes(attribute const& a, resource& made);
    void decode_triggers(attribute const& a, resource& made);
    void decode_provisioner(block const& b, resource& made);
    void check_destroy_references(body const& content);
    // Checks the connection of a resource, which may be that of a destroy provisioner.
    void check_destroy_connection(resource const& r);
    void decode_module(block const& b);
    void decode_module_lifecycle(block const& b, module_call& made);
    void decode_passed_providers(attribute const& a, module_call& made);
    void decode_moved(block const& b);
    void decode_removed(block const& given);
    void decode_import(block const& b);
    void decode_check(block const& b);
    void report_duplicate(resource const& again, resource const& first);
    [[nodiscard]] auto read_resource(block const& b, resource_mode mode) -> resource;
    /// Adds the content of the block "_" of the owner to a body: arguments whose names the language would take for its
    /// own.
    void add_escaped(block const& b, body& to);
    /// A traversal, or nothing after a diagnostic.
    [[nodiscard]] auto decode_address(attribute const& a) -> expression;
    [[nodiscard]] auto decode_depends_on(attribute const& a) -> std::vector<reference>;
    [[nodiscard]] auto decode_rule(block const& b, std::string const& kind) -> check_rule;
    [[nodiscard]] auto check_name(label const& l, std::string_view kind) -> bool;

    configuration& into_;
    diagnostics& found_;
};

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_CONFIGURATION_BLOCK_DECODER_HPP
