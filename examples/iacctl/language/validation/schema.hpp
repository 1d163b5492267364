// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_SCHEMA_HPP
#define IACCTL_LANGUAGE_VALIDATION_SCHEMA_HPP

#include "language/evaluation/evaluate.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "language/values/type.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iacctl::language {

struct schema;

/// Selects the value for the blocks of one type in the object of a resource.
enum class nesting : std::uint8_t {
    single,  // an object, or null where there is no block
    group,  // an object, of nulls where there is no block
    list,  // a list of objects in the order of the file; a tuple if some attribute may be of any type
    set,  // a set of objects
    map,  // a map of objects by label; an object if some attribute may be of any type
};

/// Text for the documentation of a provider.
struct schema_description {
    std::string text;
    bool is_markdown = false;
};

/// The nested objects of an attribute: one object, or a list, set or map of objects. Their attributes have properties
/// of their own.
struct nested_attributes {
    nesting how = nesting::single;  // not group
    std::shared_ptr<schema const> content;  // has no blocks
    /// The type to which a configured value is converted. It may lack attributes that are optional or computed.
    type configured;
};

/// One attribute of a resource type or provisioner. An attribute that is computed and not optional cannot be set.
struct schema_attribute {
    std::string name;
    type of;
    bool required = false;
    bool optional = false;
    bool computed = false;
    bool sensitive = false;
    /// True: the provider receives the value, but state and plans store null. Only such an attribute accepts ephemeral
    /// values.
    bool write_only = false;
    /// A reference to it is a warning.
    bool deprecated = false;
    schema_description description{};
    std::optional<nested_attributes> nested{};

    /// Makes it an attribute of nested objects; its type is derived from theirs.
    void nest(nesting n, std::shared_ptr<schema const> content);
    /// True if the attribute is sensitive, or one inside it.
    [[nodiscard]] auto has_sensitive() const noexcept -> bool;
};

/// A type that is constructed on its first use, in any thread. A copy constructs its own.
class lazy_type {
public:
    lazy_type() = default;
    lazy_type(lazy_type const&) noexcept {}
    auto operator=(lazy_type const&) noexcept -> lazy_type&
    {
        made_.store({});
        return *this;
    }
    ~lazy_type() = default;

    [[nodiscard]] auto get(schema const& s) const -> type;

private:
    mutable std::atomic<std::shared_ptr<type const>> made_;
};

/// The nested blocks of one type.
struct schema_block {
    std::string name;
    nesting how = nesting::list;
    std::shared_ptr<schema const> content;
    std::size_t min_items = 0;
    std::size_t max_items = 0;  // 0: no limit
    /// True: if the configuration has none of these blocks, the provider determines them.
    bool computed = false;
    /// True: state and JSON omit the member while it is null, so that older programs, which lack these blocks, can read
    /// them.
    bool left_out_if_null = false;

    lazy_type made{};

    /// The type of one of these blocks.
    [[nodiscard]] auto object_type() const -> type { return made.get(*content); }
    /// The type of the attribute that these blocks become.
    [[nodiscard]] auto attribute_type() const -> type;
};

/// The name of an attribute or the key of an element, or its index.
using path_step = std::variant<std::string, std::int64_t>;

/// A problem that a provider reports about a part of an object.
struct attribute_problem {
    std::vector<path_step> path;  // empty: the whole object
    diagnostic problem;  // without its place
};

/// A block whose configuration a provider receives.
enum class configured_block : std::uint8_t { provider, resource, data_source, ephemeral, action, list };

/// The attributes and nested blocks in the body of a resource, provisioner or connection.
struct schema {
    std::vector<schema_attribute> attributes;
    std::vector<schema_block> blocks = {};
    /// True for types of Terraform itself: an error about a computed argument has Terraform's own text and no place.
    bool built_in = false;
    /// True if the provider validates configurations: then the provider, not the program, refuses computed arguments.
    bool validated_by_provider = false;
    bool deprecated = false;
    schema_description description{};
    /// Checks an object for other errors; any part of it may be unknown. Null: there are no other checks.
    std::optional<attribute_problem> (*judge)(value const& of) = nullptr;

    [[nodiscard]] auto find(std::string_view name) const noexcept -> schema_attribute const*;
    [[nodiscard]] auto find_block(std::string_view name) const noexcept -> schema_block const*;
    /// True if some blocks are computed, also inside of others.
    [[nodiscard]] auto has_computed_blocks() const noexcept -> bool;
    /// The type of a whole object.
    [[nodiscard]] auto object_type() const -> type;
};

