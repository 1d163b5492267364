// SPDX-License-Identifier: BSL-1.0
#include "test_scope.hpp"

#include "messages/commands.hpp"
#include "messages/configuration.hpp"

#include <string_view>

namespace iacctl::testing {

using language::reference_kind;
using language::value;

namespace {

// Runs and outputs have no special kind of reference: run.setup is parsed as a resource.
auto is_word(language::reference const& r, std::string_view word) -> bool
{
    return r.kind == reference_kind::resource && r.type == word;
}

}  // namespace

auto test_scope::resolve(language::reference const& r, infra::diagnostics& found) const -> value
{
    if (is_word(r, "run")) return run(r, found);
    if (r.kind == reference_kind::variable) {
        if (auto given = variable_value(std::string(r.name), found)) return std::move(*given);
        found.add(language::error(messages::unknown_test_variable, {r.name}, r.range));
    } else found.add(language::error(messages::invalid_test_reference, {r.address()}, r.range));
    return value::unknown();
}

auto test_scope::variable_value(std::string const& name, infra::diagnostics& found) const -> std::optional<value>
{
    if (auto const defined = defined_.find(name); defined != defined_.end()) return defined->second;
    auto const own = file_->variables.find(name);
    if (own == file_->variables.end() || !under_way_.insert(name).second) return globals_(name);
    auto made = language::evaluate(own->second, *this, found);
    under_way_.erase(name);
    return made;
}

auto test_scope::run(language::reference const& r, infra::diagnostics& found) const -> value
{
    auto const ended = runs_.find(std::string(r.name));
    if (ended == runs_.end()) {
        found.add(language::error(messages::unknown_test_run, {r.name}, r.range));
        return value::unknown();
    }
    auto const steps = r.remaining();
    value const* const output =
        steps.empty() || steps.front().key != nullptr ? nullptr : ended->second.find(steps.front().name);
    value const& used = output == nullptr ? ended->second : *output;
    if (!used.wholly_known())
        found.add(language::error(messages::unknown_output_of_test_run,
            {r.address() + (output == nullptr ? "" : "." + std::string(steps.front().name)), r.name}, r.range));
    return ended->second;
}

auto function_scope::resolve(language::reference const& r, infra::diagnostics& found) const -> value
{
    found.add(language::error(messages::reference_in_test_value, {r.address()}, r.range));
    return value::unknown();
}

auto assertion_scope::resolve(language::reference const& r, infra::diagnostics& found) const -> value
{
    if (is_word(r, "run")) return file_->resolve(r, found);
    if (r.kind == reference_kind::variable && !root_->variables.contains(r.name)) {
        auto const own = run_->find(r.name);
        return own == run_->end() ? file_->resolve(r, found) : own->second;
    }
    if (!is_word(r, "output")) return inner_scope::resolve(r, found);
    auto const declared = root_->outputs.find(r.name);
    if (declared == root_->outputs.end()) {
        found.add(language::error(messages::undeclared_output, {r.name}, r.range));
        return value::unknown();
    }
    value const* const made = values_->output(r.name);
    return (made == nullptr ? value::unknown() : *made).with_marks(declared->second.marks());
}

auto assertion_scope::instance(language::reference const& r) const -> std::optional<value>
{
    if (is_word(r, "run") || is_word(r, "output")) return std::nullopt;
    return inner_scope::instance(r);
}

}  // namespace iacctl::testing
