// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_TERM_HPP
#define STRIDER_INFRA_SIM_TOY_TERM_HPP

#include <strider/infra/model/address.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace strider::infra::sim {

/// An expression of the toy: a text, the key of the instance, an attribute of another declaration, or one of the object that
/// triggers an action.
///
/// A reference without a key to several instances returns the texts of all, separated by commas.
class toy_term {
public:
    /// A literal text, the key of the instance itself, an attribute of another declaration, or one of the caller of an action.
    enum class kind_type : std::uint8_t { text, own_key, attribute, caller };

    /// A literal text.
    /// @{
    toy_term(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor): a literal
    toy_term(char const* text) : text_(text) {}  // NOLINT(google-explicit-constructor): a literal
    /// @}

    /// The key of the instance that the term is evaluated for, as text.
    [[nodiscard]] static auto own_key() -> toy_term
    {
        toy_term t("");
        t.kind_ = kind_type::own_key;
        return t;
    }
    /// An attribute of the object whose change triggers an action.
    [[nodiscard]] static auto of_caller(std::string attribute) -> toy_term
    {
        toy_term t(std::move(attribute));
        t.kind_ = kind_type::caller;
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

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_TERM_HPP
