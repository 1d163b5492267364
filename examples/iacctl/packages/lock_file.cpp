// SPDX-License-Identifier: BSL-1.0
#include "lock_file.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/parser.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view header = "# This file is maintained automatically by \"terraform init\".\n"
                                    "# Manual edits may be lost in future updates.\n";

// Reads the blocks of one file.
class lock_file_reader {
public:
    explicit lock_file_reader(std::string shown) : shown_(std::move(shown)) {}

    auto read(language::body const& file) -> lock_file
    {
        lock_file made;
        for (auto const& one : file.attributes)
            wrong(one.name_range(), "the argument \"" + std::string(one.name) + "\" is not supported here");
        for (auto const& one : file.blocks) {
            // Terraform reserves some names of blocks for later versions, and ignores them.
            if (one.type != "provider") continue;
            read_provider(one, made);
        }
        return made;
    }

    auto add(infra::diagnostics const& found) -> void
    {
        for (auto const& one : found)
            if (one.level == infra::severity::error)
                wrong(language::place_text(one.source), one.summary + ": " + one.detail);
    }

    auto problems() && -> infra::diagnostics { return std::move(problems_); }
    [[nodiscard]] auto failed() const -> bool { return !problems_.empty(); }

private:
    void wrong(language::source_range const& at, std::string const& why) { wrong(at.text(), why); }
    void wrong(std::string const& place, std::string const& why)
    {
        problems_.add(messages::make_error(messages::invalid_lock_file, {shown_, place.empty() ? shown_ : place, why}));
    }

    auto text_of(language::attribute const& a) -> std::string
    {
        infra::diagnostics found;
        auto text = language::constant_string(a, found);
        add(found);
        return text.value_or("");
    }

    void read_provider(language::block const& b, lock_file& made)
    {
        if (b.labels.size() != 1)
            return wrong(b.header_range(), "a block \"provider\" must have one label, the address");
        auto const source = provider_id::parse(b.labels[0].text);
        if (!source || source->address() != b.labels[0].text)
            return wrong(b.labels[0].range, "\"" + b.labels[0].text + "\" is not the full address of a provider");
        locked_provider one;
        auto const* const selected = b.content.find("version");
        if (selected == nullptr) return wrong(b.header_range(), "the argument \"version\" is missing");
        auto parsed = version::parse(text_of(*selected));
        if (!parsed || parsed->numbers.size() != 3) return wrong(selected->range, "the version is not valid");
        one.selected = std::move(*parsed);
        for (auto const& argument : b.content.attributes) {
            if (argument.name == "constraints") {
                one.constraints = text_of(argument);
                auto const constraints = version_constraints::parse(one.constraints);
                if (!constraints || constraints->text() != one.constraints)
                    wrong(argument.range, "the version constraints do not have the form that lock files use");
            } else if (argument.name == "hashes") {
                infra::diagnostics found;
                for (auto const& element : language::static_list(argument.of, found)) {
                    auto const value = language::evaluate(element, language::constant_scope(), found);
                    bool const text = !found.has_errors() && value.has_data() && value.is(language::type_kind::string);
                    if (text && value.as_string().find(':') != std::string::npos) one.hashes.insert(value.as_string());
                    else wrong(element.range(), "a checksum must be a string with a scheme, such as \"h1:…\"");
                }
                add(found);
            } else if (argument.name != "version")
                wrong(argument.range, "the argument \"" + std::string(argument.name) + "\" is not supported here");
        }
        if (!made.providers.emplace(*source, std::move(one)).second)
            wrong(b.header_range(), "there is a second block for this provider");
    }

    std::string shown_;
    infra::diagnostics problems_;
};

}  // namespace

auto lock_file::parse(std::string const& shown, std::string text) -> expected<lock_file>
{
    infra::diagnostics found;
    auto const tree = language::parse_file(shown, std::move(text), found);
    lock_file_reader of(shown);
    of.add(found);
    auto made = of.read(tree->root());
    if (of.failed()) return infra::failure(std::move(of).problems());
    return made;
}

auto lock_file::read(fs::path const& file) -> expected<lock_file>
{
    auto text = read_input(file);
    if (!text && is_missing(text.error())) return lock_file();
    if (!text)
        return infra::failure(
            messages::make_error(messages::package_file_unreadable, {file.string(), text.error().message()}));
    return parse(file.lexically_normal().string(), std::move(*text));
}

auto lock_file::text() const -> std::string
{
    std::string made(header);
    for (auto const& [source, one] : providers) {
        made += "\nprovider \"" + source.address() + "\" {\n";
        bool const aligned = !one.constraints.empty();
        made += std::string("  version ") + (aligned ? "    " : "") + "= \"" + one.selected.text() + "\"\n";
        if (aligned) made += "  constraints = \"" + one.constraints + "\"\n";
        if (!one.hashes.empty()) {
            made += "  hashes = [\n";
            for (std::string const& hash : one.hashes) made += "    \"" + hash + "\",\n";
            made += "  ]\n";
        }
        made += "}\n";
    }
    return made;
}

auto lock_file::write(fs::path const& file) const -> infra::diagnostics
{
    // Readable by all users, like other files of a configuration.
    auto error = replace_file(file, text(), 0644);
    if (!error) error = sync_directory(file.has_parent_path() ? file.parent_path() : ".");
    if (!error) return {};
    return {messages::make_error(messages::package_file_unwritable, {file.string(), error.message()})};
}

}  // namespace iacctl::packages
