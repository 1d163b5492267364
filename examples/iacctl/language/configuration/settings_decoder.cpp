// SPDX-License-Identifier: BSL-1.0
// What `terraform` and `provider` blocks say: settings of a module rather than objects of it.
#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/scanner.hpp"
#include "language/values/convert.hpp"
#include "provider_requirements.hpp"
#include "support/in_quotes.hpp"
#include "version_constraint.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language::detail {

namespace {

constexpr auto bad_constraint = "This string does not use correct version constraint syntax.";

[[nodiscard]] std::vector<std::string> split(std::string_view text, char at)
{
    std::vector<std::string> parts(1);
    for (char const c : text) {
        if (c == at) parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

}  // namespace

std::optional<std::string> block_decoder::decode_constraint(attribute const& of)
{
    auto const before = found_.error_count();
    auto const made = evaluate(of.of, constant_scope(), found_);
    if (found_.error_count() > before) return std::nullopt;
    auto const text = convert(made, type::string());
    if (text && text->is_null()) return std::nullopt;
    if (!text || !text->has_data()) {
        found_.add(error("Invalid version constraint", "A string value is required for " + std::string(of.name) + ".",
            of.of.range()));
        return std::nullopt;
    }
    return text->as_string();
}

void block_decoder::decode_terraform(block const& of)
{
    auto const& content = of.content;
    check_body(content, shapes::terraform, found_);
    if (auto const* const one = content.find("language")) {
        auto const word = as_keyword(unquoted_json(one->of, into_.files, found_));
        if (word.empty())
            found_.add(error("Invalid language edition",
                "The language argument expects a bare language edition keyword. Terraform "
                    + std::string(language_version) + " supports only language edition TF2021, which is the default.",
                one->of.range()));
        else if (word != "TF2021")
            found_.add(error("Unsupported language edition",
                "Terraform v" + std::string(language_version)
                    + " only supports language edition TF2021. This module requires a newer version of Terraform CLI.",
                one->of.range()));
    }
    if (auto const* const one = content.find("experiments"))
        found_.add(error("Module uses experimental features",
            "Experimental features are intended only for gathering early feedback on new language designs, and so are "
            "available only in alpha releases of Terraform.",
            one->name_range()));
    if (auto const* const one = content.find("required_version"))
        if (auto const text = decode_constraint(*one); text && check_constraint(*text, one->of.range()))
            into_.required_versions.emplace_back(*text, one->range);
    for (auto const& one : content.blocks) {
        if (one.type == "required_providers") decode_required_providers(one);
        if (one.type == "provider_meta" && one.labels.size() == 1) decode_provider_meta(one);
        bool const cloud = one.type == "cloud";
        if (cloud || (one.type == "backend" && one.labels.size() == 1)) decode_state_place(one, cloud);
    }
}

void block_decoder::decode_state_place(block const& of, bool cloud)
{
    auto const place = of.header_range();
    if (cloud && !into_.cloud.empty())
        return found_.add(error("Duplicate HCP Terraform configurations",
            "A module may have only one 'cloud' block configuring HCP Terraform or Terraform Enterprise. The 'cloud' "
            "block was previously configured at "
                + into_.cloud.front().range.text() + ".",
            place));
    if (!cloud && into_.backend)
        return found_.add(error("Duplicate backend configuration",
            "A module may have only one backend configuration. The backend was previously configured at "
                + into_.backend->range.text() + ".",
            place));
    if (cloud) into_.cloud.push_back({&of, place});
    else into_.backend = {of.labels[0].text, of.content, place, of.labels[0].range};
    if (into_.backend && !into_.cloud.empty())
        found_.add(error("Both a backend and cloud configuration are present",
            "A module may declare either one 'cloud' block OR one 'backend' block configuring a state backend. The "
            "'cloud' block is configured at "
                + into_.cloud.front().range.text() + "; a backend is configured at " + into_.backend->range.text()
                + ". Remove the backend block to configure HCP Terraform or Terraform Enteprise.",
            into_.backend->range));
}

void block_decoder::decode_provider_meta(block const& of)
{
    auto const& name = of.labels[0].text;
    if (!check_provider_name(name, of.labels[0].range)) return;
    for (auto const& one : of.content.blocks)
        found_.add(
            error("Unexpected " + in_quotes(one.type) + " block", "Blocks are not allowed here.", one.type_range));
    for (auto const& one : of.content.attributes) static_cast<void>(evaluate(one.of, constant_scope(), found_));
    auto const [first, fresh] = into_.provider_meta.emplace(name, of.header_range());
    if (!fresh)
        found_.add(error("Duplicate provider_meta block",
            "A provider_meta block for provider " + in_quotes(name) + " was already declared at " + first->second.text()
                + ". Providers may only have one provider_meta block per module.",
            of.header_range()));
}

void block_decoder::decode_required_providers(block const& of)
{
    if (into_.required_providers_at)
        return found_.add(error("Duplicate required providers configuration",
            "A module may have only one required providers configuration. The required providers were previously "
            "configured at "
                + into_.required_providers_at.text() + ".",
            of.header_range()));
    into_.required_providers_at = of.header_range();
    for (auto const& one : of.content.blocks)
        found_.add(
            error("Unexpected " + in_quotes(one.type) + " block", "Blocks are not allowed here.", one.type_range));
    for (auto const& one : of.content.attributes) {
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
                found_.add(error("Invalid required_providers object",
                    "required_providers entries must be strings or objects.", one.of.range()));
        }
        into_.required_providers.insert_or_assign(std::string(one.name), std::move(made));
    }
}

void block_decoder::decode_requirement(attribute const& of, required_provider& made)
{
    for (auto const& item : syntax::as<syntax::object>(of.of.node()).items) {
        auto const place = of.of.at(item.of->range);
        auto const key = key_text(*item.key);
        if (key == "configuration_aliases") {
            decode_configuration_aliases(of, of.of.with(item.of), made);
            continue;
        }
        if (key != "source" && key != "version") {
            found_.add(error("Invalid required_providers object",
                "required_providers objects can only contain \"version\", \"source\" and \"configuration_aliases\" "
                "attributes. To configure a provider, use a \"provider\" block.",
                of.of.at(item.key->range)));
            return;
        }
        auto const before = found_.error_count();
        auto const given = evaluate(of.of.with(item.of), constant_scope(), found_);
        if (!given.has_data() || !given.is(type_kind::string)) {
            if (found_.error_count() > before) continue;
            if (key == "source") found_.add(error("Invalid source", "Source must be specified as a string.", place));
            else found_.add(error("Invalid version constraint", "Version must be specified as a string.", place));
            continue;
        }
        (key == "source" ? made.source : made.version) = given.as_string();
        if (key == "source") check_provider_source(made.source, place);
        else check_constraint(made.version, place);
    }
}

void block_decoder::decode_configuration_aliases(
    attribute const& of, expression const& aliases, required_provider& made)
{
    for (auto const& written : static_list(aliases, found_)) {
        auto const one = unquoted_json(written, into_.files, found_);
        auto const name = as_static_traversal(one);
        if (!name)
            found_.add(error("Invalid expression",
                "A single static variable reference is required: only attribute access and indexing with constant "
                "keys. No calculations, function calls, template expressions, etc are allowed here.",
                one.range()));
        else if (name->root != of.name)
            found_.add(error("Invalid configuration_aliases value",
                "Configuration aliases must be prefixed with the provider name. Expected " + in_quotes(of.name)
                    + ", but found " + in_quotes(name->root) + ".",
                one.range()));
        else made.aliases.push_back(traversal_text(*name, 1));
    }
}

bool block_decoder::check_constraint(std::string const& text, source_range place)
{
    if (satisfies("0.0.0", text)) return true;
    found_.add(error("Invalid version constraint", bad_constraint, place));
    return false;
}

void block_decoder::check_provider_source(std::string const& source, source_range place)
{
    static constexpr std::string_view repository = "terraform-provider-";
    static constexpr std::string_view redundant = "terraform-";
    auto const parts = split(source, '/');
    if (parts.size() > 3 || std::ranges::any_of(parts, &std::string::empty))
        return found_.add(error("Invalid provider source string",
            "The \"source\" attribute must be in the format \"[hostname/][namespace/]name\"", place));
    auto const wrong_part = [&](char const* what, std::string const& shown) {
        found_.add(error(std::string("Invalid provider ") + what,
            std::string("Invalid provider ") + what + " " + in_quotes(shown) + " in source " + in_quotes(source) + ": "
                + std::string(name_part_rule) + '"',
            place));
    };
    if (!is_name_part(parts.back())) return wrong_part("type", parts.back());
    // Terraform shows no name of a namespace that is none.
    if (parts.size() > 1 && !is_name_part(parts[parts.size() - 2])) return wrong_part("namespace", "");
    auto const slash = source.rfind('/');
    auto const begin = slash == std::string::npos ? 0 : slash + 1;
    std::string_view const type = std::string_view(source).substr(begin);
    if (type.starts_with(repository)) {
        auto const better = source.substr(0, begin) + std::string(type.substr(repository.size()));
        found_.add(error("Invalid provider type",
            "Provider source " + in_quotes(source) + " has a type with the prefix " + in_quotes(repository)
                + ", which isn't valid. Although that prefix is often used in the names of version control "
                  "repositories for Terraform providers, provider source strings should not include it.\n\nDid you "
                  "mean "
                + in_quotes(better) + "?",
            place));
    } else if (type.starts_with(redundant)) {
        found_.add(error("Invalid provider type",
            "Provider source " + in_quotes(source) + " has a type with the prefix " + in_quotes(redundant)
                + ", which isn't allowed because it would be redundant to name a Terraform provider with that prefix. "
                  "If you are the author of this provider, rename it to not include the prefix.",
            place));
    }
}

bool block_decoder::check_provider_name(std::string_view name, source_range place)
{
    static constexpr auto summary = "Invalid provider local name";
    if (!is_name_part(name)) {
        found_.add(error(
            summary, std::string(name) + " is an invalid provider local name: " + std::string(name_part_rule), place));
        return false;
    }
    std::string lower(name);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower == name) return true;
    found_.add(error(summary,
        "Provider names must be normalized. Replace " + in_quotes(name) + " with " + in_quotes(lower)
            + " to fix this error.",
        place));
    return false;
}

