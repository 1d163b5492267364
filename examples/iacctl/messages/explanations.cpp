// SPDX-License-Identifier: BSL-1.0
#include "explanations.hpp"

#include "backends.hpp"
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
#include "server.hpp"
#include "state.hpp"
#include "syntax.hpp"
#include "telemetry.hpp"
#include "validation.hpp"

#include <algorithm>
#include <iterator>

namespace iacctl::messages {

namespace {

struct explanation {
    message_text const* of;
    std::string_view text;
};

#define IACCTL_EXPLANATION(code, text) {&code, text},
constexpr explanation explanations[]{
#include "explanations/backends.def"
#include "explanations/commands.def"
#include "explanations/configuration.def"
#include "explanations/encryption.def"
#include "explanations/engine.def"
#include "explanations/evaluation.def"
#include "explanations/functions.def"
#include "explanations/installation.def"
#include "explanations/module_sources.def"
#include "explanations/plugins.def"
#include "explanations/policies.def"
#include "explanations/program.def"
#include "explanations/providers.def"
#include "explanations/server.def"
#include "explanations/state.def"
#include "explanations/syntax.def"
#include "explanations/telemetry.def"
#include "explanations/validation.def"
};
#undef IACCTL_EXPLANATION

// Joins the lines of a paragraph. Indented lines are not changed.
[[nodiscard]] auto joined(std::string_view text) -> std::string
{
    std::string out;
    bool open = false;  // whether the text ends with a line of a paragraph
    while (!text.empty()) {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        bool const prose = !line.empty() && !line.starts_with(' ');
        if (open) out += prose ? ' ' : '\n';
        out += line;
        if (!prose) out += '\n';
        open = prose;
    }
    return open ? out + '\n' : out;
}

}  // namespace

auto explanation_of(std::string_view code) -> std::string
{
    auto const* const found = std::ranges::find(explanations, code, [](explanation const& e) { return e.of->code; });
    return found == std::end(explanations) ? std::string() : joined(found->text);
}

}  // namespace iacctl::messages
