// SPDX-License-Identifier: BSL-1.0
#include "lock_info.hpp"

#include "base/json.hpp"
#include "base/random.hpp"
#include "base/terraform_version.hpp"
#include "base/timestamp.hpp"
#include "state/lock_holder.hpp"
#include "state/workspace_name.hpp"

#include <array>
#include <utility>

namespace iacctl::backends {

namespace {

using member = std::pair<std::string_view, std::string lock_info::*>;
constexpr std::array<member, 7> members{{
    {"ID", &lock_info::id},
    {"Operation", &lock_info::operation},
    {"Info", &lock_info::info},
    {"Who", &lock_info::who},
    {"Version", &lock_info::version},
    {"Created", &lock_info::created},
    {"Path", &lock_info::path},
}};

// The operation in Terraform's notation, "OperationTypeApply" for "apply".
auto operation_type(std::string_view command) -> std::string
{
    std::string name = "OperationType";
    bool upper = true;
    for (char const c : command) {
        bool const separates = c == ' ' || c == '-';
        if (!separates) name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        upper = separates;
    }
    return name;
}

}  // namespace

auto lock_info::of_this_process(std::string_view operation, std::string path) -> lock_info
{
    auto const self = state::this_process(operation);
    return {random_uuid(), operation_type(operation), {}, self.user + "@" + self.host, std::string(terraform_version),
        timestamp::of_unix_ms(self.started).text(), std::move(path)};
}

auto lock_info::parse(std::string_view text) -> std::optional<lock_info>
{
    auto const whole = parse_json(text);
    if (!whole || whole->members() == nullptr) return std::nullopt;
    lock_info found;
    for (auto const& [name, place] : members) {
        json const* const value = whole->find(name);
        if (value != nullptr && value->text() != nullptr) found.*place = *value->text();
    }
    if (found.id.empty()) return std::nullopt;
    return found;
}

auto lock_info::text() const -> std::string
{
    std::string out;
    for (auto const& [name, place] : members) {
        out += out.empty() ? "{" : ",";
        append_json_string(out, name);
        out += ':';
        append_json_string(out, this->*place);
    }
    return out + "}";
}

auto lock_info::description() const -> std::string
{
    std::string lines;
    auto const add = [&](std::string_view title, std::string const& text) {
        if (!text.empty()) lines.append(lines.empty() ? "  " : "\n  ").append(title).append(text);
    };
    add("Lock id:   ", id);
    add("Holder:    ", who);
    add("Operation: ", operation);
    add("Started:   ", created);
    add("Remark:    ", info);
    return lines;
}

auto release_command(std::string const& workspace, std::string const& id) -> std::string
{
    std::string const selected = workspace == state::default_workspace ? "" : "TF_WORKSPACE=" + workspace + " ";
    return selected + "iacctl force-unlock " + id;
}

}  // namespace iacctl::backends