auto block_decoder::decode_provider_reference(expression const& of, std::string const& argument)
    -> std::optional<provider_reference>
{
    static constexpr auto summary = "Invalid provider configuration reference";
    auto const wanted = unquoted_reference(of, into_.files, found_);
    auto const traversal = as_static_traversal(wanted);
    if (!traversal || traversal->steps.size() > 1) {
        found_.add(error(summary,
            "The " + argument
                + " argument requires a provider type name, optionally followed by a period and then a configuration "
                  "alias.",
            of.range()));
        return std::nullopt;
    }
    auto const place = wanted.at(traversal->root_range());
    if (!check_provider_name(traversal->root, place)) return std::nullopt;
    if (!traversal->steps.empty() && traversal->steps[0].key) {
        found_.add(error(summary,
            "Provider name must either stand alone or be followed by a period and then a configuration alias.",
            wanted.at(traversal->steps[0].range)));
        return std::nullopt;
    }
    return provider_reference{traversal_text(*traversal, 1), place};
}

void block_decoder::decode_provider(block const& of)
{
    if (!check_provider_name(of.labels[0].text, of.header_range())) return;
    auto const& content = of.content;
    provider_block made{of.labels[0].text, {}, without(content, shapes::provider), false, of.header_range()};
    if (auto const* const alias = content.find("alias")) {
        made.alias = constant_string(*alias, found_).value_or("");
        if (!is_identifier(made.alias))
            found_.add(error("Invalid provider configuration alias",
                std::string("An alias must be a valid name. ") + bad_identifier));
    }
    if (auto const* const version = content.find("version")) {
        found_.add(warning("Version constraints inside provider configuration blocks are deprecated",
            "Terraform 0.13 and earlier allowed provider version constraints inside the provider configuration block, "
            "but that is now deprecated and will be removed in a future version of Terraform. To silence this warning, "
            "move the provider version constraint into the required_providers block.",
            version->of.range()));
        if (auto const text = decode_constraint(*version)) check_constraint(*text, version->of.range());
        made.has_version = true;
    }
    for (auto const* const reserved : {"count", "depends_on", "for_each", "source"})
        if (auto const* const one = content.find(reserved))
            found_.add(error("Reserved argument name in provider block",
                "The provider argument name " + in_quotes(reserved)
                    + " is reserved for use by Terraform in a future version.",
                one->name_range()));
    for (auto const& one : content.blocks)
        if (one.type == "lifecycle" || one.type == "locals")
            found_.add(error("Reserved block type name in provider block",
                "The block type name " + in_quotes(one.type) + " is reserved for use by Terraform in a future version.",
                one.type_range));
    add_escaped(of, made.content);
    std::string const key = made.alias.empty() ? made.name : made.name + "." + made.alias;
    auto const [place, fresh] = into_.providers.emplace(key, made);
    if (fresh) return;
    auto const at = place->second.range.text();
    found_.add(error("Duplicate provider configuration",
        made.alias.empty() ? "A default (non-aliased) provider configuration for " + in_quotes(made.name)
                + " was already given at " + at
                + ". If multiple configurations are required, set the \"alias\" argument for alternative "
                  "configurations."
                           : "A provider configuration for " + in_quotes(made.name) + " with alias "
                + in_quotes(made.alias) + " was already given at " + at
                + ". Each configuration for the same provider must have a distinct alias.",
        made.range));
}

}  // namespace iacctl::language::detail
