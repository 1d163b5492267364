// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_INSTANCE_SCOPE_HPP
#define IACCTL_PROGRAM_INSTANCE_SCOPE_HPP

#include "hcl_program.hpp"
#include "language/evaluate.hpp"

#include <string_view>

namespace iacctl::program {

/// What an expression of one instance sees: the declarations around it, its own key, and itself.
class instance_scope final : public language::scope {
public:
    /// \param of    the resource that the instance belongs to; null outside of resources
    /// \param self  the object that provisioners and postconditions work on; may be null
    /// \param own   the value of the variable whose validation is checked; may be null
    instance_scope(hcl_program const& program, hcl_program::scope_type const& values,
        hcl_program::declaration const* of, infra::address instance, value const* self, value const* own = nullptr)
        : program_(&program),
          values_(&values),
          of_(of),
          instance_(std::move(instance)),
          self_(self),
          own_(own)
    {}

    [[nodiscard]] auto resolve(language::reference const& r, language::diagnostics& found) const -> value override;

private:
    [[nodiscard]] auto resource(language::reference const& r) const -> value;
    [[nodiscard]] auto each(language::reference const& r, language::diagnostics& found) const -> value;

    hcl_program const* program_;
    hcl_program::scope_type const* values_;
    hcl_program::declaration const* of_;
    infra::address instance_;
    value const* self_;
    value const* own_;
};

/// Checks one condition; an unknown one is left for later.
void check_rule(language::check_rule const& rule, instance_scope const& in, std::string_view kind,
    std::string_view summary, language::source_range const& subject, language::diagnostics& found);

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_INSTANCE_SCOPE_HPP
