// SPDX-License-Identifier: BSL-1.0
// Decodes `terraform` and `provider` blocks: settings of a module rather than objects of it.
#include "base/characters.hpp"
#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "file_names.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/scanner.hpp"
#include "language/values/convert.hpp"
#include "messages/configuration.hpp"
#include "provider_requirements.hpp"
#include "version_constraint.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto parts_of(std::string_view text, char at) -> std::vector<std::string>
{
    std::vector<std::string> parts(1);
    for (char const c : text) {
        if (c == at) parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

/// The program to which `required_version` in a file refers.
[[nodiscard]] auto program_of_file(std::string_view file) -> origin_program
{
    auto const name = configuration_file_name::parse(file);
    return name && name->opentofu ? origin_program::opentofu : origin_program::terraform;
}

/// A reference to a provider as an expression. In JSON syntax, a string may also contain an index with any key.
[[nodiscard]] auto unquoted_provider(
    expression const& e, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found) -> expression
{
    auto const reference = unquoted_reference(e, trees, found);
    if (&reference.node() != &e.node()) return reference;
    diagnostics problems;
    auto const read = unquoted_json(e, trees, problems);
    bool const is_index = !problems.has_errors() && read.node().kind == syntax::node_kind::index;
    return is_index ? read : e;
}

}  // namespace

auto block_decoder::decode_constraint(attribute const& a) -> std::optional<std::string>
{
    auto const before = found_.error_count();
    auto const made = evaluate(a.of, constant_scope(), found_);
    if (found_.error_count() > before) return std::nullopt;
    auto const text = convert(made, type::string());
    if (text && text->is_null()) return std::nullopt;
    if (!text || !text->has_data()) {
        found_.add(error(messages::version_constraint_not_string, {a.name}, a.of.range()));
        return std::nullopt;
    }
    return text->as_string();
}

void block_decoder::decode_terraform(block const& b)
{
    auto const& content = b.content;
    check_body(content, shapes::terraform, found_);
    if (auto const* const one = content.find("language")) {
        auto const word = as_keyword(unquoted_json(one->of, into_.files, found_));
        if (word.empty()) found_.add(error(messages::invalid_language_edition, one->of.range()));
        else if (word != "TF2021")
            found_.add(error(messages::unsupported_language_edition, {word, language_version}, one->of.range()));
    }
    if (auto const* const one = content.find("experiments"))
        found_.add(error(messages::experiments_not_supported, one->name_range()));
    if (auto const* const one = content.find("required_version"))
        if (auto const text = decode_constraint(*one); text && check_constraint(*text, one->of.range()))
            into_.required_versions.push_back({*text, one->range, program_of_file(one->range.file->name())});
    for (auto const& one : content.blocks) {
        if (one.type == "required_providers") decode_required_providers(one);
        if (one.type == "provider_meta" && one.labels.size() == 1) decode_provider_meta(one);
    }
    decode_state_places_in(content);
}

void block_decoder::decode_language(block const& b)
{
    check_body(b.content, shapes::language, found_);
    if (auto const* const one = b.content.find("edition")) {
        auto const word = as_keyword(unquoted_json(one->of, into_.files, found_));
        if (word != "tofu2024") found_.add(error(messages::unknown_opentofu_edition, {word}, one->of.range()));
    }
    if (auto const* const one = b.content.find("experiments"); one && !static_list(one->of, found_).empty())
        found_.add(error(messages::experiments_not_supported, one->name_range()));
    constexpr std::array programs{
        std::pair("opentofu", origin_program::opentofu), std::pair("terraform", origin_program::terraform)};
    for (auto const& inner : b.content.blocks)
        for (auto const& [name, program] : programs)
            if (auto const* const one = inner.content.find(name))
                if (auto const text = decode_constraint(*one); text && check_constraint(*text, one->of.range()))
                    into_.required_versions.push_back({*text, one->range, program});
}

void block_decoder::decode_state_places(body const& of_file)
{
    for (auto const& one : of_file.blocks)
        if (one.type == "terraform") decode_state_places_in(one.content);
}

void block_decoder::decode_state_places_in(body const& settings)
{
    for (auto const& one : settings.blocks) {
        if (one.type == "encryption") {
            check_word(into_.dialect, origin_program::opentofu, "encryption", "1.7", one.type_range, found_);
            into_.encryption.push_back({&one, one.header_range()});
        }
        bool const cloud = one.type == "cloud";
        if (cloud || (one.type == "backend" && one.labels.size() == 1)) decode_state_place(one, cloud);
    }
}

void block_decoder::decode_state_place(block const& b, bool cloud)
{
    auto const place = b.header_range();
    if (cloud && !into_.cloud.empty())
        return found_.add(error(messages::duplicate_cloud, {into_.cloud.front().range.text()}, place));
    if (!cloud && into_.backend)
        return found_.add(error(messages::duplicate_backend, {into_.backend->range.text()}, place));
    if (cloud) into_.cloud.push_back({&b, place});
    else into_.backend = {b.labels[0].text, b.content, place, b.labels[0].range};
    if (into_.backend && !into_.cloud.empty())
        found_.add(error(messages::backend_and_cloud, {into_.cloud.front().range.text(), into_.backend->range.text()},
            into_.backend->range));
}

void block_decoder::decode_provider_meta(block const& b)
{
    auto const& name = b.labels[0].text;
    if (!check_provider_name(name, b.labels[0].range)) return;
    for (auto const& one : b.content.blocks) found_.add(error(messages::unexpected_block, {one.type}, one.type_range));
    for (auto const& one : b.content.attributes) static_cast<void>(evaluate(one.of, constant_scope(), found_));
    auto const [first, fresh] = into_.provider_meta.try_emplace(name, provider_meta_block{b.content, b.header_range()});
    if (!fresh)
        found_.add(error(messages::duplicate_provider_meta, {name, first->second.range.text()}, b.header_range()));
}

void block_decoder::decode_required_providers(block const& b)
{
    if (into_.required_providers_at)
        return found_.add(
            error(messages::duplicate_required_providers, {into_.required_providers_at.text()}, b.header_range()));
    into_.required_providers_at = b.header_range();
    for (auto const& one : b.content.blocks) found_.add(error(messages::unexpected_block, {one.type}, one.type_range));
    for (auto const& one : b.content.attributes) {
        static_cast<void>(check_provider_name(one.name, one.name_range()));
        required_provider made{{}, {}, one.range, {}};
        if (one.of.node().kind == syntax::node_kind::object) decode_requirement(one, made);
        else {
            auto const before = found_.error_count();
            auto const given = evaluate(one.of, constant_scope(), found_);
            if (given.has_data() && given.is(type_kind::string)) {
                made.version = given.as_string();
                check_constraint(made.version, one.of.range());
            } else if (found_.error_count() == before)
                found_.add(error(messages::invalid_required_provider, one.of.range()));
        }
        into_.required_providers.insert_or_assign(std::string(one.name), std::move(made));
    }
}

void block_decoder::decode_requirement(attribute const& a, required_provider& made)
{
    for (auto const& item : syntax::as<syntax::object>(a.of.node()).items) {
        auto const place = a.of.at(item.of->range);
        auto const key = key_text(*item.key);
        if (key == "configuration_aliases") {
            decode_configuration_aliases(a, a.of.with(item.of), made);
            continue;
        }
        if (key != "source" && key != "version") {
            found_.add(error(messages::unknown_required_provider_attribute, {key}, a.of.at(item.key->range)));
            return;
        }
        auto const before = found_.error_count();
        auto const given = evaluate(a.of.with(item.of), constant_scope(), found_);
        if (!given.has_data() || !given.is(type_kind::string)) {
            if (found_.error_count() > before) continue;
            if (key == "source") found_.add(error(messages::provider_source_not_string, place));
            else found_.add(error(messages::version_constraint_not_string, {key}, place));
            continue;
        }
        (key == "source" ? made.source : made.version) = given.as_string();
        if (key == "source") check_provider_source(made.source, place);
        else check_constraint(made.version, place);
    }
}

void block_decoder::decode_configuration_aliases(attribute const& a, expression const& aliases, required_provider& made)
{
    for (auto const& written : static_list(aliases, found_)) {
        auto const one = unquoted_json(written, into_.files, found_);
        auto const name = as_static_traversal(one);
        if (!name) found_.add(error(messages::static_reference_required, one.range()));
        else if (name->root != a.name)
            found_.add(error(messages::foreign_configuration_alias, {a.name, name->root}, one.range()));
        else made.aliases.push_back(traversal_text(*name, 1));
    }
}

auto block_decoder::check_constraint(std::string const& text, source_range place) -> bool
{
    if (satisfies("0.0.0", text)) return true;
    found_.add(error(messages::invalid_version_constraint, {text}, place));
    return false;
}

void block_decoder::check_provider_source(std::string const& source, source_range place)
{
    static constexpr std::string_view repository = "terraform-provider-";
    static constexpr std::string_view redundant = "terraform-";
    auto const parts = parts_of(source, '/');
    if (parts.size() > 3 || std::ranges::any_of(parts, &std::string::empty))
        return found_.add(error(messages::invalid_provider_source, {source}, place));
    auto const wrong_part = [&](std::string_view kind, std::string_view part) {
        found_.add(error(messages::invalid_provider_source_part, {kind, part, source}, place));
    };
    if (!is_name_part(parts.back())) return wrong_part("type", parts.back());
    if (parts.size() > 1)
        if (auto const& space = parts[parts.size() - 2]; !is_name_part(space)) return wrong_part("namespace", space);
    auto const slash = source.rfind('/');
    auto const begin = slash == std::string::npos ? 0 : slash + 1;
    std::string_view const type = std::string_view(source).substr(begin);
    if (type.starts_with(repository)) {
        auto const better = source.substr(0, begin) + std::string(type.substr(repository.size()));
        found_.add(error(messages::provider_source_names_repository, {type, better}, place));
    } else if (type.starts_with(redundant)) {
        found_.add(error(messages::reserved_provider_type, {source}, place));
    }
}

auto block_decoder::check_provider_name(std::string_view name, source_range place) -> bool
{
    if (!is_name_part(name)) {
        found_.add(error(messages::invalid_provider_name, {name}, place));
        return false;
    }
    auto const lower = ascii_lower_case(name);
    if (lower == name) return true;
    found_.add(error(messages::provider_name_not_lower_case, {name, lower}, place));
    return false;
}

auto block_decoder::decode_provider_reference(expression const& e, std::string const& argument)
    -> std::optional<provider_reference>
{
    auto desired = unquoted_provider(e, into_.files, found_);
    provider_instance_key key;
    if (desired && desired.node().kind == syntax::node_kind::index) {
        auto const& index = syntax::as<syntax::index>(desired.node());
        key.computed = desired.with(index.key);
        key.range = key.computed.range();
        desired = desired.with(index.collection);
    }
    auto const traversal = as_static_traversal(desired);
    auto const refuse = [&](source_range place) {
        found_.add(error(messages::invalid_provider_reference, {argument}, place));
        return std::nullopt;
    };
    if (!traversal || traversal->steps.size() > 2) return refuse(e.range());
    auto const place = desired.at(traversal->root_range());
    if (!check_provider_name(traversal->root, place)) return std::nullopt;
    if (!key) key.range = place;
    if (!traversal->steps.empty() && traversal->steps[0].key) return refuse(desired.at(traversal->steps[0].range));
    if (traversal->steps.size() == 2) {
        auto const& last = traversal->steps[1];
        if (!last.key || key) return refuse(desired.at(last.range));
        key.constant = *last.key;
        key.range = desired.at(last.range);
    }
    if (key)
        check_word(
            into_.dialect, origin_program::opentofu, "the key of an instance of a provider", "1.9", key.range, found_);
    return provider_reference{traversal_text(*traversal, 1), place, std::move(key)};
}

void block_decoder::decode_provider(block const& b)
{
    if (!check_provider_name(b.labels[0].text, b.header_range())) return;
    auto const& content = b.content;
    provider_block made{b.labels[0].text, {}, without(content, shapes::provider), false, b.header_range(), {}, {}, {}};
    if (auto const* const alias = content.find("alias")) {
        made.alias = constant_string(*alias, found_).value_or("");
        if (!is_identifier(made.alias))
            found_.add(error(messages::invalid_name, {"provider configuration alias", made.alias}));
    }
    if (auto const* const version = content.find("version")) {
        found_.add(warning(messages::provider_block_with_version, version->of.range()));
        if (auto const text = decode_constraint(*version); text && check_constraint(*text, version->of.range()))
            made.version = *text;
        made.has_version = true;
    }
    if (auto const* const one = content.find("for_each")) {
        check_word(
            into_.dialect, origin_program::opentofu, "for_each in a provider block", "1.9", one->name_range(), found_);
        made.for_each = one->of;
        if (made.alias.empty())
            found_.add(error(messages::provider_for_each_without_alias, {made.name}, one->of.range()));
    }
    for (auto const* const reserved : {"count", "depends_on", "source"})
        if (auto const* const one = content.find(reserved))
            found_.add(error(messages::reserved_provider_argument, {reserved}, one->name_range()));
    for (auto const& one : content.blocks)
        if (one.type == "lifecycle" || one.type == "locals")
            found_.add(error(messages::reserved_block_type, {"provider", one.type}, one.type_range));
    add_escaped(b, made.content);
    std::string const key = made.alias.empty() ? made.name : made.name + "." + made.alias;
    auto const [place, fresh] = into_.providers.emplace(key, made);
    if (fresh) return;
    auto const at = place->second.range.text();
    if (made.alias.empty()) found_.add(error(messages::duplicate_default_provider, {made.name, at}, made.range));
    else found_.add(error(messages::duplicate_provider_alias, {made.name, made.alias, at}, made.range));
}

}  // namespace iacctl::language::detail
