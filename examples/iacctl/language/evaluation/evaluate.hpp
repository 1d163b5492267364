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

/// Supplies the values that an expression refers to.
class scope {
public:
    virtual ~scope() = default;

    /// The value of the whole referenced object: a tuple for a resource with `count`, an object by key for one with
    /// `for_each`, a number for `count.index`. Unknown after a diagnostic if there is no such object.
    [[nodiscard]] virtual value resolve(reference const& of, diagnostics& found) const = 0;

    /// The value of the one instance that the key of a reference selects, without those of the other instances. Nothing
    /// if the scope cannot do so or there is no such instance; then `resolve` is called.
    [[nodiscard]] virtual std::optional<value> instance(reference const&) const { return std::nullopt; }

    /// The value of a bare name in a scope where names are values, such as that of a template; null otherwise.
    [[nodiscard]] virtual value const* variable(std::string_view) const { return nullptr; }

    /// The inputs of functions other than their arguments.
    [[nodiscard]] virtual call_context const& context() const noexcept;

    /// The function of a name, or null: a function of the language or of a provider that the module requires.
    [[nodiscard]] virtual function const* find_function(std::string_view name) const;

    /// Returns whether references and calls are errors, as in arguments that must be constant.
    [[nodiscard]] virtual bool is_constant() const noexcept { return false; }

protected:
    scope() = default;
    scope(scope const&) = default;
    scope& operator=(scope const&) = default;
};

/// A scope inside another one. It forwards to the outer scope everything that it does not define.
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

/// A scope without anything to refer to, for arguments that must be constant.
class constant_scope final : public scope {
public:
    [[nodiscard]] bool is_constant() const noexcept override { return true; }
    [[nodiscard]] value resolve(reference const& of, diagnostics& found) const override;
};

/// Evaluates an expression. The result is unknown where diagnostics report an error.
///
/// The result of an operation on unknown values is unknown, with the type that the result will have. Both sides of a
/// conditional are evaluated, since its type depends on both; only diagnostics of the chosen side are kept.
[[nodiscard]] value evaluate(expression const& of, scope const& in, diagnostics& found);

/// The diagnostic for a call of a function that does not exist.
[[nodiscard]] diagnostic unknown_function(expression const& in, syntax::call const& of);

/// The notes that a diagnostic has about the values in a failing expression.
struct note_options {
    bool unknown = false;  // lists unknown values
    bool sensitive = false;  // lists sensitive values
    bool ephemeral = false;  // lists ephemeral values
};

/// Notes for a diagnostic about an expression: `local.m is object with 1 attribute "a"`, sorted.
[[nodiscard]] std::vector<std::string> value_notes(expression const& of, scope const& in, note_options options = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_EVALUATE_HPP
