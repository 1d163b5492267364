// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_ROOT_VALUES_HPP
#define IACCTL_WORKSPACE_PROGRAM_ROOT_VALUES_HPP

#include "hcl_program.hpp"
#include "instance_scope.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::program {

/// The scope of the root module after a run: the resulting objects and outputs, and all other values computed from
/// them. A value that cannot be computed is unknown.
class root_values {
public:
    /// \param objects  by address; instances of one resource in any order
    /// \param outputs  of the root module; those that are missing are computed
    /// \pre `program` outlives this
    root_values(hcl_program const& program, std::vector<std::pair<infra::address, value>> objects,
        std::map<std::string, value> const& outputs);
    root_values(root_values const&) = delete;
    auto operator=(root_values const&) -> root_values& = delete;

    [[nodiscard]] auto scope() const noexcept -> language::scope const& { return scope_; }
    /// The value of an output of the root module; null if there is none.
    [[nodiscard]] auto output(std::string_view name) const -> value const*
    {
        return values_.value("output." + std::string(name));
    }

private:
    /// Computes a value after all values to which it refers.
    void compute(std::size_t declaration);

    hcl_program const* program_;
    hcl_program::scope_type values_;
    std::vector<bool> visited_;
    instance_scope scope_;
};

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_ROOT_VALUES_HPP
