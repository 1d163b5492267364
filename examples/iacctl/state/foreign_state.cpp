// SPDX-License-Identifier: BSL-1.0
#include "foreign_state.hpp"

#include <system_error>

namespace iacctl::state {

auto check_foreign_state(std::filesystem::path const& configuration_directory, std::string_view workspace,
    infra::snapshot const& ours) -> std::optional<infra::failure>
{
    namespace fs = std::filesystem;
    if (!ours.lineage.empty()) return std::nullopt;
    bool const is_default = workspace.empty() || workspace == "default";
    fs::path const folder =
        is_default ? configuration_directory : configuration_directory / "terraform.tfstate.d" / workspace;
    fs::path const file = folder / "terraform.tfstate";
    std::error_code error;
    auto const size = fs::file_size(file, error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) return std::nullopt;
    if (!error && size == 0) return std::nullopt;
    return make_failure(state_error::foreign_state,
        "The file " + file.string()
            + " shows that Terraform manages objects of this configuration, and there is no state of iacctl here. With "
              "an empty state iacctl would create all of them a second time; it has done nothing.\n\n"
              "This version of iacctl does not read that file. To go on with Terraform, use terraform here. To let "
              "iacctl manage this directory instead, let Terraform destroy what it made (terraform destroy), then move "
              "the file to another name: iacctl begins with an empty state and creates everything anew.");
}

}  // namespace iacctl::state
