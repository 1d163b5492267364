// SPDX-License-Identifier: BSL-1.0
#include "hcl_policies.hpp"

#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"
#include "language/syntax/references.hpp"
#include "language/values/convert.hpp"
#include "messages/policies.hpp"

#include <strider/infra/model/selection.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace iacctl::policy {

namespace {

using language::body_shape;
using language::mark;
using language::value;

// Returns whether a text matches a pattern, in which * stands for any characters.
auto matches(std::string_view text, std::string_view pattern) -> bool
{
    std::size_t at = 0;
    std::size_t read = 0;
    std::size_t star = std::string_view::npos;
    std::size_t after_star = 0;
    while (at < text.size()) {
        if (read < pattern.size() && pattern[read] == '*') {
            star = read++;
            after_star = at;
        } else if (read < pattern.size() && pattern[read] == text[at]) {
            ++read;
            ++at;
        } else if (star != std::string_view::npos) {
            read = star + 1;
            at = ++after_star;
        } else return false;
    }
    while (read < pattern.size() && pattern[read] == '*') ++read;
    return read == pattern.size();
}

auto matches_any(std::string_view text, std::vector<std::string> const& patterns) -> bool
{
    return patterns.empty()
        || std::ranges::any_of(patterns, [&](std::string const& content) { return matches(text, content); });
}

// The names to which conditions and messages refer.
class policy_scope final : public language::scope {
public:
    policy_scope(value const& plan, value const* change, std::string created) : plan_(&plan), change_(change)
    {
        context_.plan_time = std::move(created);
    }

