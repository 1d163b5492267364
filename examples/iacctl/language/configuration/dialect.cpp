// SPDX-License-Identifier: BSL-1.0
#include "dialect.hpp"

#include "file_names.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/references.hpp"
#include "messages/configuration.hpp"
#include "version_constraint.hpp"

#include <array>
#include <optional>

namespace iacctl::language {

namespace {

using reason = dialect_choice::reason;

/// The program that the `language` blocks and arguments of a file name.
[[nodiscard]] auto by_language(body const& file) -> std::optional<dialect_choice>
{
    for (auto const& one : file.blocks) {
        if (one.type == "language") {
            for (auto const& inner : one.content.blocks)
                if (auto const* const named = inner.content.find("opentofu"); named && inner.type == "compatible_with")
                    return dialect_choice{origin_program::opentofu, reason::language, named->range, {}};
        } else if (one.type == "terraform") {
            if (auto const* const named = one.content.find("language"))
                return dialect_choice{origin_program::terraform, reason::language, named->range, {}};
        }
    }
    return std::nullopt;
}

[[nodiscard]] auto by_required_version(body const& file) -> std::optional<dialect_choice>
{
    for (auto const& one : file.blocks) {
        auto const* const desired = one.type == "terraform" ? one.content.find("required_version") : nullptr;
        if (!desired) continue;
        diagnostics ignored;  // reported where the argument is decoded
        auto const given = evaluate(desired->of, constant_scope(), ignored);
        if (!given.has_data() || !given.is(type_kind::string)) continue;
        bool const terraform = fits(terraform_versions, given.as_string());
        // Not the reverse: the numbers in a file that both programs read are those of Terraform.
        if (terraform && !fits(opentofu_versions, given.as_string()))
            return dialect_choice{origin_program::terraform, reason::required_version, desired->range, {}};
    }
    return std::nullopt;
}

}  // namespace

auto to_string(origin_program program) noexcept -> std::string_view
{
    return program == origin_program::opentofu ? "OpenTofu" : "Terraform";
}

auto dialect_choice::reason_text() const -> std::string
{
    switch (by) {
    case reason::language: return "\"language\" at " + at.text();
    case reason::file_ending: return "the file " + file;
    case reason::required_version: return "\"required_version\" at " + at.text();
    case reason::none: break;
    }
    return "nothing selects another program";
}

auto choose_dialect(std::span<std::shared_ptr<syntax_tree> const> files) -> dialect_choice
{
    for (auto const& file : files)
        if (auto made = by_language(file->root())) return *std::move(made);
    for (auto const& file : files)
        if (auto const name = configuration_file_name::parse(file->file().name()); name && name->opentofu)
            return {origin_program::opentofu, reason::file_ending, {}, file->file().name()};
    for (auto const& file : files)
        if (auto made = by_required_version(file->root())) return *std::move(made);
    return {};
}

void check_word(dialect_choice const& choice, origin_program program, std::string_view word, std::string_view since,
    source_range place, diagnostics& found)
{
    if (choice.accepts(program)) return;
    found.add(error(messages::word_of_other_program,
        {word, to_string(program), since, to_string(choice.follows), choice.reason_text()}, place));
}

}  // namespace iacctl::language
