// SPDX-License-Identifier: BSL-1.0
#include "random_source.hpp"
#include "recorded_type.hpp"

#include <string>

namespace iacctl::providers {

namespace {

/// Nothing but a place in the order of things.
///
/// \source hashicorp/null 3, resource null_resource.
class null_resource_type final : public recorded_type {
public:
    null_resource_type()
        : recorded_type("null_resource", "provider[\"registry.terraform.io/hashicorp/null\"]",
              {computed_rule("id"), keepers_rule("triggers")})
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> checked<value> override
    {
        return with(planned, {{"id", value(std::to_string(random_source().below(std::uint64_t{1} << 63U)))}});
    }
};

}  // namespace

auto null_resource() -> resource_type const&
{
    static null_resource_type const instance;
    return instance;
}

}  // namespace iacctl::providers