    [[nodiscard]] auto resolve(language::reference const& r, infra::diagnostics& found) const -> value override
    {
        found.add(language::error(messages::policy_reference_unknown, {r.address()}, r.range));
        return value::unknown();
    }
    [[nodiscard]] auto variable(std::string_view name) const -> value const* override
    {
        return name == "plan" ? plan_ : name == "change" ? change_ : nullptr;
    }
    [[nodiscard]] auto context() const noexcept -> language::call_context const& override { return context_; }

private:
    value const* plan_;
    value const* change_;
    language::call_context context_;
};

auto read_severity(language::attribute const& a, infra::diagnostics& found) -> severity
{
    auto const word = language::constant_string(a, found);
    if (!word || *word == "error") return severity::error;
    if (*word == "warning") return severity::warning;
    if (*word == "info") return severity::info;
    found.add(language::error(messages::policy_severity_invalid, {a.name, *word}, a.of.range()));
    return severity::error;
}

auto read_list(language::body const& from, std::string_view name, infra::diagnostics& found) -> std::vector<std::string>
{
    std::vector<std::string> all;
    auto const* const given = from.find(name);
    if (given == nullptr) return all;
    auto const before = found.error_count();
    auto const list = language::evaluate(given->of, language::constant_scope(), found);
    if (found.error_count() > before) return all;
    bool const is_list = list.has_data() && (list.is(language::type_kind::tuple) || list.is(language::type_kind::list))
        && list.size() > 0 && std::ranges::all_of(list.elements(), [](value const& v) {
               return v.has_data() && v.is(language::type_kind::string);
           });
    if (!is_list) found.add(language::error(messages::policy_list_invalid, {name}, given->of.range()));
    else
        for (value const& one : list.elements()) all.push_back(one.as_string());
    return all;
}

auto read_filter(language::block const& b, bool protects, infra::diagnostics& found) -> change_filter
{
    body_shape shape{.arguments = {{"types"}, {"addresses"}, {"modules"}}, .blocks = {}};
    if (!protects) shape.arguments.push_back({"actions"});
    language::check_body(b.content, shape, found);
    change_filter made;
    made.types = read_list(b.content, "types", found);
    made.addresses = read_list(b.content, "addresses", found);
    made.modules = read_list(b.content, "modules", found);
    if (protects) return made;
    made.actions = read_list(b.content, "actions", found);
    for (std::string const& word : made.actions)
        if (!is_action_word(word))
            found.add(language::error(messages::policy_action_unknown, {word}, b.content.find("actions")->of.range()));
    return made;
}

// The result of a condition.
enum class verdict : std::uint8_t { holds, fails, undecided, refused };

auto ask(hcl_policy const& policy, language::scope const& in, infra::diagnostics& found) -> verdict
{
    if (!policy.condition) return verdict::holds;
    auto const before = found.error_count();
    auto const given = language::evaluate(policy.condition, in, found);
    if (found.error_count() > before) return verdict::refused;
    if (given.is_unknown()) return verdict::undecided;
    auto const decided = language::convert(given, language::type::boolean());
    if (!given.is_null() && decided) return decided->as_bool() ? verdict::holds : verdict::fails;
    auto wrong = language::error(messages::policy_condition_not_boolean,
        {policy.name, given.is_null() ? std::string("it is null") : decided.error().text()}, policy.condition.range());
    wrong.source.notes = language::value_notes(policy.condition, in);
    found.add(std::move(wrong));
    return verdict::refused;
}

auto message_of(hcl_policy const& policy, language::scope const& in, infra::diagnostics& found) -> std::string
{
    if (!policy.message) return policy.protects ? "" : "its condition is false.";
    auto const before = found.error_count();
    auto const given = language::evaluate(policy.message, in, found);
    if (found.error_count() > before) return "its message could not be computed.";
    if (given.has_deep(mark::sensitive | mark::ephemeral))
        return "its message is not shown, because it contains a sensitive value.";
    if (given.is_unknown()) return "its message is known only after the apply.";
    auto const text = language::convert(given, language::type::string());
    if (!given.is_null() && text) return text->as_string();
    found.add(language::error(messages::policy_message_invalid,
        {policy.name, given.is_null() ? std::string("it is null") : text.error().text()}, policy.message.range()));
    return "its message could not be computed.";
}

// Reports unknown names in policies before the plan is made.
void check_names(language::expression const& e, bool with_change, infra::diagnostics& found)
{
    language::for_each_traversal(e, [&](language::syntax::traversal const& t) {
        if (t.root == "plan" || (with_change && t.root == "change")) return;
        found.add(language::error(
            messages::policy_reference_unknown, {language::traversal_text(t, t.steps.size())}, e.at(t.range)));
    });
}

auto description_of(hcl_policy const& policy) -> std::string
{
    return policy.description.empty() ? std::string() : "\n\n" + policy.description;
}

// Reports that a policy does not hold, or is undecided.
void report(
    hcl_policy const& policy, verdict v, policy_scope const& in, std::string const& address, infra::diagnostics& found)
{
    auto const place = policy.condition.range();
    auto const made = [&]() -> infra::diagnostic {
        auto const description = description_of(policy);
        if (v == verdict::undecided) {
            bool const refuses = policy.undecided == severity::error;
            return refuses ? language::error(messages::policy_undecided, {policy.name, description}, place)
                           : language::warning(messages::policy_undecided, {policy.name, description}, place);
        }
        auto const text = message_of(policy, in, found);
        switch (policy.level) {
        case severity::error:
            return language::error(messages::policy_violated, {policy.name, text, description}, place);
        case severity::warning:
            return language::warning(messages::policy_warning, {policy.name, text, description}, place);
        case severity::info: break;
        }
        return language::warning(messages::policy_advice, {policy.name, text, description}, place);
    };
    auto reported = made();
    reported.address = address;
    reported.source.notes =
        language::value_notes(policy.condition, in, {.unknown = true, .sensitive = true, .ephemeral = true});
    found.add(std::move(reported));
}

void judge(hcl_policy const& policy, policy_scope const& in, std::string const& address, infra::diagnostics& found)
{
    auto const answer = ask(policy, in, found);
    if (answer == verdict::fails || answer == verdict::undecided) report(policy, answer, in, address, found);
}

// The addresses of -approve.
class approvals {
public:
    explicit approvals(std::vector<infra::address> const& all) : all_(&all), used_(all.size()) {}

    auto allow(infra::address const& target) -> bool
    {
        bool allowed = false;
        for (std::size_t i = 0; i < all_->size(); ++i) {
            if (!infra::is_target((*all_)[i], target, false)) continue;
            used_[i] = true;
            allowed = true;
        }
        return allowed;
    }

