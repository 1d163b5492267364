// SPDX-License-Identifier: BSL-1.0
#include "disk_model.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace iacctl::durability {

namespace {

constexpr std::uint64_t sector = 512;

using kind_type = operation::kind_type;

auto inode_of(fs::path const& path) -> file_id
{
    struct stat about{};
    if (::lstat(path.c_str(), &about) != 0) throw std::runtime_error("no file " + path.string());
    return about.st_ino;
}

template <class Names>
void rename_in(Names& names, operation const& done)
{
    if (done.kind == kind_type::remove || done.kind == kind_type::rename) names[done.directory].erase(done.name);
    if (done.kind == kind_type::rename) names[done.other_directory][done.other_name] = done.file;
    else if (done.kind != kind_type::remove) names[done.directory][done.name] = done.file;
}

void write_at(std::string& content, std::uint64_t offset, std::string_view data)
{
    if (content.size() < offset + data.size()) content.resize(offset + data.size(), '\0');
    content.replace(offset, data.size(), data);
}

}  // namespace

disk_model::disk_model(fs::path const& root) : root_(inode_of(root))
{
    read(root, root_);
}

void disk_model::read(fs::path const& directory, file_id id)
{
    nodes_[id].is_directory = true;
    for (auto const& one : fs::directory_iterator(directory)) {
        file_id const inode = inode_of(one.path());
        names_[id][one.path().filename().string()] = inode;
        if (one.is_directory()) {
            read(one.path(), inode);
        } else {
            std::ifstream in(one.path(), std::ios::binary);
            nodes_[inode].content.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        }
    }
}

void disk_model::apply(operation const& done)
{
    switch (done.kind) {
    case kind_type::mark: return;
    case kind_type::write: nodes_[done.file].changes.push_back({false, done.offset, done.data, {}}); return;
    case kind_type::truncate: nodes_[done.file].changes.push_back({true, done.offset, {}, {}}); return;
    case kind_type::drop: drop(nodes_[done.file], done.offset, done.offset + done.data.size()); return;
    case kind_type::synchronize: synchronize(done.file); return;
    case kind_type::fail_to_synchronize: fail_to_synchronize(done.file); return;
    case kind_type::add_file: nodes_[done.file]; break;
    case kind_type::add_directory: nodes_[done.file].is_directory = true; break;
    default: break;
    }
    renamings_.push_back(done);
}

void disk_model::drop(node& of, std::uint64_t from, std::uint64_t to)
{
    std::vector<change> kept;
    for (change& one : of.changes) {
        std::uint64_t const end = one.offset + one.data.size();
        if (one.truncates || one.certainty == certainty_type::durable || end <= from || one.offset >= to) {
            kept.push_back(std::move(one));
            continue;
        }
        if (one.offset < from)
            kept.push_back({false, one.offset, one.data.substr(0, from - one.offset), one.certainty});
        if (end > to) kept.push_back({false, to, one.data.substr(to - one.offset), one.certainty});
    }
    of.changes = std::move(kept);
}

void disk_model::synchronize(file_id id)
{
    node& of = nodes_[id];
    for (change& one : of.changes)
        if (one.certainty == certainty_type::pending) one.certainty = certainty_type::durable;
    auto const is_durable = [](change const& one) { return one.certainty == certainty_type::durable; };
    auto const rest_of_changes = std::find_if_not(of.changes.begin(), of.changes.end(), is_durable);
    for (auto one = of.changes.begin(); one != rest_of_changes; ++one) {
        if (one->truncates) of.content.resize(one->offset, '\0');
        else write_at(of.content, one->offset, one->data);
    }
    of.changes.erase(of.changes.begin(), rest_of_changes);
    if (!of.is_directory) return;
    // A rename between directories is durable in both of them, and so are all earlier changes of either directory.
    std::set<file_id> directories{id};
    for (std::size_t before = 0; before != directories.size();) {
        before = directories.size();
        for (operation const& one : renamings_)
            if (one.kind == kind_type::rename
                && (directories.contains(one.directory) || directories.contains(one.other_directory)))
                directories.insert({one.directory, one.other_directory});
    }
    std::vector<operation> rest;
    for (operation const& one : renamings_) {
        if (directories.contains(one.directory)) rename_in(names_, one);
        else rest.push_back(one);
    }
    renamings_ = std::move(rest);
}

