// SPDX-License-Identifier: BSL-1.0
#include "backend_choice.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "language/validation/schema.hpp"
#include "language/values/convert.hpp"
#include "messages/commands.hpp"
#include "messages/configuration.hpp"
#include "messages/report.hpp"
#include "state/backends/foreign_types.hpp"
#include "state/backends/types.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::workspace {

namespace {

using language::value;

// Returns the settings with some of them replaced.
auto with(value const& settings, std::vector<language::value_entry> replaced) -> value
{
    std::vector<language::value_entry> all(settings.entries().begin(), settings.entries().end());
    std::ranges::move(replaced, std::back_inserter(all));
    return value::object(std::move(all));
}

auto hash_of(backend_choice const& choice) -> std::string
{
    return hex(digest(choice.type + language::to_json(choice.settings), digest_kind::sha256));
}

// Returns the arguments of a body; nothing after errors.
auto read_body(language::body const& content, language::schema const& arguments, language::scope const& values,
    infra::diagnostics& found) -> std::optional<value>
{
    auto const before = found.error_count();
    language::check_body(content, arguments, found);
    if (found.error_count() != before) return std::nullopt;
    auto settings = language::evaluate_body(content, arguments, values, found);
    if (found.error_count() != before) return std::nullopt;
    if (settings.deep_marks() == language::mark::none) return settings;
    // The choice of a backend is stored, so its settings cannot be secret.
    found.add(language::error(messages::static_value_secret, {"backend"}, content.missing_item_range()));
    return std::nullopt;
}

// The value of an option for an argument; it is text unless the argument is a list or an object.
auto read_option(language::schema_attribute const& argument, std::string const& text, infra::diagnostics& found)
    -> std::optional<value>
{
    value given(text);
    if (!argument.of.is_primitive()) {
        auto const before = found.error_count();
        auto const parsed = language::parse_expression("-backend-config", text, found);
        given = language::evaluate(parsed.root, language::constant_scope(), found);
        if (found.error_count() != before) return std::nullopt;
    }
    auto converted = language::convert(given, argument.nested ? argument.nested->configured : argument.of);
    if (converted) return *converted;
    found.add(language::error(messages::backend_option_of_wrong_type, {argument.name, converted.error().message()}));
    return std::nullopt;
}

// Returns whether an argument, or a member of its object, is secret and set.
auto has_secret(language::schema_attribute const& argument, value const& given) -> bool
{
    if (!given.has_data()) return false;
    if (argument.sensitive || !argument.nested) return argument.sensitive;
    return std::ranges::any_of(argument.nested->content->attributes, [&](language::schema_attribute const& member) {
        auto const* const inner = given.find(member.name);
        return inner != nullptr && has_secret(member, *inner);
    });
}

// The arguments of a type that only other programs have. The block `cloud` is no type.
auto foreign_arguments_of(language::backend_block const& block) -> language::schema const*
{
    return block.type == backends::cloud_block ? nullptr : backends::find_foreign_arguments(block.type);
}

// Reports a backend in which states cannot be stored.
void report_unusable(language::backend_block const& block, infra::diagnostics& found)
{
    if (foreign_arguments_of(block) != nullptr)
        return found.add(language::error(
            messages::unsupported_backend, {block.type, backends::replacement_of(block.type)}, block.type_range));
    found.add(
        language::error(messages::unknown_backend_type, {block.type, backends::names_of_types()}, block.type_range));
}

}  // namespace

auto backend_choice::usual() -> backend_choice
{
    backend_choice made{"local", backends::no_settings(*backends::find_type("local")), {}, {}};
    made.hash = hash_of(made);
    return made;
}

auto backend_choice::is_usual() const -> bool
{
    return same_as(usual());
}

void check_backend_type(language::configuration const& root, infra::diagnostics& found)
{
    for (auto const& one : root.cloud)
        found.add(language::error(
            messages::unsupported_cloud_block, {backends::replacement_of(backends::cloud_block)}, one.range));
    if (root.backend && backends::find_type(root.backend->type) == nullptr) report_unusable(*root.backend, found);
}

void check_backend_block(language::configuration const& root, infra::diagnostics& found)
{
    // A configuration with a backend of another program can be validated here, and used there.
    for (auto const& one : root.cloud)
        language::check_body(one.of->content, *backends::find_foreign_arguments(backends::cloud_block), found);
    if (!root.backend) return;
    if (auto const* const foreign = foreign_arguments_of(*root.backend))
        return language::check_body(root.backend->content, *foreign, found);
    auto const* const type = backends::find_type(root.backend->type);
    if (type == nullptr) return report_unusable(*root.backend, found);
    language::check_body(root.backend->content, type->arguments(), found);
}

