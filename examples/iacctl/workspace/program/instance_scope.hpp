// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_INSTANCE_SCOPE_HPP
#define IACCTL_WORKSPACE_PROGRAM_INSTANCE_SCOPE_HPP

#include "hcl_program.hpp"
#include "language/evaluation/evaluate.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::program {

/// The scope of the expressions of one instance: the declarations around it, its own key, and the instance itself.
class instance_scope final : public language::scope {
public:
    /// A scope outside of resources, in one instance of a module.
    instance_scope(hcl_program const& program, hcl_program::scope_type const& values, hcl_program::module const& in,
        hcl_program::module_path path)
        : program_(&program),
          values_(&values),
          module_(&in),
          path_(std::move(path)),
          path_text_(to_string(path_))
    {}
    /// \param d    the resource of the instance
    /// \param self  the object for provisioners and postconditions; may be null
    instance_scope(hcl_program const& program, hcl_program::scope_type const& values, hcl_program::declaration const& d,
        infra::address const& instance, value const* self)
        : instance_scope(program, values, *d.in, instance.module())
    {
        key_ = instance.key();
        repeated_ = d.name;
        self_ = self;
    }

    /// Sets the resource or module call for `count` and `each`, and the key of its instance.
    void repeat_by(std::string name, infra::instance_key key)
    {
        repeated_ = std::move(name);
        key_ = std::move(key);
    }
    /// Sets the instance of a provider for `each`. \pre `entry` outlives the scope
    void set_each(language::value_entry const& entry) noexcept { each_ = &entry; }
    /// Sets the object that calls an action. \pre it outlives the scope
    void set_caller(value const& caller) noexcept { caller_ = &caller; }
    /// Sets the variable whose validation is checked, and its value. \pre both outlive the scope
    void set_own(std::string const& name, value const& own) noexcept
    {
        own_name_ = &name;
        own_ = &own;
    }

    [[nodiscard]] auto resolve(language::reference const& r, infra::diagnostics& found) const -> value override;
    [[nodiscard]] auto instance(language::reference const& r) const -> std::optional<value> override;
    [[nodiscard]] auto context() const noexcept -> language::call_context const& override
    {
        return program_->functions_see();
    }
    [[nodiscard]] auto find_function(std::string_view name) const -> language::function const* override;
    [[nodiscard]] auto way_to_function(std::string_view name) const -> std::string override;

private:
    [[nodiscard]] auto published(language::reference const& r, infra::diagnostics& found) const -> value;
    [[nodiscard]] auto missing(language::reference const& r, infra::diagnostics& found) const -> value;
    [[nodiscard]] auto resource(language::reference const& r, infra::diagnostics& found) const -> value;
    [[nodiscard]] auto each(language::reference const& r, infra::diagnostics& found) const -> value;
    [[nodiscard]] auto directory(language::reference const& r, infra::diagnostics& found) const -> value;
    [[nodiscard]] auto called(language::reference const& r, infra::diagnostics& found) const -> value;
    /// The keys of the instances of a call, or their number; null while that is unknown.
    [[nodiscard]] auto keys_of(hcl_program::module const* m) const -> value const*;
    [[nodiscard]] auto outputs_of(hcl_program::module const& m, infra::instance_key key) const -> value;

    hcl_program const* program_;
    hcl_program::scope_type const* values_;
    hcl_program::module const* module_;
    hcl_program::module_path path_;
    std::string path_text_;
    infra::instance_key key_;
    std::string repeated_;
    value const* self_ = nullptr;
    value const* caller_ = nullptr;
    std::string const* own_name_ = nullptr;
    value const* own_ = nullptr;
    language::value_entry const* each_ = nullptr;
};

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_INSTANCE_SCOPE_HPP
