// SPDX-License-Identifier: BSL-1.0
#include "links.hpp"

#include "base/json_writer.hpp"
#include "language/syntax/references.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

namespace iacctl::lsp {

namespace {

namespace fs = std::filesystem;
namespace syntax = language::syntax;

// The file main.tf, or else the first one of a module.
auto main_file(feature_context const& context, std::string const& directory) -> document const*
{
    document const* first = nullptr;
    for (auto const& [path, file] : context.files.module(directory)) {
        if (file.kind() != document_kind::configuration) continue;
        if (first == nullptr || path.ends_with("/main.tf") || path.ends_with("/main.tofu")) first = &file;
    }
    return first;
}

// The range of a quoted text, without its quotes; nothing for another expression.
auto text_range(syntax::node const& of, document const& in) -> std::optional<language::byte_range>
{
    if (of.range.end - of.range.begin < 2 || in.text()[of.range.begin] != '"') return std::nullopt;
    return language::byte_range{of.range.begin + 1, of.range.end - 1};
}
auto text_range(language::attribute const* of, document const& in) -> std::optional<language::byte_range>
{
    return of == nullptr || !of->of ? std::nullopt : text_range(of->of.node(), in);
}

// The first argument of these functions is the path of a file.
auto reads_file(std::string_view function) -> bool
{
    static constexpr std::string_view core = "core::";
    if (function.starts_with(core)) function.remove_prefix(core.size());
    static constexpr std::array<std::string_view, 9> names{"file", "filebase64", "filebase64sha256", "filebase64sha512",
        "filemd5", "filesha1", "filesha256", "filesha512", "templatefile"};
    return std::ranges::find(names, function) != names.end();
}

class link_writer {
public:
    link_writer(feature_context const& context, document const& in)
        : with_(context),
          in_(in),
          directory_(context.files.module_of(in)),
          root_(*context.files.roots(directory_).begin())
    {}

    auto run() -> std::string
    {
        for (auto const& one : module_links(with_, in_)) add(one.range, one.to->uri(), "Open the module");
        add_addresses();
        language::for_each_expression(
            in_.tree().root(), [&](language::expression const& e, language::bound_names const&) {
                language::for_each_call(e, [&](syntax::call const& call) {
                    if (reads_file(call.name) && !call.arguments.empty()) add_file(*call.arguments[0]);
                });
            });
        return links_.done();
    }

private:
    void add(language::byte_range range, std::string_view target, std::string_view tooltip)
    {
        links_.raw(json_object()
                .raw("range", with_.range_text(in_, range))
                .text("target", target)
                .text("tooltip", tooltip)
                .done());
    }

    // Sources with an address that a browser can open.
    void add_addresses()
    {
        for (auto const& one : in_.symbols().declarations) {
            if (one.kind != symbol_kind::module) continue;
            auto const range = text_range(one.block->content.find("source"), in_);
            auto source = constant_text(one.block->content, "source");
            if (source.starts_with("git::")) source.remove_prefix(5);
            if (!range || !source.starts_with("https://") || !with_.files.called(directory_, one.key).empty()) continue;
            // The part after a double slash is a directory in the package, and the query is for the installation.
            auto const path = source.find("//", std::string_view("https://").size());
            source = source.substr(0, std::min(path, source.find('?')));
            add(*range, source, "Open the repository");
        }
    }

    void add_file(syntax::node const& path)
    {
        auto const text = text_of(path);
        auto const range = text_range(path, in_);
        if (!text || !range) return;
        auto const file = (fs::path(root_) / *text).lexically_normal().string();
        std::error_code problem;
        if (fs::is_regular_file(file, problem)) add(*range, uri_of_path(file), "Open the file");
    }

    // A constant text with path.module, path.root and path.cwd. Names are relative to the root module.
    [[nodiscard]] auto text_of(syntax::node const& part) const -> std::optional<std::string>
    {
        if (part.kind == syntax::node_kind::text) {
            std::string whole;
            for (auto const* const one : syntax::as<syntax::text>(part).parts) {
                auto const text = text_of(*one);
                if (!text) return std::nullopt;
                whole += *text;
            }
            return whole;
        }
        if (part.kind == syntax::node_kind::literal) {
            auto const text = syntax::as<syntax::literal>(part).text();
            return text ? std::optional(std::string(*text)) : std::nullopt;
        }
        if (part.kind == syntax::node_kind::wrap) return text_of(*syntax::as<syntax::wrap>(part).inner);
        if (part.kind != syntax::node_kind::traversal) return std::nullopt;
        auto const& name = syntax::as<syntax::traversal>(part);
        if (name.root != "path" || name.steps.size() != 1) return std::nullopt;
        return name.steps[0].name == "module" ? directory_ : root_;
    }

    feature_context const& with_;
    document const& in_;
    std::string directory_;
    std::string root_;
    json_array links_;
};

}  // namespace

auto module_links(feature_context const& context, document const& in) -> std::vector<module_link>
{
    std::vector<module_link> links;
    auto const directory = context.files.module_of(in);
    auto const add = [&](language::body const& block, std::string const& called) {
        auto const range = text_range(block.find("source"), in);
        auto const* const to = called.empty() ? nullptr : main_file(context, called);
        if (range && to != nullptr) links.push_back({*range, to});
    };
    for (auto const& one : in.symbols().declarations) {
        if (one.kind == symbol_kind::module) add(one.block->content, context.files.called(directory, one.key));
        if (one.kind != symbol_kind::run) continue;
        for (auto const& inner : one.block->content.blocks)
            if (inner.type == "module") add(inner.content, context.files.run_module(in, one.name));
    }
    return links;
}

auto document_links(feature_context const& context, document const& in) -> std::string
{
    return in.is_native() ? link_writer(context, in).run() : "[]";
}

}  // namespace iacctl::lsp
