// SPDX-License-Identifier: BSL-1.0
#include "foreign_state.hpp"

#include "base/input_file.hpp"
#include "base/json.hpp"
#include "state/history.hpp"
#include "state_v4.hpp"

#include <cstdint>
#include <limits>
#include <system_error>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// Refuses a state file of Terraform that has objects, or cannot be read.
auto objects_in(fs::path const& file) -> expected<void>
{
    std::error_code error;
    auto const size = fs::file_size(file, error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) return {};
    if (!error && size == 0) return {};
    auto const text = read_input(file);
    auto const content = text ? from_v4(*text) : expected<infra::snapshot>(infra::failure());
    if (!content) return make_failure(messages::state_of_terraform_unreadable, {file.string()});
    if (content->resources.empty()) return {};
    return make_failure(messages::state_of_terraform,
        {counted(content->resources.size(), " resource instance", " resource instances"), file.string()});
}

}  // namespace

auto read_terraform_backend_record(fs::path const& data_directory) -> std::optional<terraform_backend_record>
{
    auto const text = read_input(data_directory / "terraform.tfstate");
    if (!text) return std::nullopt;
    auto const note = parse_json(*text);
    json const* const backend = note ? note->find("backend") : nullptr;
    json const* const type = backend == nullptr ? nullptr : backend->find("type");
    json const* const settings = backend == nullptr ? nullptr : backend->find("config");
    if (type == nullptr || type->text() == nullptr || type->text()->empty() || settings == nullptr) return std::nullopt;
    return terraform_backend_record{*type->text(), compact_text(*settings)};
}

auto terraform_state_paths::of_record(terraform_backend_record const& note) -> terraform_state_paths
{
    terraform_state_paths places;
    auto const settings = parse_json(note.config);
    auto const take = [&](std::string_view name, fs::path& to) {
        json const* const value = settings ? settings->find(name) : nullptr;
        if (value != nullptr && value->text() != nullptr && !value->text()->empty()) to = *value->text();
    };
    take("path", places.path);
    take("workspace_dir", places.workspace_dir);
    return places;
}

auto terraform_state_paths::file_of(std::string_view workspace) const -> fs::path
{
    bool const is_default = workspace.empty() || workspace == "default";
    return is_default ? path : workspace_dir / workspace / "terraform.tfstate";
}

auto check_foreign_state(std::string_view workspace, infra::snapshot const& ours,
    std::span<terraform_state_paths const> places) -> expected<void>
{
    if (!ours.lineage.empty()) return {};
    for (terraform_state_paths const& one : places)
        if (auto const ok = objects_in(one.file_of(workspace).lexically_normal()); !ok) return ok.error();
    return {};
}

}  // namespace iacctl::state
