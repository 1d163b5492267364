// SPDX-License-Identifier: BSL-1.0
#include "new_declarations.hpp"

#include "argument_values.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

namespace iacctl::lsp {

namespace {

auto value_for(std::string_view type) -> std::string_view
{
    if (type == "string") return "\"\"";
    if (type == "number") return "0";
    if (type == "bool") return "false";
    if (type.starts_with("list") || type.starts_with("set") || type.starts_with("tuple")) return "[]";
    return type.starts_with("map") || type.starts_with("object") ? "{}" : "null";
}

auto indented(std::string_view text, std::string_view indentation) -> std::string
{
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        made += std::string(indentation) + std::string(text.substr(at, end - at)) + '\n';
        at = end + 1;
    }
    return made;
}

// The parts of an address between dots.
auto parts_of(std::string_view key) -> std::vector<std::string>
{
    std::vector<std::string> parts;
    while (!key.empty()) {
        auto const end = std::min(key.find('.'), key.size());
        parts.emplace_back(key.substr(0, end));
        key.remove_prefix(std::min(end + 1, key.size()));
    }
    return parts;
}

// A kind of block, with the first word of its addresses and the usual name of a file for such blocks.
struct block_kind {
    std::string_view prefix;
    std::string_view block;
    std::string_view file;
};
constexpr std::array block_kinds{
    block_kind{"action", "action", {}},
    block_kind{"check", "check", "checks"},
    block_kind{"data", "data", "data"},
    block_kind{"ephemeral", "ephemeral", {}},
    block_kind{"module", "module", {}},
    block_kind{"output", "output", "outputs"},
    block_kind{"provider", "provider", "providers"},
    block_kind{"run", "run", {}},
    block_kind{"var", "variable", "variables"},
};

class declarer {
public:
    declarer(feature_context const& context, symbol const& missing, document const& from, std::string const& type,
        workspace_edit& edit)
        : with_(context),
          missing_(missing),
          from_(from),
          type_(type),
          edit_(edit),
          parts_(parts_of(missing.key))
    {}

    auto run() -> bool
    {
        if (parts_.size() < 2) return false;
        if (parts_[0] == "local") return add_local();
        if (parts_[0] == "list") return from_.kind() == document_kind::queries && append("list", text_of("list", 1));
        if (parts_[0] == "run") return add_run();
        auto const known = std::ranges::find(block_kinds, parts_[0], &block_kind::prefix);
        if (known == block_kinds.end()) return append("resource", text_of("resource", 0));
        if (known->prefix == "provider" && parts_.size() < 3) return false;
        return append(known->block, text_of(known->block, 1), known->file);
    }

private:
    // The block, with labels from the parts of the address that follow its prefix.
    [[nodiscard]] auto text_of(std::string_view block, std::size_t prefix) const -> std::string
    {
        std::string text(block);
        auto const labels = block == "provider" ? std::size_t{1} : parts_.size() - prefix;
        for (auto const& one : std::span(parts_).subspan(prefix, labels)) text += " \"" + one + '"';
        return text + " {\n" + content_of(block, prefix) + "}\n";
    }

    [[nodiscard]] auto content_of(std::string_view block, std::size_t prefix) const -> std::string
    {
        auto const& name = parts_.back();
        if (block == "variable") return type_.empty() ? std::string() : "  type = " + type_ + '\n';
        if (block == "output") return "  value = null\n";
        if (block == "module") return "  source = \"./" + name + "\"\n";
        if (block == "provider") return "  alias = \"" + name + "\"\n";
        if (block == "check") return "  assert {\n    condition     = true\n    error_message = \"\"\n  }\n";
        auto const* const schema = with_.known.type_schema(missing_.directory, mode_of(block), parts_[prefix]);
        bool const nested = block == "action";
        auto const lines =
            schema == nullptr ? std::string() : required_lines(items_of(*schema), nested ? "    " : "  ");
        return nested ? "  config {\n" + lines + "  }\n" : lines;
    }

    auto add_local() -> bool
    {
        auto const line = "  " + parts_[1] + " = null\n";
        document const* in = nullptr;
        language::block const* found = nullptr;
        for (auto const& [path, file] : with_.files.module(missing_.directory))
            for (auto const& block : file.tree().root().blocks)
                if (block.type == "locals" && file.declares() && (found == nullptr || &file == &from_)) {
                    in = &file;
                    found = &block;
                }
        if (found == nullptr) return append("locals", "locals {\n" + line + "}\n", "locals");
        add_to_block(*in, *found, line, edit_);
        return true;
    }

