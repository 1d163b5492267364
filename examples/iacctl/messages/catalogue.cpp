// SPDX-License-Identifier: BSL-1.0
#include "catalogue.hpp"

#include "backends.hpp"
#include "base/url_secrets.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "encryption.hpp"
#include "engine.hpp"
#include "evaluation.hpp"
#include "functions.hpp"
#include "installation.hpp"
#include "module_sources.hpp"
#include "plugins.hpp"
#include "policies.hpp"
#include "program.hpp"
#include "providers.hpp"
#include "report.hpp"
#include "server.hpp"
#include "state.hpp"
#include "syntax.hpp"
#include "telemetry.hpp"
#include "validation.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace iacctl::messages {

namespace {

#define IACCTL_MESSAGE(name, count, summary, detail) name,
constexpr message_text unsorted[]{
#include "backends.def"
#include "commands.def"
#include "configuration.def"
#include "encryption.def"
#include "engine.def"
#include "evaluation.def"
#include "functions.def"
#include "installation.def"
#include "module_sources.def"
#include "plugins.def"
#include "policies.def"
#include "program.def"
#include "providers.def"
#include "server.def"
#include "state.def"
#include "syntax.def"
#include "telemetry.def"
#include "validation.def"
};
#undef IACCTL_MESSAGE

// Sorted at run time, on first use: compilers limit the cost of constant expressions.
[[nodiscard]] auto sorted() -> std::array<message_text, std::size(unsorted)> const&
{
    static auto const made = [] {
        std::array<message_text, std::size(unsorted)> all{};
        std::ranges::copy(unsorted, all.begin());
        std::ranges::sort(all, {}, &message_text::code);
        return all;
    }();
    return made;
}

}  // namespace

auto filled(std::string_view pattern, std::span<std::string_view const> arguments) -> std::string
{
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (std::string_view const one : arguments) store.push_back(one);
    // The address of a module, a registry, a backend or an API may contain a password.
    return without_url_secrets(fmt::vformat(pattern, store));
}

auto report(strider::infra::severity level, message_text const& text, std::span<std::string_view const> arguments,
    std::string address) -> strider::infra::diagnostic
{
    return {filled(text.summary, arguments), filled(text.detail, arguments), std::move(address), {}, level, {},
        std::string(text.code), {}};
}

auto all_messages() -> std::span<message_text const>
{
    return sorted();
}

auto find_message(std::string_view code) -> message_text const*
{
    auto const& all = sorted();
    auto const at = std::ranges::lower_bound(all, code, {}, &message_text::code);
    return at != all.end() && at->code == code ? &*at : nullptr;
}

}  // namespace iacctl::messages