auto declared_backend(language::configuration const& root, infra::diagnostics& found, language::scope const& values)
    -> std::optional<backend_choice>
{
    auto const before = found.error_count();
    check_backend_type(root, found);
    if (found.error_count() != before) return std::nullopt;
    if (!root.backend) return backend_choice::usual();
    auto const* const type = backends::find_type(root.backend->type);
    auto settings = read_body(root.backend->content, type->arguments(), values, found);
    if (!settings) return std::nullopt;
    backend_choice made{root.backend->type, std::move(*settings), {}, {}};
    made.hash = hash_of(made);
    return made;
}

auto add_backend_options(backend_choice& to, std::span<std::string const> options, infra::diagnostics& found)
    -> std::vector<std::shared_ptr<language::syntax_tree>>
{
    std::vector<std::shared_ptr<language::syntax_tree>> kept;
    auto const& arguments = backends::find_type(to.type)->arguments();
    for (std::string const& text : options) {
        if (text.empty()) continue;
        if (auto const equals = text.find('='); equals != std::string::npos) {
            auto const name = text.substr(0, equals);
            auto const* const argument = arguments.find(name);
            if (argument == nullptr) found.add(language::error(messages::unknown_backend_argument, {name}));
            else if (auto given = read_option(*argument, text.substr(equals + 1), found))
                to.settings = with(to.settings, {{name, std::move(*given)}});
            continue;
        }
        auto content = read_input(text, input_kind::file_or_pipe);
        if (!content) {
            found.add(language::error(messages::unreadable_file, {text, content.error().message()}));
            continue;
        }
        auto const before = found.error_count();
        kept.push_back(text.ends_with(".json") ? language::parse_json_file(text, std::move(*content), {}, found)
                                               : language::parse_file(text, std::move(*content), found));
        if (found.error_count() != before) continue;
        auto const& root = kept.back()->root();
        auto const given = read_body(root, arguments, language::constant_scope(), found);
        if (!given) continue;
        std::vector<language::value_entry> replaced;
        for (language::value_entry const& e : given->entries()) {
            bool const is_block = arguments.find_block(e.key) != nullptr && e.of.size() != 0;
            if (is_block || root.find(e.key) != nullptr) replaced.push_back(e);
        }
        to.settings = with(to.settings, std::move(replaced));
    }
    return kept;
}

auto settings_from_json(std::string_view type, std::string_view object) -> expected<value>
{
    auto const refused = [&](std::string_view name, std::string_view why) {
        return infra::failure(make_error(messages::remembered_backend_unusable, {type, name, why}));
    };
    auto const parsed = parse_json(object);
    if (!parsed || parsed->members() == nullptr) return refused("config", "It is not an object");
    auto const& of_type = *backends::find_type(type);
    auto const desired = of_type.arguments().object_type();
    std::vector<language::value_entry> replaced;
    for (json::member const& one : *parsed->members()) {
        if (one.value.is_null()) continue;
        auto const* const of = desired.find(one.name);
        if (of == nullptr) return refused(one.name, "This version of iacctl does not have the argument");
        auto read = language::from_json(compact_text(one.value), of->of);
        if (!read) return refused(one.name, read.error().message());
        replaced.push_back({one.name, std::move(*read)});
    }
    return with(backends::no_settings(of_type), std::move(replaced));
}

auto changed_backend(backend_choice const& selected, backend_choice const& configured) -> infra::diagnostic
{
    auto const backend = [](backend_choice const& choice) { return "the backend \"" + choice.type + '"'; };
    if (configured.type == selected.type)
        return messages::make_error(messages::backend_changed, {backend(configured), "other arguments for it"});
    return messages::make_error(messages::backend_changed, {backend(configured), backend(selected)});
}

auto secrets_in(backend_choice const& choice) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const& one : backends::find_type(choice.type)->arguments().attributes) {
        auto const* const given = choice.settings.find(one.name);
        if (given != nullptr && has_secret(one, *given)) names.push_back(one.name);
    }
    return names;
}

auto make_backend(backend_choice const& choice, backends::place const& where)
    -> expected<std::shared_ptr<state::backend>>
{
    return backends::find_type(choice.type)->make(choice.settings, where);
}

}  // namespace iacctl::workspace
