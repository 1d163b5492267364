// SPDX-License-Identifier: BSL-1.0
#include "code_actions.hpp"

#include "base/json_writer.hpp"
#include "base/provider_address.hpp"
#include "base/suggestion.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/scanner.hpp"
#include "new_declarations.hpp"
#include "unused.hpp"
#include "workspace_edit.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace iacctl::lsp {

namespace {

using language::byte_range;

constexpr std::string_view provider_prefix = "provider.";

auto overlap(byte_range a, byte_range b) noexcept -> bool
{
    return a.begin <= b.end && b.begin <= a.end;
}

// A diagnostic that the editor shows.
struct shown_problem {
    json const* of = nullptr;
    byte_range at;
    std::string code;
    std::string message;
};

class action_finder {
public:
    action_finder(feature_context const& context, action_request const& request)
        : with_(context),
          in_(request.in),
          selected_(request.selected),
          renamed_(request.renamed),
          directory_(context.files.module_of(request.in))
    {
        if (request.context == nullptr) return;
        if (auto const* const only = request.context->find("only"); only != nullptr && only->elements() != nullptr)
            for (auto const& one : *only->elements())
                if (one.text() != nullptr) only_.push_back(*one.text());
        auto const* const all = request.context->find("diagnostics");
        if (all == nullptr || all->elements() == nullptr) return;
        for (auto const& one : *all->elements()) {
            auto const place = range_in(one.find("range"));
            if (!place) continue;
            byte_range const bytes{in_.lines().offset_of(place->start, with_.client.encoding),
                in_.lines().offset_of(place->end, with_.client.encoding)};
            shown_.push_back({&one, bytes, one.text_of("code"), one.text_of("message")});
        }
    }

    auto run() -> std::string
    {
        add_corrections();
        if (!in_.is_native()) return actions_.done();
        add_declarations();
        add_arguments();
        add_removals();
        add_required_providers();
        add_moves();
        return actions_.done();
    }

private:
    void add(std::string const& title, std::string_view kind, workspace_edit const& edit,
        std::span<shown_problem const* const> solved = {}, bool preferred = false)
    {
        // A kind is also the name of all kinds below it: "refactor" of "refactor.rewrite".
        bool const wanted = only_.empty() || std::ranges::any_of(only_, [&](std::string const& one) {
            return kind.starts_with(one) && (kind.size() == one.size() || kind[one.size()] == '.');
        });
        if (!wanted || edit.empty() || !titles_.insert(title).second) return;
        json_object action;
        action.text("title", title).text("kind", kind);
        json_array problems;
        for (auto const* const one : solved) problems.raw(compact_text(*one->of));
        if (!problems.empty()) action.raw("diagnostics", problems.done());
        if (preferred) action.flag("isPreferred", true);
        actions_.raw(action.raw("edit", edit.done()).done());
    }

    [[nodiscard]] auto problems_at(byte_range place) const -> std::vector<shown_problem const*>
    {
        std::vector<shown_problem const*> found;
        for (auto const& one : shown_)
            if (overlap(one.at, place)) found.push_back(&one);
        return found;
    }

    [[nodiscard]] auto is_selected(byte_range place) const -> bool { return overlap(place, selected_); }

    // "Did you mean": replaces the misspelt name.
    void add_corrections()
    {
        for (auto const& one : shown_) {
            auto const name = suggested_name(one.message);
            if (!name || one.at.end <= one.at.begin) continue;
            auto const text = in_.text().substr(one.at.begin, one.at.end - one.at.begin);
            auto const wrong = misspelt_part(text, std::string(*name));
            if (!wrong) continue;
            auto const begin = one.at.begin + static_cast<std::uint32_t>(wrong->data() - text.data());
            workspace_edit edit(with_);
            edit.replace(in_, {begin, begin + static_cast<std::uint32_t>(wrong->size())}, *name);
            auto const* const solved = &one;
            add("Change to \"" + std::string(*name) + '"', "quickfix", edit, std::span(&solved, 1), true);
        }
    }

    // Names that refer to nothing.
    void add_declarations()
    {
        for (auto const& use : in_.symbols().uses) {
            if (use.name_range.begin > selected_.end) break;
            bool const value =
                use.where == symbol_use::place::value_in_file || use.where == symbol_use::place::argument_of_module;
            auto const place = use.where == symbol_use::place::reference ? use.range : use.name_range;
            if (!is_selected(place)) continue;
            auto const missing = with_.files.target(in_, use);
            if (!missing || with_.files.find(*missing) || is_in_json(*missing, use.name)) continue;
            auto const problems = problems_at(place);
            workspace_edit edit(with_);
            if (declare(with_, *missing, in_, value ? type_of_value(use) : std::string(), edit))
                add("Declare " + missing->key + place_of(*missing), "quickfix", edit, problems);
            if (!value) continue;
            workspace_edit removal(with_);
            removal.replace(in_, whole_lines(use.range), "");
            add("Remove the value for " + std::string(use.name), "quickfix", removal, problems);
        }
    }

