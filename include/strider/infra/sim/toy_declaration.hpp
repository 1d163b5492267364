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
    enum class kind_type : std::uint8_t { text, own_key, attribute };

    toy_term(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor): a literal
    toy_term(char const* text) : text_(text) {}             // NOLINT(google-explicit-constructor): a literal

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

    [[nodiscard]] auto kind() const noexcept -> kind_type { return kind_; }
    /// The text, or the name of the attribute.
    [[nodiscard]] auto text() const noexcept -> std::string const& { return text_; }
    [[nodiscard]] auto subject() const noexcept -> std::string const& { return subject_; }
    [[nodiscard]] auto key() const noexcept -> instance_key const& { return key_; }

private:
    std::string text_;
    std::string subject_;
    instance_key key_;
    kind_type kind_ = kind_type::text;
};

/// A condition: a term before the object is created, or an attribute of it (`term` is its name) afterwards.
struct toy_condition {
    condition_time when = condition_time::before;
    toy_term term = "";
    std::string expected;
};

/// A declaration of the toy.
struct toy_declaration {
    std::string name;  ///< "toy.a", "local.x", "output.o", "module.m"; prefixed with "module.m." in module m
    declaration_kind kind = declaration_kind::resource;
    address target;  ///< of a resource: its configuration address
    std::string module;  ///< name of its module
    std::map<std::string, toy_term> attributes;  ///< of a value or output: "value"
    infra::lifecycle lifecycle;
    std::string provider = "sim";
    std::vector<reference> depends_on;
    std::optional<toy_term> count;
    std::optional<toy_term> for_each;  ///< keys, joined by commas
    std::vector<std::string> ignored;
    std::vector<replace_trigger> triggers;
    std::vector<std::pair<provisioner, toy_term>> steps;
    std::vector<toy_condition> conditions;
    std::vector<std::pair<instance_key, toy_term>> imports;  ///< ids of existing objects, by instance
    std::uint32_t place = 0;
    bool sensitive = false;
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_DECLARATION_HPP
