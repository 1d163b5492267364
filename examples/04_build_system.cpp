// SPDX-License-Identifier: BSL-1.0
// A build system: commands make files from other files. Runs the commands of outdated files, four at a time.
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct target {
    std::string file;
    std::string command;  // empty for a source
    std::vector<std::string> inputs;
};

using targets = strider::dag<target>;

auto read_makefile(std::vector<target> const& rules) -> strider::result<targets>
{
    auto draft = strider::make_digraph(rules, &target::file, &target::inputs);
    if (!draft) return draft.error();
    return strider::freeze(*std::move(draft));
}

// The rule of make: a target is out of date if it is missing or older than one of its inputs.
auto is_out_of_date(target const& t) -> bool
{
    if (!fs::exists(t.file)) return true;
    for (std::string const& input : t.inputs)
        if (fs::last_write_time(input) > fs::last_write_time(t.file)) return true;
    return false;
}

void build(strider::asio::thread_pool& pool, targets const& all)
{
    // Each visit writes its own element; the walk makes it visible to dependents and to the caller.
    std::vector<char> ran(all.vertex_count());
    auto const make = [&](strider::vertex_id v, target const& t) {
        if (t.command.empty() && !fs::exists(t.file)) throw std::runtime_error("it is missing, and no rule makes it");
        if (t.command.empty() || !is_out_of_date(t)) return;
        ran[v.index()] = 1;
        if (std::system(t.command.c_str()) != 0) throw std::runtime_error("failed: " + t.command);
    };

    strider::walk_report const report = strider::walk(pool.get_executor(), all, make, {.max_concurrency = 4});

    for (auto const v : all.vertices()) {
        if (ran[v.index()] != 0 && report[v].is_done()) std::cout << "  made " << all[v].file << '\n';
        if (!report[v].is_done())
            std::cout << "  " << to_string(report[v].status()) << ' ' << all[v].file
                      << (report[v].message().empty() ? "" : ": " + report[v].message()) << '\n';
    }
    std::cout << "  " << (report.error() ? report.error().message() : "up to date") << '\n';
}

void write(std::string const& file, std::string const& text)
{
    std::ofstream(file) << text;
}

// Makes all files an hour older, so that later changes are newer even on a file system with a coarse clock.
void an_hour_passes()
{
    for (fs::directory_entry const& entry : fs::directory_iterator("."))
        fs::last_write_time(entry, entry.last_write_time() - std::chrono::hours(1));
}

}  // namespace

auto main() -> int
{
    fs::path const directory = fs::temp_directory_path() / ("strider_build_" + std::to_string(::getpid()));
    fs::create_directory(directory);
    fs::current_path(directory);
    write("greeting.txt", "hello\n");
    write("name.txt", "world\n");
    an_hour_passes();
    std::vector<target> const makefile{
        {"greeting.txt", "", {}},
        {"name.txt", "", {}},
        {"loud_greeting", "tr a-z A-Z < greeting.txt > loud_greeting", {"greeting.txt"}},
        {"loud_name", "tr a-z A-Z < name.txt > loud_name", {"name.txt"}},
        {"message", "cat loud_greeting loud_name > message", {"loud_greeting", "loud_name"}},
        {"length", "wc -c < message > length", {"message"}},
    };
    auto const all = read_makefile(makefile).value();
    strider::asio::thread_pool pool(4);

    std::cout << "first build\n";
    build(pool, all);
    std::cout << "nothing has changed\n";
    build(pool, all);
    an_hour_passes();
    std::cout << "name.txt has changed\n";
    write("name.txt", "everyone\n");
    build(pool, all);
    std::cout << "nothing has changed\n";
    build(pool, all);
    std::cout << "name.txt is gone\n";
    fs::remove("name.txt");
    build(pool, all);

    pool.join();
    fs::current_path(fs::temp_directory_path());
    fs::remove_all(directory);
}
