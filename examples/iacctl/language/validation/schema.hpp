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

/// The value that the blocks of one type become in the object of a resource.
enum class nesting : std::uint8_t {
    single,  // an object, or null where there is no block
    group,  // an object, of nulls where there is no block
    list,  // a list of objects in the order of the file; a tuple if some attribute may be of any type
    set,  // a set of objects
    map,  // a map of objects by label; an object if some attribute may be of any type
};

/// Text for those who read the documentation of a provider.
struct schema_description {
    std::string text;
    bool is_markdown = false;
};

/// The objects that an attribute consists of: one, or a list, set or map of them. Their attributes have properties of their own.
struct nested_attributes {
    nesting how = nesting::single;  // not group
    std::shared_ptr<schema const> content;  // has no blocks
    /// The type that a configured value is converted to: it may lack attributes that are optional or computed.
    type configured;
};

/// One attribute of a resource type or provisioner. One that is only computed cannot be set.
struct schema_attribute {
    std::string name;
    type of;
    bool required = false;
    bool optional = false;
    bool computed = false;
    bool sensitive = false;
    /// Given to the provider and never stored: state and plans have null. The only one that takes ephemeral values.
    bool write_only = false;
    /// A reference to it is a warning.
    bool deprecated = false;
    schema_description description{};
    std::optional<nested_attributes> nested{};

    /// Makes the attribute one of nested objects, of a type that follows from theirs.
    void nest(nesting how, std::shared_ptr<schema const> content);
    /// True if the attribute is sensitive, or one inside it.
    [[nodiscard]] bool has_sensitive() const noexcept;
};

/// A type that is made at its first use, by any thread. A copy makes its own.
class type_on_demand {
public:
    type_on_demand() = default;
    type_on_demand(type_on_demand const&) noexcept {}
    type_on_demand& operator=(type_on_demand const&) noexcept
    {
        made_.store({});
        return *this;
    }
    ~type_on_demand() = default;

    [[nodiscard]] type get(schema const& of) const;

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
    /// State and JSON have no member for it while it is null: older programs, which do not know these blocks, can read it then.
    bool left_out_if_null = false;

    type_on_demand made{};

    /// The type of one of these blocks.
    [[nodiscard]] type object_type() const { return made.get(*content); }
    /// The type of the attribute that these blocks become.
    [[nodiscard]] type attribute_type() const;
};

/// The name of an attribute or the key of an element, or its index.
using path_step = std::variant<std::string, std::int64_t>;

/// A problem that a provider reports about a part of an object.
struct complaint {
    std::vector<path_step> path;  // empty: the whole object
    diagnostic problem;  // without its place
};

/// A block whose configuration a provider receives.
enum class configured_block : std::uint8_t { provider, resource, data_source, ephemeral, action, list };

/// The attributes and nested blocks that the body of a resource (or provisioner, or connection) has.
struct schema {
    std::vector<schema_attribute> attributes;
    std::vector<schema_block> blocks = {};
    /// Of what is part of Terraform itself: computed arguments are refused in its words, which tell no place.
    bool built_in = false;
    /// Of a provider that validates configurations itself: computed arguments are its to refuse.
    bool validated_by_provider = false;
    bool deprecated = false;
    schema_description description{};
    /// What else is wrong with an object, of which anything may be unknown; null: nothing that the above does not say.
    std::optional<complaint> (*judge)(value const& of) = nullptr;

    [[nodiscard]] schema_attribute const* find(std::string_view name) const noexcept;
    [[nodiscard]] schema_block const* find_block(std::string_view name) const noexcept;
    /// The type of a whole object.
    [[nodiscard]] type object_type() const;
};

enum class resource_mode : std::uint8_t;

/// The types of resources and provisioners that are available. Providers are named by their addresses.
class schema_source {
public:
    virtual ~schema_source() = default;
    [[nodiscard]] virtual schema const* resource(std::string_view provider, std::string_view type) const = 0;
    [[nodiscard]] virtual schema const* data_source(std::string_view provider, std::string_view type) const = 0;
    [[nodiscard]] virtual schema const* ephemeral(std::string_view, std::string_view) const { return nullptr; }
    [[nodiscard]] virtual schema const* action(std::string_view, std::string_view) const { return nullptr; }
    /// The arguments of a block `list` about objects of a type.
    [[nodiscard]] virtual schema const* list(std::string_view, std::string_view) const { return nullptr; }
    [[nodiscard]] virtual schema const* provisioner(std::string_view type) const = 0;
    /// Can a provisioner of that type be run?
    [[nodiscard]] virtual bool runs(std::string_view) const { return true; }
    /// The names of the types of a mode that a provider has.
    [[nodiscard]] virtual std::vector<std::string_view> types(std::string_view, resource_mode) const { return {}; }
    /// What the provider of an address can be told.
    [[nodiscard]] virtual schema const* provider(std::string_view) const { return nullptr; }
    /// Whether there is a provider of that address.
    [[nodiscard]] virtual bool has_provider(std::string_view) const { return true; }
    [[nodiscard]] virtual schema const* connection() const = 0;
    /// The problems that the provider reports about a configuration, of which anything may be unknown. Default: none.
    [[nodiscard]] virtual std::vector<complaint> complaints(
        configured_block, std::string_view /*provider*/, std::string_view /*type*/, value const& /*of*/) const
    {
        return {};
    }
    /// The functions of providers; null: there are none.
    [[nodiscard]] virtual function_source const* functions() const { return nullptr; }

protected:
    schema_source() = default;
    schema_source(schema_source const&) = default;
    schema_source& operator=(schema_source const&) = default;
};

/// Tells unsupported and missing arguments and blocks of a body, `dynamic` blocks included. Nothing is evaluated.
/// \param reserved  names that the language itself knows there
void check_body(
    body const& of, schema const& desired, diagnostics& found, std::span<std::string_view const> reserved = {});

/// Evaluates a body: an object with all attributes and nested blocks of the schema, null where the body says nothing.
/// `dynamic` blocks make a block for each element; what they make is unknown where the elements are. Attributes of nested objects
/// that are missing become null, unless they are required.
/// After errors the attribute concerned is unknown. Unsupported arguments are `check_body`'s to tell.
[[nodiscard]] value evaluate_body(body const& of, schema const& desired, scope const& in, diagnostics& found);

/// Tells of ephemeral values in an object that is to be stored: only write-only attributes take them.
/// \param of  the object that `evaluate_body` made of the body
void refuse_ephemeral(body const& given, schema const& desired, value const& of, diagnostics& found);

/// The deepest part on a path that a body has; if it has none, the place where something missing is said to be missing.
[[nodiscard]] source_range place_of(std::span<path_step const> path, body const& in, schema const& desired);

/// Tells what is wrong with steps behind an object of this schema, before the object is known: `.name[0].size`.
void check_steps(
    std::span<syntax::step const> steps, schema const& desired, source_file const* file, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_SCHEMA_HPP
