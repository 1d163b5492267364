// SPDX-License-Identifier: BSL-1.0
#include "configuration.hpp"

#include "block_decoder.hpp"
#include "parser.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace iacctl::language {

namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_override(std::string const& name)
{
    return name == "override.tf" || name.ends_with("_override.tf");
}

}  // namespace

resource const* configuration::find_resource(reference const& of) const
{
    auto const found = resources.find(of.address());
    return found == resources.end() ? nullptr : &found->second;
}

configuration load_configuration(fs::path const& directory, diagnostics& found)
{
    std::map<std::string, std::string> texts;
    std::error_code problem;
    auto const unreadable = [&](std::string const& what) {
        found.add(error("Failed to read module directory",
            what.empty() ? "Module directory " + directory.string() + " does not exist or cannot be read." : what));
        return configuration{};
    };
    fs::directory_iterator entries(directory, problem);
    if (problem) return unreadable({});
    for (fs::directory_iterator const end; entries != end; entries.increment(problem)) {
        if (problem) return unreadable({});
        auto const name = entries->path().filename().string();
        if (!name.ends_with(".tf") || name.starts_with('.') || entries->is_directory(problem)) continue;
        auto const shown = directory == "." ? name : (directory / name).lexically_normal().string();
        if (is_override(name)) {
            found.add(error("Override files are not supported",
                "The file " + shown
                    + " would change blocks of other files. This version does not merge override files; move its "
                      "content "
                      "into the files that it changes."));
            continue;
        }
        std::ifstream file(entries->path(), std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file) {
            found.add(error("Failed to read file",
                "The configuration file \"" + shown + "\" could not be read: " + std::generic_category().message(errno)
                    + "."));
            continue;
        }
        texts.emplace(shown, std::move(text));
    }
    auto made = load_configuration(texts, found);
    made.directory = directory;
    return made;
}

configuration load_configuration(std::map<std::string, std::string> const& files, diagnostics& found)
{
    configuration made;
    made.directory = ".";
    for (auto const& [name, text] : files) made.files.push_back(parse_file(name, text, found));
    for (auto const& tree : made.files) detail::block_decoder(made, found).decode(tree->root());
    return made;
}

void refuse_unsupported_blocks(configuration const& of, diagnostics& found)
{
    auto const refuse = [&](raw_block const& one) {
        found.add(error("Unsupported block",
            "Blocks of type \"" + std::string(one.of->type)
                + "\" are understood, but this version cannot carry them out.",
            one.range));
    };
    for (auto const& [name, one] : of.modules) refuse(one);
    for (auto const* const list : {&of.moved, &of.removed, &of.imports, &of.checks, &of.cloud})
        std::ranges::for_each(*list, refuse);
}

}  // namespace iacctl::language
