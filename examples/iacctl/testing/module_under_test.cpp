// SPDX-License-Identifier: BSL-1.0
#include "module_under_test.hpp"

#include "workspace/workspace.hpp"

#include <utility>

namespace iacctl::testing {

module_under_test::module_under_test(workspace::settings s, infra::diagnostics& found)
    : settings_(std::move(s)),
      declared_(language::load_configuration(settings_.directory, found)),
      texts_(workspace::texts_of(declared_))
{}

auto module_under_test::copy() const -> language::configuration
{
    infra::diagnostics known;
    return language::load_configuration(texts_, known, settings_.directory);
}

auto module_under_test::check() -> infra::diagnostics const&
{
    std::call_once(checked_, [&] {
        workspace::workspace const here(settings_);
        judged_ = here.check_configuration(problems_);
        language::sort_by_place(problems_);
    });
    return problems_;
}

}  // namespace iacctl::testing