    // Declarations in JSON syntax are not collected.
    [[nodiscard]] auto is_in_json(symbol const& s, std::string_view name) const -> bool
    {
        return std::ranges::any_of(with_.files.module(s.directory), [&](auto const& item) {
            return item.second.kind() == document_kind::json && item.second.text().find(name) != std::string_view::npos;
        });
    }

    [[nodiscard]] auto place_of(symbol const& s) const -> std::string
    {
        if (s.directory == directory_ || s.directory == in_.path()) return {};
        return " in " + std::filesystem::path(s.directory).lexically_relative(directory_).generic_string();
    }

    // The type of a constant; empty if the value is not constant.
    [[nodiscard]] auto type_of_value(symbol_use const& use) const -> std::string
    {
        std::string found;
        auto const look = [&](language::body const& b) {
            for (auto const& one : b.attributes) {
                if (one.range.bytes.begin != use.range.begin || !one.of) continue;
                infra::diagnostics ignored;
                auto const value = language::evaluate(one.of, language::constant_scope(), ignored);
                if (!ignored.has_errors() && value.has_data()) found = general_type(value.get_type());
            }
        };
        look(in_.tree().root());
        for (auto const& block : in_.tree().root().blocks) {
            look(block.content);
            for (auto const& inner : block.content.blocks) look(inner.content);
        }
        return found;
    }

    // A tuple of equal types becomes a list.
    [[nodiscard]] static auto general_type(language::type const& t) -> std::string
    {
        if (!t.is(language::type_kind::tuple)) return type_text(t);
        std::set<std::string> types;
        for (auto const& one : t.elements()) types.insert(general_type(one));
        return types.size() == 1 ? "list(" + *types.begin() + ")" : "list(any)";
    }

    void add_arguments()
    {
        for (auto const& one : shown_) {
            if (one.code != "missing_argument" || !is_selected(one.at)) continue;
            auto const where = cursor_at(in_.tree().file(), std::min(one.at.begin + 1, end_of_text()));
            auto described = with_.known.describe(in_, where.blocks());
            auto const& written = where.frames.back().written;
            std::erase_if(described.items,
                [&](body_item const& item) { return std::ranges::find(written, item.name) != written.end(); });
            auto const line = in_.text().substr(0, one.at.begin).rfind('\n') + 1;
            auto const first = in_.text().find_first_not_of(" \t", line);
            auto const indentation = std::string(in_.text().substr(line, first - line)) + "  ";
            auto const lines = required_lines(described.items, indentation);
            if (lines.empty()) continue;
            workspace_edit edit(with_);
            auto const behind = in_.text().find_first_not_of(" \t\r", one.at.begin + 1);
            bool const closed = behind != std::string_view::npos && in_.text()[behind] == '}';
            auto const shown = '\n' + (closed ? lines : lines.substr(0, lines.size() - 1));
            edit.insert(in_, one.at.begin + 1, shown);
            auto const* const solved = &one;
            add("Add the missing arguments", "quickfix", edit, std::span(&solved, 1), true);
        }
    }

    [[nodiscard]] auto end_of_text() const -> std::uint32_t { return static_cast<std::uint32_t>(in_.text().size()); }

    void add_removals()
    {
        auto const& symbols = in_.symbols();
        bool const possible =
            std::ranges::any_of(symbols.declarations, [&](declaration const& d) { return is_selected(d.name_range); })
            || std::ranges::any_of(
                symbols.required_providers, [&](auto const& item) { return is_selected(item.second.name_range); });
        if (!possible) return;  // an editor asks after each movement of the cursor
        for (auto const& one : unused_declarations(with_.files, in_)) {
            if (!is_selected(one.name_range)) continue;
            workspace_edit edit(with_);
            edit.replace(in_, whole_lines(one.range), "");
            add("Remove the unused " + std::string(one.what) + " \"" + std::string(one.name) + '"', "quickfix", edit,
                problems_at(one.name_range));
        }
    }

