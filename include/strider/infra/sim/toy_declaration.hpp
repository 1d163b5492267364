// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_DECLARATION_HPP
#define STRIDER_INFRA_SIM_TOY_DECLARATION_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/lifecycle.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// An expression of the toy: a text, the key of the instance, or an attribute of another declaration.
///
/// A reference without a key to several instances returns the texts of all, separated by commas.
class toy_term {
public:
    /// A literal text, the key of the instance itself, or an attribute of another declaration.
    enum class kind_type : std::uint8_t { text, own_key, attribute };

    /// A literal text.
    /// @{
    toy_term(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor): a literal
    toy_term(char const* text) : text_(text) {}             // NOLINT(google-explicit-constructor): a literal
    /// @}

    /// The key of the instance that the term is evaluated for, as text.
    [[nodiscard]] static auto own_key() -> toy_term
    {
        toy_term t("");
        t.kind_ = kind_type::own_key;
        return t;
    }
    /// \param subject  the name of a declaration, as in `toy_declaration::name`
    [[nodiscard]] static auto of(std::string subject, std::string attribute = "value", instance_key key = {})
        -> toy_term
    {
        toy_term t(std::move(attribute));
        t.kind_ = kind_type::attribute;
        t.subject_ = std::move(subject);
        t.key_ = std::move(key);
        return t;
    }

    /// The kind, which determines the other members.
    [[nodiscard]] auto kind() const noexcept -> kind_type { return kind_; }
    /// The text, or the name of the attribute.
    [[nodiscard]] auto text() const noexcept -> std::string const& { return text_; }
    /// The name of the referenced declaration; empty for other kinds.
    [[nodiscard]] auto subject() const noexcept -> std::string const& { return subject_; }
    /// The key of the referenced instance; empty: all instances.
    [[nodiscard]] auto key() const noexcept -> instance_key const& { return key_; }

private:
    std::string text_;
    std::string subject_;
    instance_key key_;
    kind_type kind_ = kind_type::text;
};

/// A condition: a term before the object is created, or an attribute of it (`term` is its name) afterwards.
struct toy_condition {
    condition_time when = condition_time::before;  ///< the time of the check
    toy_term term = "";  ///< as text
    std::string expected;  ///< the text for which the condition holds
};

/// A declaration of the toy.
struct toy_declaration {
    std::string name;  ///< "toy.a", "local.x", "output.o", "module.m"; prefixed with "module.m." in module m
    declaration_kind kind = declaration_kind::resource;  ///< of a resource by default
    address target;  ///< of a resource: its configuration address
    std::string module;  ///< name of its module
    std::map<std::string, toy_term> attributes;  ///< of a value or output: "value"
    infra::lifecycle lifecycle;  ///< of a resource
    std::string provider = "sim";  ///< name of the provider of a resource
    std::vector<reference> depends_on;  ///< explicit dependencies, without use of a value
    std::optional<toy_term> count;  ///< a number as text; not together with for_each
    std::optional<toy_term> for_each;  ///< keys, joined by commas
    std::vector<std::string> ignored;  ///< attributes that keep their prior values
    std::vector<replace_trigger> triggers;  ///< references whose changes replace the objects
    std::vector<std::pair<provisioner, toy_term>> steps;  ///< provisioners with their commands
    std::vector<toy_condition> conditions;  ///< of a resource, or of a check
    std::vector<std::pair<instance_key, toy_term>> imports;  ///< ids of existing objects, by instance
    std::uint32_t place = 0;  ///< line in the source, for messages
    bool sensitive = false;  ///< of an output
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_DECLARATION_HPP