void disk_model::fail_to_synchronize(file_id id)
{
    for (change& one : nodes_[id].changes)
        if (one.certainty == certainty_type::pending) one.certainty = certainty_type::uncertain;
}

void disk_model::continue_in(fs::path const& directory)
{
    name_table visible = names_;
    for (operation const& one : renamings_) rename_in(visible, one);
    std::map<file_id, file_id> numbers{{root_, inode_of(directory)}};
    std::vector<std::pair<file_id, fs::path>> directories{{root_, directory}};
    while (!directories.empty()) {
        auto const [id, path] = directories.back();
        directories.pop_back();
        for (auto const& [name, file] : visible[id]) {
            numbers[file] = inode_of(path / name);
            if (nodes_[file].is_directory) directories.emplace_back(file, path / name);
        }
    }
    constexpr file_id without_name = file_id{1} << 52U;  // no inode has such a number
    auto const renumber = [&](file_id& id) {
        auto const found = numbers.find(id);
        id = found == numbers.end() ? id | without_name : found->second;
    };
    renumber(root_);
    std::map<file_id, node> nodes;
    for (auto& [id, of] : nodes_) {
        file_id number = id;
        renumber(number);
        nodes.emplace(number, std::move(of));
    }
    nodes_ = std::move(nodes);
    name_table names;
    for (auto& [id, files] : names_) {
        file_id number = id;
        renumber(number);
        for (auto& [name, file] : files) renumber(file);
        names.emplace(number, std::move(files));
    }
    names_ = std::move(names);
    for (operation& one : renamings_)
        for (file_id* const id : {&one.file, &one.directory, &one.other_directory}) renumber(*id);
}

void disk_model::write_image(fs::path const& to, loss lost, std::mt19937_64& random) const
{
    name_table names = names_;
    std::size_t const kept = lost == loss::some ? random() % (renamings_.size() + 1) : renamings_.size();
    if (lost != loss::everything)
        for (std::size_t i = 0; i < kept; ++i)
            if (lost != loss::any || random() % 2 == 0) rename_in(names, renamings_[i]);
    write_directory(to, root_, names, lost, random);
}

void disk_model::write_directory(
    fs::path const& to, file_id id, name_table const& names, loss lost, std::mt19937_64& random) const
{
    fs::create_directory(to);
    auto const found = names.find(id);
    if (found == names.end()) return;
    for (auto const& [name, file] : found->second) {
        node const& of = nodes_.at(file);
        if (of.is_directory) {
            write_directory(to / name, file, names, lost, random);
            continue;
        }
        std::string content = of.content;
        // Most changes of one file are durable, and few of another one.
        std::uint64_t const kept = lost == loss::nothing ? 8 : lost == loss::everything ? 0 : random() % 9;
        auto const is_kept = [&](change const& one) {
            return one.certainty == certainty_type::durable || kept == 8 || (kept != 0 && random() % 8 < kept);
        };
        for (change const& one : of.changes) {
            if (one.truncates) {
                if (is_kept(one)) content.resize(one.offset, '\0');
                continue;
            }
            for (std::uint64_t at = 0; at < one.data.size();) {
                std::uint64_t const end = (one.offset + at) / sector * sector + sector - one.offset;
                std::uint64_t const size = std::min<std::uint64_t>(end, one.data.size()) - at;
                if (is_kept(one)) write_at(content, one.offset + at, std::string_view(one.data).substr(at, size));
                at += size;
            }
        }
        std::ofstream(to / name, std::ios::binary) << content;
        fs::permissions(to / name, fs::perms::owner_read | fs::perms::owner_write);
    }
}

}  // namespace iacctl::durability