    // The lines of a declaration with the empty line after it, or the declaration alone if other text is beside it.
    [[nodiscard]] auto whole_lines(byte_range place) const -> byte_range
    {
        auto const text = in_.text();
        auto const line = text.substr(0, place.begin).rfind('\n') + 1;
        auto const end = std::min(text.find('\n', place.end), text.size());
        bool const alone = text.substr(line, place.begin - line).find_first_not_of(" \t") == std::string_view::npos
            && text.substr(place.end, end - place.end).find_first_not_of(" \t\r") == std::string_view::npos;
        if (!alone) return place;
        auto last = std::min(end + 1, text.size());
        bool const first_or_after_gap = line < 2 || text[line - 2] == '\n';
        if (first_or_after_gap && last < text.size() && text[last] == '\n') ++last;
        return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(last)};
    }

    // The provider of a resource, or of a configuration, without an entry.
    void add_required_providers()
    {
        if (!in_.declares()) return;
        std::set<std::string, std::less<>> required{"terraform"};
        for (auto const& [path, file] : with_.files.module(directory_))
            for (auto const& [name, one] : file.symbols().required_providers) required.insert(name);
        auto const add_entry = [&](std::string_view name, byte_range place) {
            if (name.empty() || required.contains(name) || !is_selected(place)) return;
            workspace_edit edit(with_);
            require_provider(with_, in_, name, edit);
            auto const problems = problems_at(place);
            add("Add " + std::string(name) + " to required_providers", problems.empty() ? "refactor" : "quickfix", edit,
                problems);
        };
        for (auto const& one : in_.symbols().declarations)
            if (one.block != nullptr) add_entry(provider_of(one), one.block->header_range().bytes);
        for (auto const& one : in_.symbols().uses)
            if (one.key.starts_with(provider_prefix))
                add_entry(
                    local_provider_name(std::string_view(one.key).substr(provider_prefix.size())), one.name_range);
    }

    // The local name; empty: the declaration has no provider.
    [[nodiscard]] static auto provider_of(declaration const& d) -> std::string_view
    {
        if (d.kind == symbol_kind::provider)
            return local_provider_name(std::string_view(d.key).substr(provider_prefix.size()));
        if (d.type.empty()) return {};
        auto const* const argument = d.block->content.find("provider");
        if (argument == nullptr || !argument->of) return d.type.substr(0, d.type.find('_'));
        auto const written = argument->of.file()->text(argument->of.node().range);
        return language::is_identifier(local_provider_name(written)) ? local_provider_name(written)
                                                                     : std::string_view();
    }

    // Old addresses of a selected object that state does not have.
    void add_moves()
    {
        if (!in_.declares()) return;
        for (auto const& one : in_.symbols().declarations) {
            bool const movable = one.kind == symbol_kind::resource || one.kind == symbol_kind::module;
            if (!movable || !is_selected(one.range)) continue;
            for (auto const& address : earlier_addresses({directory_, one.key})) {
                if (is_moved(address)) continue;
                workspace_edit edit(with_);
                edit.insert(in_, one.range.end, "\n\nmoved {\n  from = " + address + "\n  to   = " + one.key + "\n}");
                add("Add a moved block from " + address, "refactor", edit);
            }
        }
    }

    // The address before a rename, or else those in state of the same type that are not declared.
    [[nodiscard]] auto earlier_addresses(symbol const& now) const -> std::vector<std::string>
    {
        if (renamed_ && renamed_->now == now && !with_.files.find({directory_, renamed_->before}))
            return {renamed_->before};
        if (with_.known.is_in_state(now)) return {};
        auto found = with_.known.undeclared_in_state(directory_);
        auto const type = now.key.substr(0, now.key.find('.') + 1);
        std::erase_if(found, [&](std::string const& address) { return !address.starts_with(type); });
        return found;
    }

    [[nodiscard]] auto is_moved(std::string_view address) const -> bool
    {
        for (auto const& [path, file] : with_.files.module(directory_))
            for (auto const& block : file.tree().root().blocks)
                if (auto const* const from = block.content.find("from"); block.type == "moved" && from && from->of)
                    if (file.tree().file().text(from->of.node().range) == address) return true;
        return false;
    }

    feature_context const& with_;
    document const& in_;
    byte_range selected_;
    std::optional<renamed_object> const& renamed_;
    std::string directory_;
    std::vector<std::string> only_;
    std::vector<shown_problem> shown_;
    std::set<std::string> titles_;
    json_array actions_;
};

}  // namespace

auto code_actions(feature_context const& context, action_request const& request) -> std::string
{
    return action_finder(context, request).run();
}

}  // namespace iacctl::lsp