    void report_unused(infra::diagnostics& found) const
    {
        for (std::size_t i = 0; i < all_->size(); ++i)
            if (!used_[i]) found.add(language::warning(messages::approval_unused, {to_string((*all_)[i])}));
    }

private:
    std::vector<infra::address> const* all_;
    std::vector<bool> used_;
};

// Reports that a change needs an approval and has none.
void protect(hcl_policy const& policy, policy_scope const& in, planned_change const& change, approvals& given,
    infra::diagnostics& found)
{
    // An unknown condition marks the object.
    auto const answer = ask(policy, in, found);
    if (answer == verdict::fails || answer == verdict::refused || given.allow(change.address)) return;
    auto more = description_of(policy);
    if (auto const text = message_of(policy, in, found); !text.empty()) more += "\n\n" + text;
    if (!more.empty()) more += "\n\n";
    else more = " ";
    found.add(language::error(messages::approval_of_change_required,
        {word_of(change.what) == "replace" ? "replaces" : "destroys", to_string(change.address), policy.name, more},
        policy.place));
}

}  // namespace

auto change_filter::selects(planned_change const& change) const -> bool
{
    bool const acts = actions.empty() ? change.what != infra::action::no_op
                                      : std::ranges::find(actions, word_of(change.what)) != actions.end();
    return acts && matches_any(change.address.type(), types) && matches_any(to_string(change.address), addresses)
        && matches_any(to_string(change.address.module()), modules);
}

void hcl_policies::read(std::string const& shown_name, std::string text, infra::diagnostics& found)
{
    auto const before = found.error_count();
    auto const& tree = trees_.emplace_back(language::parse_file(shown_name, std::move(text), found));
    if (found.error_count() > before) return;
    body_shape const shape{.arguments = {}, .blocks = {{"policy", {"name"}}, {"protect", {"name"}}}};
    language::check_body(tree->root(), shape, found);
    if (found.error_count() > before) return;
    for (language::block const& one : tree->root().blocks) add(one, found);
}

void hcl_policies::add(language::block const& b, infra::diagnostics& found)
{
    hcl_policy made;
    made.protects = b.type == "protect";
    body_shape shape{
        .arguments = {{"description"}, {"condition", !made.protects}, {"message"}}, .blocks = {{"changes", {}}}};
    if (!made.protects) {
        shape.arguments.push_back({"severity"});
        shape.arguments.push_back({"undecided"});
    }
    language::check_body(b.content, shape, found);
    made.name = b.labels.front().text;
    made.place = b.header_range();
    bool const known = std::ranges::any_of(
        all_, [&](hcl_policy const& policy) { return policy.name == made.name && policy.protects == made.protects; });
    if (known) found.add(language::error(messages::policy_duplicate, {b.type, made.name}, made.place));
    for (language::attribute const& one : b.content.attributes) {
        if (one.name == "description") made.description = language::constant_string(one, found).value_or("");
        else if (one.name == "condition") made.condition = one.of;
        else if (one.name == "message") made.message = one.of;
        else if (one.name == "severity") made.level = read_severity(one, found);
    }
    auto const* const undecided = b.content.find("undecided");
    made.undecided = undecided == nullptr || made.protects ? made.level : read_severity(*undecided, found);
    for (language::block const& one : b.content.blocks) {
        if (one.type != "changes") continue;
        if (made.changes)
            found.add(language::error(messages::policy_duplicate, {"block", "changes"}, one.header_range()));
        made.changes = read_filter(one, made.protects, found);
    }
    if (made.protects) {
        if (!made.changes) made.changes.emplace();
        made.changes->actions = {"delete", "replace"};
    }
    check_names(made.condition, made.changes.has_value(), found);
    check_names(made.message, made.changes.has_value(), found);
    all_.push_back(std::move(made));
}

void hcl_policies::check(
    planned_run const& run, std::vector<infra::address> const& approved, infra::diagnostics& found) const
{
    std::vector<value> changes;
    for (planned_change const& one : run.changes) changes.push_back(value_of(one));
    auto const plan = value_of(run, changes);
    approvals given(approved);
    for (hcl_policy const& one : all_) {
        if (!one.changes) {
            judge(one, policy_scope(plan, nullptr, run.created), {}, found);
            continue;
        }
        for (std::size_t i = 0; i < changes.size(); ++i) {
            planned_change const& change = run.changes[i];
            if (!one.changes->selects(change)) continue;
            policy_scope const in(plan, &changes[i], run.created);
            infra::diagnostics of_change;
            if (one.protects) protect(one, in, change, given, of_change);
            else judge(one, in, to_string(change.address), of_change);
            found.add(with_address(std::move(of_change), to_string(change.address)));
        }
    }
    given.report_unused(found);
}

}  // namespace iacctl::policy
