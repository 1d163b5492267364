// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_EVALUATE_HPP
#define IACCTL_LANGUAGE_EVALUATION_EVALUATE_HPP

#include "functions.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/references.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "language/values/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// Where an expression gets the values of what it refers to.
class scope {
public:
    virtual ~scope() = default;

    /// The value of the whole referenced object: of a resource with `count` a tuple, with `for_each` an object
    /// by key, of `count.index` a number. An unknown value after a diagnostic if there is none.
    [[nodiscard]] virtual value resolve(reference const& of, diagnostics& found) const = 0;

    /// The value of the one instance that the key of a reference names, found without those of the others. Nothing
    /// where the scope has no such short way or no such instance: then `resolve` decides.
    [[nodiscard]] virtual std::optional<value> instance(reference const&) const { return std::nullopt; }

    /// The value of a bare name, where names stand for values directly, as in a template; null for others.
    [[nodiscard]] virtual value const* variable(std::string_view) const { return nullptr; }

    /// What functions see beside their arguments.
    [[nodiscard]] virtual call_context const& context() const noexcept;

    /// The function that a name stands for, or null: one of the language, or one of a provider that the module requires.
    [[nodiscard]] virtual function const* find_function(std::string_view name) const;

    /// Whether nothing may be referred to or called, in arguments that must be constant.
    [[nodiscard]] virtual bool is_constant() const noexcept { return false; }

protected:
    scope() = default;
    scope(scope const&) = default;
    scope& operator=(scope const&) = default;
};

/// A scope inside of another one, which answers all that this one does not answer itself.
class inner_scope : public scope {
public:
    /// \pre `outer` outlives it
    explicit inner_scope(scope const& outer) : outer_(outer) {}

    [[nodiscard]] value resolve(reference const& of, diagnostics& found) const override
    {
        return outer_.resolve(of, found);
    }
    [[nodiscard]] std::optional<value> instance(reference const& of) const override { return outer_.instance(of); }
    [[nodiscard]] value const* variable(std::string_view name) const override { return outer_.variable(name); }
    [[nodiscard]] call_context const& context() const noexcept override { return outer_.context(); }
    [[nodiscard]] function const* find_function(std::string_view name) const override
    {
        return outer_.find_function(name);
    }
    [[nodiscard]] bool is_constant() const noexcept override { return outer_.is_constant(); }

private:
    scope const& outer_;
};

/// A scope in which nothing can be referred to, for arguments that must be constant.
class constant_scope final : public scope {
public:
    [[nodiscard]] bool is_constant() const noexcept override { return true; }
    [[nodiscard]] value resolve(reference const& of, diagnostics& found) const override;
};

/// The value of an expression; unknown where diagnostics say why there is none.
///
/// Unknown values spread with the type that the result will have. Both sides of a conditional are evaluated,
/// since its type comes from both; only diagnostics of the chosen side count.
[[nodiscard]] value evaluate(expression const& of, scope const& in, diagnostics& found);

/// What to say of a call in an expression whose function does not exist.
[[nodiscard]] diagnostic unknown_function(expression const& in, syntax::call const& of);

/// What to say of the values in a failing expression.
struct note_options {
    bool unknown = false;  // also tell which values are unknown, if that is the problem
    bool sensitive = false;  // and which are sensitive
    bool ephemeral = false;  // or ephemeral
};

/// Notes for a diagnostic about an expression: `local.m is object with 1 attribute "a"`, sorted.
[[nodiscard]] std::vector<std::string> value_notes(expression const& of, scope const& in, note_options options = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_EVALUATE_HPP
