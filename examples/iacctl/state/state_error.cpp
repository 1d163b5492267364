// SPDX-License-Identifier: BSL-1.0
#include "state_error.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace iacctl::state {

namespace {

struct kind_facts {
    std::string_view summary;
    std::string_view code;
    int exit_code;
};

// In the order of the enumeration.
constexpr std::array<kind_facts, 14> facts{{
    {"", "", 0},
    {"Error reading state", "state_unreadable", 1},
    {"Error writing state", "state_not_writable", 1},
    {"Failed to save state", "state_not_saved", 5},
    {"State is damaged", "state_damaged", 4},
    {"State belongs to another program", "state_foreign_database", 4},
    {"State needs a newer iacctl", "state_newer_format", 4},
    {"Error acquiring the state lock", "state_locked", 3},
    {"State was changed by another process", "state_overtaken", 5},
    {"Not enough space for state", "state_no_space", 1},
    {"State of Terraform found", "state_of_terraform", 1},
    {"Not a state file", "state_invalid_file", 1},
    {"Operations need a decision", "state_needs_decision", 7},
    {"Operation cannot be resolved", "state_cannot_resolve", 1},
}};

class category : public boost::system::error_category {
public:
    [[nodiscard]] auto name() const noexcept -> char const* override { return "iacctl.state"; }
    [[nodiscard]] auto message(int value) const -> std::string override
    {
        auto const at = static_cast<std::size_t>(value);
        return at < facts.size() ? std::string(facts[at].summary) : "unknown";
    }
};

}  // namespace

auto summary_of(state_error kind) noexcept -> std::string_view
{
    return facts[static_cast<std::size_t>(kind)].summary;
}

auto code_of(state_error kind) noexcept -> std::string_view
{
    return facts[static_cast<std::size_t>(kind)].code;
}

auto exit_code_of(state_error kind) noexcept -> int
{
    return facts[static_cast<std::size_t>(kind)].exit_code;
}

auto kind_of(infra::diagnostic const& d) noexcept -> state_error
{
    for (std::size_t i = 1; i < facts.size(); ++i)
        if (facts[i].summary == d.summary) return static_cast<state_error>(i);
    return state_error::none;
}

auto kind_of(infra::failure const& f) noexcept -> state_error
{
    for (infra::diagnostic const& d : f.why())
        if (state_error const kind = kind_of(d); kind != state_error::none) return kind;
    return state_error::none;
}

auto exit_code_of(infra::failure const& f) noexcept -> int
{
    state_error const kind = kind_of(f);
    return kind == state_error::none ? 1 : exit_code_of(kind);
}

auto make_diagnostic(state_error kind, std::string detail, std::string address) -> infra::diagnostic
{
    return infra::make_error(std::string(summary_of(kind)), std::move(detail), std::move(address));
}

auto make_failure(state_error kind, std::string detail, std::string address) -> infra::failure
{
    return infra::failure(make_diagnostic(kind, std::move(detail), std::move(address)));
}

auto state_category() noexcept -> boost::system::error_category const&
{
    static category const instance;
    return instance;
}

}  // namespace iacctl::state
