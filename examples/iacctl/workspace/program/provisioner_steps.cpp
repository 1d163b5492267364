// SPDX-License-Identifier: BSL-1.0
#include "attribute_place.hpp"
#include "hcl_program.hpp"
#include "instance_scope.hpp"
#include "language/validation/schema.hpp"
#include "providers/connection_settings.hpp"
#include "providers/provisioners.hpp"
#include "providers/remote_provisioners.hpp"

#include <string>
#include <utility>
#include <vector>

namespace iacctl::program {

auto hcl_program::provisioners(declaration const& d) const -> std::vector<infra::provisioner>
{
    std::vector<infra::provisioner> steps;
    if (d.resource() == nullptr) return steps;
    for (language::provisioner const& p : d.resource()->provisioners)
        steps.push_back({p.type, steps.size(),
            p.when == language::provisioner_time::destroy ? infra::provision_time::destroy
                                                          : infra::provision_time::create,
            p.on_failure == language::failure_action::keep_going});
    return steps;
}

auto hcl_program::evaluate_provisioner(declaration const& d, infra::provisioner const& step,
    infra::address const& instance, value const& self, scope_type const& scope) const -> expected<value>
{
    infra::diagnostics found;
    instance_scope const in(*this, scope, d, instance, &self);
    language::provisioner const& written = d.resource()->provisioners[step.index];
    value config = language::evaluate_body(written.content, *providers::provisioner_schema(written.type), in, found);
    if (providers::uses_connection(written.type)) {
        auto const given = language::connection_of(written, d.resource()->connection);
        std::vector<language::value_entry> entries(config.entries().begin(), config.entries().end());
        entries.push_back({std::string(providers::connection_attribute),
            given ? language::evaluate_body(*given, providers::connection_schema(), in, found) : value()});
        config = value::object(std::move(entries));
    }
    if (found.has_errors()) return infra::failure(with_address(found, to_string(instance)));
    return config;
}

void hcl_program::locate(declaration const& d, infra::provisioner const& step, infra::diagnostics& problems) const
{
    language::provisioner const& at = d.resource()->provisioners[step.index];
    auto const& schema = *providers::provisioner_schema(at.type);
    auto const connection = language::connection_of(at, d.resource()->connection);
    std::string const prefix = std::string(providers::connection_attribute) + ".";
    problems.update([&](infra::diagnostic& p) {
        if (p.source) return;
        bool const in_connection = connection && p.attribute.starts_with(prefix);
        p.source = in_connection ? place_of_attribute(p.attribute.substr(prefix.size()), *connection,
                                       providers::connection_schema(), d.resource()->range)
                                 : place_of_attribute(p.attribute, at.content, schema, d.resource()->range);
    });
}

}  // namespace iacctl::program