enum class resource_mode : std::uint8_t;

/// The types of resources and provisioners that are available. Providers are named by their addresses.
class schema_source {
public:
    virtual ~schema_source() = default;
    [[nodiscard]] virtual auto resource(std::string_view provider, std::string_view type) const -> schema const* = 0;
    [[nodiscard]] virtual auto data_source(std::string_view provider, std::string_view type) const -> schema const* = 0;
    [[nodiscard]] virtual auto ephemeral(std::string_view, std::string_view) const -> schema const* { return nullptr; }
    [[nodiscard]] virtual auto action(std::string_view, std::string_view) const -> schema const* { return nullptr; }
    /// The arguments of a block `list` about objects of a type.
    [[nodiscard]] virtual auto list(std::string_view, std::string_view) const -> schema const* { return nullptr; }
    [[nodiscard]] virtual auto provisioner(std::string_view type) const -> schema const* = 0;
    /// Returns whether provisioners of a type work on another machine, to which they need a connection.
    [[nodiscard]] virtual auto uses_connection(std::string_view) const -> bool { return false; }
    /// The names of the types that a provider has in a mode.
    [[nodiscard]] virtual auto types(std::string_view, resource_mode) const -> std::vector<std::string_view>
    {
        return {};
    }
    /// The release of the real provider whose types the built-in provider at an address has; empty: there is none.
    [[nodiscard]] virtual auto built_in_release(std::string_view) const -> std::string_view { return {}; }
    /// Advice for a type that a provider lacks, for the end of a message; may be empty.
    [[nodiscard]] virtual auto way_to_type(
        std::string_view /*provider*/, resource_mode, std::string_view /*type*/) const -> std::string
    {
        return {};
    }
    /// The schema of the configuration of the provider at an address; null if it has none.
    [[nodiscard]] virtual auto provider(std::string_view) const -> schema const* { return nullptr; }
    /// Returns whether there is a provider at an address.
    [[nodiscard]] virtual auto has_provider(std::string_view) const -> bool { return true; }
    /// The providers that need no installation, for messages.
    [[nodiscard]] virtual auto built_in_providers() const -> std::string { return {}; }
    [[nodiscard]] virtual auto connection() const -> schema const* = 0;
    /// The problems that the provider reports about a configuration, any part of which may be unknown or marked. Default:
    /// none.
    [[nodiscard]] virtual auto attribute_problems(configured_block, std::string_view /*provider*/,
        std::string_view /*type*/, value const& /*of*/) const -> std::vector<attribute_problem>
    {
        return {};
    }
    /// The functions of providers; null: there are none.
    [[nodiscard]] virtual auto functions() const -> function_source const* { return nullptr; }

protected:
    schema_source() = default;
    schema_source(schema_source const&) = default;
    auto operator=(schema_source const&) -> schema_source& = default;
};

/// Reports unsupported and missing arguments and blocks of a body, `dynamic` blocks included. Nothing is evaluated.
/// \param reserved  names that the language handles itself in this body
void check_body(
    body const& b, schema const& desired, diagnostics& found, std::span<std::string_view const> reserved = {});

/// Evaluates a body into an object with all attributes and nested blocks of the schema; missing ones are null. A
/// `dynamic` block becomes one block per element; if the elements are unknown, so is the result. Missing attributes of
/// nested objects become null, unless they are required. After an error the attribute concerned is unknown. Unsupported
/// arguments are ignored: `check_body` reports them.
[[nodiscard]] auto evaluate_body(body const& b, schema const& desired, scope const& in, diagnostics& found) -> value;

/// Reports ephemeral values in an object that is stored. Only write-only attributes accept them.
/// \param v  the object that `evaluate_body` returned for the body
void refuse_ephemeral(body const& given, schema const& desired, value const& v, diagnostics& found);

/// The innermost part of a body on a path; if there is none, the range to which messages about missing items point.
[[nodiscard]] auto place_of(std::span<path_step const> path, body const& in, schema const& desired) -> source_range;

/// Reports errors in the steps after an object of this schema, before the object is known: `.name[0].size`.
void check_steps(
    std::span<syntax::step const> steps, schema const& desired, source_file const* file, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_SCHEMA_HPP
