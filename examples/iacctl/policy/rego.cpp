// SPDX-License-Identifier: BSL-1.0
#include "rego.hpp"

#include "base/blocking_child.hpp"
#include "base/json.hpp"
#include "messages/policies.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace iacctl::policy {

namespace {

constexpr std::string_view hidden_text = "(sensitive value)";
constexpr std::size_t longest_answer = std::size_t{64} << 20U;

constexpr std::array<std::string_view, 3> rules{"deny", "violation", "warn"};

// The name after the word "package" at the beginning of the file; nothing if there is none.
auto package_of(std::string_view text) -> std::optional<std::string>
{
    constexpr std::string_view blanks = " \t\r\n";
    for (;;) {
        auto const begin = text.find_first_not_of(blanks);
        if (begin == std::string_view::npos) return std::nullopt;
        text.remove_prefix(begin);
        if (text.front() != '#') break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    constexpr std::string_view word = "package";
    if (!text.starts_with(word)) return std::nullopt;
    text.remove_prefix(word.size());
    auto const begin = text.find_first_not_of(" \t");
    if (begin == 0 || begin == std::string_view::npos) return std::nullopt;
    text.remove_prefix(begin);
    auto const name = text.substr(0, text.find_first_of(" \t\r\n#;"));
    auto const accepted = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("_.[]\"-/").find(c) != std::string_view::npos;
    };
    if (name.empty() || !std::ranges::all_of(name, accepted)) return std::nullopt;
    return std::string(name);
}

// One expression for all packages: for each package the results of its rules, without rules that have no result.
auto query_of(std::vector<std::string> const& packages) -> std::string
{
    std::string query = "[";
    for (std::string const& name : packages) {
        query += query.size() == 1 ? "{" : ", {";
        for (std::string_view const rule : rules) {
            if (rule != rules.front()) query += ", ";
            query += '"' + std::string(rule) + "\": [x | x := data." + name + "." + std::string(rule) + "]";
        }
        query += "}";
    }
    return query + "]";
}

// The results for each package; null if the answer has another form.
auto results_in(iacctl::json const& answer) -> iacctl::json::array const*
{
    iacctl::json const* const all = answer.find("result");
    if (all == nullptr || all->elements() == nullptr || all->elements()->size() != 1) return nullptr;
    iacctl::json const* const expressions = all->elements()->front().find("expressions");
    if (expressions == nullptr || expressions->elements() == nullptr || expressions->elements()->size() != 1)
        return nullptr;
    iacctl::json const* const made = expressions->elements()->front().find("value");
    return made == nullptr ? nullptr : made->elements();
}

// Reports the messages of one rule.
class rule_reader {
public:
    rule_reader(std::string package, std::string_view rule, secrets const& hidden, infra::diagnostics& found)
        : package_("data." + std::move(package)),
          rule_(rule),
          hidden_(&hidden),
          found_(&found)
    {}

    void read(iacctl::json const& result)
    {
        if (bool const* const failed = result.boolean()) {
            if (*failed) report("its rule \"" + rule_ + "\" is true.", {});
            return;
        }
        if (result.elements() == nullptr) return refuse("it is neither a set nor a bool");
        for (iacctl::json const& one : *result.elements()) {
            iacctl::json const* const text = one.members() == nullptr ? &one : one.find("msg");
            iacctl::json const* const address = one.find("address");
            if (text == nullptr || text->text() == nullptr) refuse("an element has no message");
            else report(*text->text(), address == nullptr || address->text() == nullptr ? "" : *address->text());
        }
    }

private:
    void refuse(std::string_view why)
    {
        found_->add(language::error(messages::rego_answer_invalid, {package_ + '.' + rule_, why}));
    }
    void report(std::string const& message, std::string const& address)
    {
        auto const shown = hidden_->hidden_in(message);
        auto reported = rule_ == "warn" ? language::warning(messages::policy_warning, {package_, shown, ""})
                                        : language::error(messages::policy_violated, {package_, shown, ""});
        reported.address = hidden_->hidden_in(address);
        found_->add(std::move(reported));
    }

    std::string package_;
    std::string rule_;
    secrets const* hidden_;
    infra::diagnostics* found_;
};

}  // namespace

void secrets::add(language::value const& v, bool sensitive)
{
    constexpr std::size_t shortest = 3;
    sensitive = sensitive || v.is_sensitive() || v.is_ephemeral();
    for (language::value const& part : v.elements()) add(part, sensitive);
    for (auto const& [_, part] : v.entries()) add(part, sensitive);
    if (!sensitive || !v.has_data()) return;
    std::string text;
    if (v.is(language::type_kind::string)) text = v.as_string();
    else if (v.is(language::type_kind::number)) text = v.as_number().text();
    if (text.size() < shortest) return;
    // Longer values come first, because a short value may be a part of a long one.
    auto const before = [](std::string const& a, std::string const& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    };
    auto const at = std::ranges::lower_bound(all_, text, before);
    if (at == all_.end() || *at != text) all_.insert(at, std::move(text));
}

auto secrets::hidden_in(std::string text) const -> std::string
{
    for (std::string const& one : all_)
        for (auto at = text.find(one); at != std::string::npos; at = text.find(one, at + hidden_text.size()))
            text.replace(at, one.size(), hidden_text);
    return text;
}

void rego_policies::read(std::string const& name, std::string_view text, infra::diagnostics& found)
{
    files_.push_back(directory_ + '/' + name);
    auto package = package_of(text);
    if (!package) found.add(language::error(messages::rego_package_missing, {files_.back()}));
    else if (std::ranges::find(packages_, *package) == packages_.end()) packages_.push_back(std::move(*package));
}

void rego_policies::check(std::string const& document, secrets const& hidden, infra::diagnostics& found) const
{
    if (files_.empty()) return;
    child_command command;
    command.words = {"opa", "eval", "--format=json", "--stdin-input"};
    for (std::string const& file : files_) command.words.push_back("--data=" + file);
    command.words.push_back(query_of(packages_));
    command.input = document;
    auto const run = run_child(std::move(command), std::chrono::minutes(1), longest_answer);
    if (run.why == std::generic_category().message(ENOENT))
        return found.add(language::error(messages::rego_program_missing, {directory_}));
    auto const refuse = [&](std::string const& why, std::string const& printed) {
        auto const shown = printed.empty() ? std::string() : "\n\n" + hidden.hidden_in(printed);
        found.add(language::error(messages::rego_failed, {directory_, why, shown}));
    };
    if (!run.succeeded())
        return refuse(run.why, run.errors + (run.output.empty() ? "" : "\n" + shown_output(run.output)));
    auto const answer = parse_json(run.output);
    if (!answer) return refuse(std::string("its output is not JSON: ") + answer.error().what(), run.errors);
    auto const* const results = results_in(*answer);
    if (results == nullptr || results->size() != packages_.size())
        return refuse("its output has no result for each package", run.errors);
    for (std::size_t i = 0; i < packages_.size(); ++i)
        for (std::string_view const rule : rules) {
            iacctl::json const* const of_rule = (*results)[i].find(rule);
            if (of_rule == nullptr || of_rule->elements() == nullptr)
                return refuse("its output has no result for each rule", run.errors);
            for (iacctl::json const& one : *of_rule->elements())
                rule_reader(packages_[i], rule, hidden, found).read(one);
        }
}

}  // namespace iacctl::policy
