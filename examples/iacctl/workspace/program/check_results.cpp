// SPDX-License-Identifier: BSL-1.0
#include "check_results.hpp"

#include "check_document.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace iacctl::program {

namespace {

constexpr std::array<std::string_view, 4> kind_names{"resource", "output", "check", "var"};
constexpr std::array<std::string_view, 4> status_names{"pass", "unknown", "fail", "error"};

}  // namespace

auto check_results::unevaluated(config_results const& results) -> object_results
{
    return {std::vector(results.rules, status_type::unknown), std::vector<std::string>(results.rules)};
}

check_results::check_results(std::vector<ruled_declaration> const& all, infra::document const& known)
{
    for (ruled_declaration const& one : all) all_.emplace(one.name, config_results{one.kind, one.rules, {}});
    if (known.empty() || !is_check_document(known)) return;
    auto const configs = parse_json(known.text());
    for (json const& config : *configs->elements()) {
        // The objects are missing either because there are none or because they were not determined.
        json const* const listed = config.find("objects");
        bool const none = listed == nullptr || listed->is_null();
        if (none && config.text_of("status") != status_names[static_cast<std::size_t>(status_type::pass)]) continue;
        std::vector<std::string> objects;
        if (!none)
            for (json const& object : *listed->elements()) objects.push_back(object.text_of("object_addr"));
        expand(config.text_of("config_addr"), objects);
    }
}

void check_results::expand(std::string const& config, std::vector<std::string> const& objects)
{
    std::lock_guard const lock(guard_);
    auto const at = all_.find(config);
    if (at == all_.end()) return;
    auto& known = at->second.objects ? *at->second.objects : at->second.objects.emplace();
    for (std::string const& object : objects) known.try_emplace(object, unevaluated(at->second));
}

void check_results::note(
    std::string const& config, std::string const& object, std::size_t rule, language::rule_result const& found)
{
    std::lock_guard const lock(guard_);
    auto const at = all_.find(config);
    if (at == all_.end() || rule >= at->second.rules) return;
    auto& objects = at->second.objects ? *at->second.objects : at->second.objects.emplace();
    auto& noted = objects.try_emplace(object, unevaluated(at->second)).first->second;
    noted.rules[rule] = found.refused ? status_type::error
        : !found.decided              ? status_type::unknown
        : found.holds                 ? status_type::pass
                                      : status_type::fail;
    bool const reported = noted.rules[rule] == status_type::fail && !found.message_unknown;
    noted.messages[rule] = reported ? found.message : std::string();
}

auto check_results::document() const -> infra::document
{
    if (all_.empty()) return {};
    auto const name = [](status_type s) { return status_names[static_cast<std::size_t>(s)]; };
    json_array written;
    for (auto const& [address, config] : all_) {
        auto worst = config.objects ? status_type::pass : status_type::unknown;
        json_array objects;
        if (config.objects)
            for (auto const& [object, results] : *config.objects) {
                auto const status = *std::ranges::max_element(results.rules);
                worst = std::max(worst, status);
                json_array messages;
                for (std::string const& message : results.messages)
                    if (!message.empty()) messages.text(message);
                objects.raw(json_object()
                        .raw_if("failure_messages", messages.empty() ? "" : messages.done())
                        .text("object_addr", object)
                        .text("status", name(status))
                        .done());
            }
        written.raw(json_object()
                .text("config_addr", address)
                .text("object_kind", kind_names[static_cast<std::size_t>(config.kind)])
                .raw("objects", objects.empty() ? "null" : objects.done())
                .text("status", name(worst))
                .done());
    }
    return infra::document(written.done());
}

auto checks_of_destroy(std::vector<ruled_declaration> const& all) -> infra::document
{
    check_results none(all);
    for (ruled_declaration const& one : all)
        if (one.kind == ruled_declaration::kind_type::output && one.name.starts_with("output."))
            none.expand(one.name, {one.name});
    return none.document();
}

}  // namespace iacctl::program
