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
    [[nodiscard]] virtual auto resolve(reference const& r, diagnostics& found) const -> value = 0;

    /// The value of the one instance that the key of a reference selects, without those of the other instances. Nothing
    /// if the scope cannot do so or there is no such instance; then `resolve` is called.
    [[nodiscard]] virtual auto instance(reference const&) const -> std::optional<value> { return std::nullopt; }

    /// The value of a bare name in a scope where names are values, such as that of a template; null otherwise.
    [[nodiscard]] virtual auto variable(std::string_view) const -> value const* { return nullptr; }

    /// The inputs of functions other than their arguments.
    [[nodiscard]] virtual auto context() const noexcept -> call_context const&;

    /// The function of a name, or null: a function of the language or of a provider that the module requires.
    [[nodiscard]] virtual auto find_function(std::string_view name) const -> function const*;
    /// Advice for a function that does not exist, for the end of a message; may be empty.
    [[nodiscard]] virtual auto way_to_function(std::string_view) const -> std::string { return {}; }

    /// Returns whether references and calls are errors, as in arguments that must be constant.
    [[nodiscard]] virtual auto is_constant() const noexcept -> bool { return false; }

protected:
    scope() = default;
    scope(scope const&) = default;
    auto operator=(scope const&) -> scope& = default;
};

/// A scope inside another one. It forwards to the outer scope everything that it does not define.
class inner_scope : public scope {
public:
    /// \pre `outer` outlives it
    explicit inner_scope(scope const& outer) : outer_(outer) {}

    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override
    {
        return outer_.resolve(r, found);
    }
    [[nodiscard]] auto instance(reference const& r) const -> std::optional<value> override
    {
        return outer_.instance(r);
    }
    [[nodiscard]] auto variable(std::string_view name) const -> value const* override { return outer_.variable(name); }
    [[nodiscard]] auto context() const noexcept -> call_context const& override { return outer_.context(); }
    [[nodiscard]] auto find_function(std::string_view name) const -> function const* override
    {
        return outer_.find_function(name);
    }
    [[nodiscard]] auto way_to_function(std::string_view name) const -> std::string override
    {
        return outer_.way_to_function(name);
    }
    [[nodiscard]] auto is_constant() const noexcept -> bool override { return outer_.is_constant(); }

private:
    scope const& outer_;
};

/// A scope without anything to refer to, for arguments that must be constant.
class constant_scope final : public scope {
public:
    [[nodiscard]] auto is_constant() const noexcept -> bool override { return true; }
    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override;
};

/// Evaluates an expression. The result is unknown where diagnostics report an error.
///
/// The result of an operation on unknown values is unknown, with the type that the result will have. Both sides of a
/// conditional are evaluated, since its type depends on both; only diagnostics of the chosen side are kept.
[[nodiscard]] auto evaluate(expression const& e, scope const& in, diagnostics& found) -> value;

/// The diagnostic for a call of a function that does not exist in a scope.
[[nodiscard]] auto unknown_function(expression const& in, syntax::call const& c, scope const& s) -> diagnostic;

/// The notes that a diagnostic has about the values in a failing expression.
struct note_options {
    bool unknown = false;  // lists unknown values
    bool sensitive = false;  // lists sensitive values
    bool ephemeral = false;  // lists ephemeral values
};

/// Notes for a diagnostic about an expression: `local.m is object with 1 attribute "a"`, sorted.
[[nodiscard]] std::vector<std::string> value_notes(expression const& e, scope const& in, note_options options = {});

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_EVALUATE_HPP