    // A run must be before the one that refers to it.
    auto add_run() -> bool
    {
        edit_.insert(from_, first_run(), text_of("run", 1) + '\n');
        return true;
    }

    [[nodiscard]] auto first_run() const -> std::uint32_t
    {
        for (auto const& one : from_.symbols().declarations)
            if (one.kind == symbol_kind::run) return one.range.begin;
        return static_cast<std::uint32_t>(from_.text().size());
    }

    // Adds the text after the last block of the type in the same file, in the file with the usual name, or in another file of the
    // module; otherwise at the end of a file.
    auto append(std::string_view type, std::string const& text, std::string_view usual_file = {}) -> bool
    {
        document const* target = nullptr;
        language::block const* last = nullptr;
        int best = 0;
        for (auto const& [path, file] : with_.files.module(missing_.directory)) {
            if (!file.declares() || (file.kind() == document_kind::queries && &file != &from_)) continue;
            language::block const* of_type = nullptr;
            for (auto const& block : file.tree().root().blocks)
                if (block.type == type) of_type = &block;
            auto const stem = std::filesystem::path(path).stem().string();
            bool const usual = !usual_file.empty() && stem == usual_file;
            int const rank = (of_type == nullptr ? 0
                                     : usual     ? 6
                                                 : 4)
                + (usual ? 2 : 0) + (&file == &from_ ? 1 : 0) + (of_type == nullptr && stem == "main" ? 1 : 0) + 1;
            if (rank <= best) continue;
            best = rank;
            target = &file;
            last = of_type;
        }
        if (target == nullptr) return false;
        if (last != nullptr) {
            edit_.insert(*target, whole_range(*last).end, "\n\n" + text.substr(0, text.size() - 1));
            return true;
        }
        auto const all = target->text();
        auto const* const gap = all.empty() ? "" : all.ends_with('\n') ? "\n" : "\n\n";
        edit_.insert(*target, static_cast<std::uint32_t>(all.size()), gap + text);
        return true;
    }

    feature_context const& with_;
    symbol const& missing_;
    document const& from_;
    std::string const& type_;
    workspace_edit& edit_;
    std::vector<std::string> parts_;
};

}  // namespace

auto declare(feature_context const& context, symbol const& missing, document const& from, std::string const& type,
    workspace_edit& edit) -> bool
{
    return declarer(context, missing, from, type, edit).run();
}

void require_provider(feature_context const& context, document const& in, std::string_view name, workspace_edit& edit)
{
    auto const directory = context.files.module_of(in);
    auto const entry = std::string(name) + " = " + provider_entry(context, directory, name);
    document const* settings_file = nullptr;
    language::block const* settings = nullptr;
    for (auto const& [path, file] : context.files.module(directory)) {
        if (file.kind() != document_kind::configuration) continue;
        for (auto const& block : file.tree().root().blocks) {
            if (block.type != "terraform") continue;
            for (auto const& inner : block.content.blocks)
                if (inner.type == "required_providers") return add_to_block(file, inner, indented(entry, "    "), edit);
            settings_file = &file;
            settings = &block;
        }
    }
    auto const list = "required_providers {\n" + indented(entry, "  ") + "}\n";
    if (settings != nullptr) return add_to_block(*settings_file, *settings, indented(list, "  "), edit);
    edit.insert(in, 0, "terraform {\n" + indented(list, "  ") + "}\n\n");
}

auto required_lines(std::span<body_item const> items, std::string_view indentation) -> std::string
{
    std::string lines;
    for (auto const& one : items) {
        if (!one.required) continue;
        auto const line = one.is_block ? one.name + " {\n}" : one.name + " = " + std::string(value_for(one.type));
        lines += indented(line, indentation);
    }
    return lines;
}

void add_to_block(document const& in, language::block const& to, std::string_view lines, workspace_edit& edit)
{
    auto const close = to.close_range.bytes.begin;
    auto const before = in.text().substr(0, close);
    auto const line = before.rfind('\n') + 1;
    bool const alone = before.substr(line).find_first_not_of(" \t") == std::string_view::npos;
    if (alone) edit.insert(in, static_cast<std::uint32_t>(line), lines);
    else edit.insert(in, close, '\n' + std::string(lines));
}

}  // namespace iacctl::lsp
