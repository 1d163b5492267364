// SPDX-License-Identifier: BSL-1.0
#include "root_values.hpp"

#include <optional>

namespace iacctl::program {

namespace {

auto names_of(hcl_program const& program) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const& d : program.declarations()) names.push_back(d.name);
    return names;
}

}  // namespace

root_values::root_values(hcl_program const& program, std::vector<std::pair<infra::address, value>> objects,
    std::map<std::string, value> const& outputs)
    : program_(&program),
      values_(names_of(program)),
      visited_(program.declarations().size()),
      scope_(program, values_, program.modules().front(), {})
{
    auto const all = program.declarations();
    std::map<infra::address, std::vector<std::pair<infra::address, value>>> blocks;
    for (auto& one : objects) {
        auto block = one.first.config();
        blocks[std::move(block)].push_back(std::move(one));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& d = all[i];
        if (d.kind == infra::declaration_kind::resource) {
            auto const found = blocks.find(d.address);
            std::vector<infra::address> instances;
            if (found != blocks.end() && !d.removed)
                for (auto const& [address, object] : found->second) instances.push_back(address);
            values_.expand(i, std::move(instances));
            if (found == blocks.end() || d.removed) continue;
            for (auto& [address, object] : found->second) values_.publish(i, address, std::move(object));
        } else if (d.in->is_root() && d.variable() != nullptr) {
            if (auto const given = program.variables().find(d.variable()->name); given != program.variables().end()) {
                values_.publish(i, given->second);
                visited_[i] = true;
            }
        } else if (d.in->is_root() && d.output() != nullptr) {
            if (auto const made = outputs.find(d.output()->name); made != outputs.end()) {
                values_.publish(i, made->second);
                visited_[i] = true;
            }
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) compute(i);
}

void root_values::compute(std::size_t declaration)
{
    auto const& d = program_->declarations()[declaration];
    bool const is_value = d.kind == infra::declaration_kind::value || d.kind == infra::declaration_kind::module
        || d.kind == infra::declaration_kind::output;
    if (visited_[declaration] || !is_value) return;
    visited_[declaration] = true;
    for (auto const& reference : d.references)
        if (auto const number = values_.number_of(reference.name)) compute(*number);
    // The values of a module are computed from its call, which contains its instances.
    if (!d.in->is_root())
        if (auto const number = values_.number_of(d.in->name())) compute(*number);
    if (auto made = program_->evaluate(d, {}, values_)) values_.publish(declaration, std::move(*made));
}

}  // namespace iacctl::program
