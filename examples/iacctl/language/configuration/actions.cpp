// SPDX-License-Identifier: BSL-1.0
// Blocks `action`, and the blocks `action_trigger` of resources.
#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "dialect.hpp"
#include "language/evaluation/body_reader.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace iacctl::language::detail {

namespace {

constexpr std::array<std::string_view, 6> event_words{
    "before_create", "after_create", "before_update", "after_update", "before_destroy", "after_destroy"};

}  // namespace

void block_decoder::decode_action(block const& b)
{
    check_word(into_.dialect, origin_program::terraform, "action", "1.14", b.type_range, found_);
    auto const& content = b.content;
    check_body(content, shapes::action, found_);
    resource made;
    made.mode = resource_mode::action;
    made.type = b.labels[0].text;
    made.name = b.labels[1].text;
    made.range = b.header_range();
    made.type_range = b.labels[0].range;
    made.content = without(content, shapes::action);
    static_cast<void>(check_name(b.labels[0], "action type name"));
    static_cast<void>(check_name(b.labels[1], "action name"));
    if (auto const* const one = content.find("count")) made.count = one->of;
    if (auto const* const one = content.find("for_each")) {
        made.for_each = one->of;
        if (made.count) found_.add(error(messages::count_and_for_each, one->name_range()));
    }
    if (auto const* const one = content.find("provider"))
        if (auto const desired = decode_provider_reference(one->of, "provider")) {
            made.provider = desired->name;
            made.provider_key = desired->key;
        }
    bool seen = false;
    for (auto const& one : content.blocks) {
        if (one.type != "config") continue;
        if (std::exchange(seen, true)) found_.add(error(messages::duplicate_action_config, one.header_range()));
        else made.content = one.content;
    }
    auto const [place, fresh] =
        into_.resources.try_emplace(made.address(), std::move(made));  // moved from only if inserted
    if (!fresh)
        found_.add(error(messages::duplicate_action, {made.type, made.name, place->second.range.text()}, made.range));
}

void block_decoder::decode_action_trigger(block const& b, lifecycle& into)
{
    check_word(into_.dialect, origin_program::terraform, "lifecycle.action_trigger", "1.14", b.type_range, found_);
    check_body(b.content, shapes::action_trigger, found_);
    action_trigger_block made;
    made.range = b.header_range();
    if (auto const* const one = b.content.find("condition")) made.condition = one->of;
    if (auto const* const one = b.content.find("events")) decode_events(*one, made);
    if (auto const* const one = b.content.find("actions")) decode_triggered_actions(*one, made);
    if (made.events.empty()) found_.add(error(messages::action_trigger_without_events, made.range));
    if (made.actions.empty()) found_.add(error(messages::action_trigger_without_actions, made.range));
    if (auto const* const one = b.content.find("on_failure")) {
        auto const word = keyword_of(*one, found_);
        if (word == "taint") made.on_failure = action_failure::taint;
        else if (word == "continue") made.on_failure = action_failure::keep_going;
        else if (word != "halt") found_.add(error(messages::unknown_action_failure, one->of.range()));
    }
    into.action_triggers.push_back(std::move(made));
}

void block_decoder::decode_events(attribute const& a, action_trigger_block& made)
{
    for (auto const& written : static_list(a.of, found_)) {
        auto const one = unquoted_json(written, into_.files, found_);
        auto const word = as_keyword(one);
        auto const* const known = std::ranges::find(event_words, word);
        if (known == event_words.end()) {
            found_.add(error(messages::unknown_action_event, {word}, one.range()));
        } else {
            auto const event = static_cast<action_event>(known - event_words.begin());
            if (std::ranges::find(made.events, event) != made.events.end())
                found_.add(error(messages::duplicate_action_event, {word}, one.range()));
            else made.events.push_back(event);
        }
    }
}

void block_decoder::decode_triggered_actions(attribute const& a, action_trigger_block& made)
{
    for (auto const& written : static_list(a.of, found_)) {
        auto const one = unquoted_json(written, into_.files, found_);
        auto const refuse = [&] { found_.add(error(messages::invalid_triggered_action, one.range())); };
        action_reference made_one;
        made_one.range = one.range();
        expression subject = one;
        if (one.node().kind == syntax::node_kind::index) {
            auto const& at = syntax::as<syntax::index>(one.node());
            subject = one.with(at.collection);
            made_one.key = one.with(at.key);
            for (auto const& refers : references_of(made_one.key, found_))
                if (refers.kind != reference_kind::each && refers.kind != reference_kind::count)
                    found_.add(error(messages::invalid_triggered_action, refers.range));
        }
        auto const* const path = as_traversal(subject);
        if (path == nullptr) {
            refuse();
            continue;
        }
        auto const parsed = parse_reference(*path, one.file(), found_);
        if (!parsed) continue;
        bool const named = parsed->kind == reference_kind::action && parsed->remaining().empty();
        if (!named || (parsed->key && made_one.key)) {
            refuse();
            continue;
        }
        made_one.of = *parsed;
        made.actions.push_back(std::move(made_one));
    }
}

}  // namespace iacctl::language::detail
