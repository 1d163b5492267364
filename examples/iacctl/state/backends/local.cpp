// SPDX-License-Identifier: BSL-1.0
#include "local.hpp"

#include "settings.hpp"
#include "state/record/local_backend.hpp"
#include "state/record/workspace_files.hpp"

#include <filesystem>
#include <string>

namespace iacctl::backends {

namespace fs = std::filesystem;

namespace {

// The directory of workspaces for a configured name.
auto root_of(std::string const& given, std::string_view usual, place const& p) -> fs::path
{
    auto name = fs::path(given).lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    if (name.empty() || name == usual) return p.resolve(fs::path(state::workspaces_directory));
    return p.resolve(name.concat(state::workspaces_directory));
}

}  // namespace

auto local_arguments() -> language::schema const&
{
    using language::type;
    static language::schema const s{{
        {.name = "path", .of = type::string(), .optional = true},
        {.name = "workspace_dir", .of = type::string(), .optional = true},
    }};
    return s;
}

auto make_local(language::value const& settings, place const& p) -> expected<std::shared_ptr<state::backend>>
{
    settings_reader const read("local", settings);
    return std::shared_ptr<state::backend>(
        std::make_shared<state::local_backend>(root_of(read.text("path"), "terraform.tfstate", p),
            root_of(read.text("workspace_dir"), "terraform.tfstate.d", p), p.encryption));
}

}  // namespace iacctl::backends
