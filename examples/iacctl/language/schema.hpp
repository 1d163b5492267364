// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SCHEMA_HPP
#define IACCTL_LANGUAGE_SCHEMA_HPP

#include "diagnostic.hpp"
#include "evaluate.hpp"
#include "syntax_tree.hpp"
#include "type.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// One attribute of a resource type or provisioner. One that is only computed cannot be set.
struct schema_attribute {
    std::string name;
    type of;
    bool required = false;
    bool optional = false;
    bool computed = false;
    bool sensitive = false;
};

/// The attributes that the body of a resource (or provisioner, or connection) has.
struct schema {
    std::vector<schema_attribute> attributes;

    [[nodiscard]] schema_attribute const* find(std::string_view name) const noexcept;
    /// The type of a whole object.
    [[nodiscard]] type object_type() const;
};

/// Which types of resources and provisioners there are.
class schema_source {
public:
    virtual ~schema_source() = default;
    [[nodiscard]] virtual schema const* resource(std::string_view type) const = 0;
    [[nodiscard]] virtual schema const* data_source(std::string_view type) const = 0;
    [[nodiscard]] virtual schema const* provisioner(std::string_view type) const = 0;
    [[nodiscard]] virtual schema const* connection() const = 0;

protected:
    schema_source() = default;
    schema_source(schema_source const&) = default;
    schema_source& operator=(schema_source const&) = default;
};

/// Tells unsupported and missing arguments of a body. Nothing is evaluated.
void check_body(body const& of, schema const& wanted, diagnostics& found);

/// Evaluates a body: an object with all attributes of the schema, null where the body says nothing.
/// After errors the attribute concerned is unknown. Unsupported arguments are `check_body`'s to tell.
[[nodiscard]] value evaluate_body(body const& of, schema const& wanted, scope const& in, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SCHEMA_HPP
