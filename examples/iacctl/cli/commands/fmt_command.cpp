// SPDX-License-Identifier: BSL-1.0
#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "commands.hpp"
#include "language/syntax/format.hpp"
#include "line_difference.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// Writes a file that keeps its owner, mode and links. Space is reserved first, so on a full disk it keeps its content, too.
auto overwrite(std::string const& name, std::size_t old_size, std::string_view text) -> error_code
{
    file_descriptor const file(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return last_error();
    auto const size = static_cast<off_t>(text.size());
    if (int const code = text.empty() ? 0 : ::posix_fallocate(file.get(), 0, size)) {
        [[maybe_unused]] int const undone =
            ::ftruncate(file.get(), static_cast<off_t>(old_size));  // `code` is reported
        return {code, boost::system::system_category()};
    }
    if (auto const error = write_all(file.get(), text)) return error;
    return ::ftruncate(file.get(), size) == 0 ? error_code() : last_error();
}

namespace fs = std::filesystem;

struct fmt_options : options_with<> {
    bool list = true;
    bool write = true;
    bool diff = false;
    bool check = false;
    bool recursive = false;

    void declare(option_list& to)
    {
        to.off("list", "Do not list the files whose formatting changes.", list);
        to.off("write", "Do not write files.", write);
        to.on("diff", "Show the differences.", diff);
        to.on("check", "Write no file; exit with 3 if the formatting of a file is not canonical.", check);
        to.on("recursive", "Format files of subdirectories too.", recursive);
        options_with::declare(to);
    }
};

class formatter {
public:
    formatter(session const& s, fmt_options const& options)
        : s_(s),
          options_(options),
          write_(options.write && !options.check)
    {}

    auto run() -> int
    {
        auto targets = options_.arguments;
        if (targets.empty()) targets.emplace_back(".");
        for (std::string const& target : targets) {
            std::error_code error;
            if (target == "-") {
                auto const text = read_input(std::cin);
                if (text) format_text("<stdin>", with_complete_last_line(*text), false);
                else report(make_error(messages::unreadable_input, {text.error().message()}));
            } else if (fs::is_directory(target, error)) {
                format_directory(target);
            } else if (fs::exists(target, error)) {
                if (is_formatted(target)) format_file(target);
                else report(make_error(messages::file_not_formatted, {target, names()}));
            } else report(make_error(messages::file_not_found, {target}));
        }
        int const code = s_.report(problems_);
        if (code != 0) return 2;
        return options_.check && changed_ ? 3 : 0;
    }

private:
    static constexpr std::array<std::string_view, 6> endings{
        ".tf", ".tfvars", ".tftest.hcl", ".tofutest.hcl", ".tfmock.hcl", ".tfquery.hcl"};

    static auto is_formatted(fs::path const& path) -> bool
    {
        auto const name = path.filename().string();
        return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
    }
    static auto names() -> std::string
    {
        std::string all;
        for (std::string_view const end : endings) all += (all.empty() ? "" : ", ") + std::string(end);
        return all;
    }

    void report(infra::diagnostic problem) { problems_.add(std::move(problem)); }

    void format_directory(fs::path const& directory)
    {
        std::error_code error;
        std::vector<fs::directory_entry> entries(fs::directory_iterator(directory, error), fs::directory_iterator{});
        if (error) return report(make_error(messages::unsearchable_directory, {directory.string()}));
        std::ranges::sort(entries, {}, [](auto const& e) { return e.path().filename(); });
        for (auto const& entry : entries) {
            auto const name = entry.path().filename().string();
            if (name.starts_with('.') || name.ends_with('~')) continue;
            auto const path = (directory / name).lexically_normal();
            if (entry.is_directory(error)) {
                if (options_.recursive) format_directory(path);
            } else if (is_formatted(path)) format_file(path);
        }
    }

    void format_file(fs::path const& path)
    {
        auto const text = read_input(path);
        if (!text) return report(make_error(messages::unreadable_file, {path.string(), text.error().message()}));
        format_text(path.lexically_normal().string(), *text, true);
    }

    void format_text(std::string const& name, std::string const& text, bool from_file)
    {
        infra::diagnostics found;
        auto const formatted = language::format(name, text, language::format_rules::conventions, found);
        auto const& result = formatted.text;
        problems_.add(found);
        if (found.has_errors()) return;
        bool const list = options_.list && from_file;
        bool const write = write_ && from_file;
        if (result != text) {
            changed_ = true;
            if (list) s_.out() << name << '\n';
            if (write) {
                if (auto const error = overwrite(name, text.size(), result))
                    report(make_error(messages::unwritable_file, {name, error.message()}));
            }
            if (options_.diff) s_.out() << line_difference(text, result, name);
        }
        if (list || write || options_.diff || options_.check) return;
        s_.out() << result;
    }

    // Formatted standard input is printed for another program or a terminal, so its last line must be complete. It is
    // completed first, because the end of a text determines its format: a second pass would change it again.
    static auto with_complete_last_line(std::string text) -> std::string
    {
        if (!text.ends_with('\n')) text += '\n';
        return text;
    }

    session const& s_;
    fmt_options const& options_;
    bool write_;
    bool changed_ = false;
    infra::diagnostics problems_;
};

auto fmt(fmt_options const& options, session const& s) -> int
{
    return formatter(s, options).run();
}

}  // namespace

constinit command const fmt_command{"fmt", {.configuration = configuration_use::directory}, begin<fmt>,
    "Format configuration files",
    "Formats configuration files in the canonical style, and lists those that changed. Without TARGET, the files of "
    "the current directory; \"-\" reads standard input and writes standard output.",
    {"[TARGET...]", any_number, completion::file}};

}  // namespace iacctl::commands
