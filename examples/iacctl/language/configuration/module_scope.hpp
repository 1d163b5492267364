// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_MODULE_SCOPE_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_MODULE_SCOPE_HPP

#include "configuration.hpp"
#include "language/evaluation/evaluate.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace iacctl::language {

/// The scope of the expressions of a module without an engine. Variables have the given values, or else unknown ones;
/// locals and outputs of modules are evaluated on demand; objects come from a function.
///
/// A value that refers to itself in a cycle is unknown. Not thread-safe, as results are cached.
class module_scope final : public scope {
public:
    /// Returns the value of a resource or data source in an instance of a module, or an unknown one.
    using object_source = std::function<value(std::string_view module, resource const&)>;

    /// \param objects  empty: objects are unknown, as are the instances of modules
    /// \param path  address of the module instance, as `module.a[0].module.b`
    module_scope(configuration const& c, std::map<std::string, value, std::less<>> const* variables,
        object_source objects, call_context context, std::string path = {})
        : of_(c),
          variables_(variables),
          objects_(std::move(objects)),
          context_(std::move(context)),
          path_(std::move(path))
    {}

    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override;
    [[nodiscard]] auto context() const noexcept -> call_context const& override { return context_; }
    [[nodiscard]] auto find_function(std::string_view name) const -> function const* override;
    [[nodiscard]] auto way_to_function(std::string_view name) const -> std::string override;

    /// The values of the variables of an instance of a called module; nothing if there is no such instance.
    /// \param key  of the instance: a number or a string; null if the call has one instance
    [[nodiscard]] auto variables_of(module_call const& call, value const& key) const
        -> std::optional<std::map<std::string, value, std::less<>>>;

    /// The outputs of a called module, with its variables set by the call.
    [[nodiscard]] auto outputs_of(module_call const& call) const -> value;

private:
    [[nodiscard]] auto evaluate_outputs(module_call const& call) const -> value;
    [[nodiscard]] auto outputs_of_instance(module_call const& call, std::string_view key, scope const& in) const
        -> value;
    [[nodiscard]] auto variable_value(std::string_view name) const -> value;
    [[nodiscard]] auto local(std::string_view name) const -> value;

    configuration const& of_;
    std::map<std::string, value, std::less<>> const* variables_;
    object_source objects_;
    call_context context_;
    std::string path_;
    mutable std::map<std::string, value, std::less<>> locals_;
    mutable std::map<std::string, value, std::less<>> modules_;
    mutable std::set<std::string, std::less<>> under_way_;
};

/// The value of a variable of a called module: the argument of the call, converted, or the default; unknown after a
/// diagnostic.
[[nodiscard]] auto argument_value(module_call const& call, variable const& desired, scope const& in, diagnostics& found)
    -> value;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_MODULE_SCOPE_HPP
