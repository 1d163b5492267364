// SPDX-License-Identifier: BSL-1.0
#include "recorded_durations.hpp"

#include "base/durable_file.hpp"
#include "base/formatted.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>

namespace iacctl::workspace {

namespace {

constexpr std::string_view first_line = "iacctl durations 1";

auto file_in(std::filesystem::path const& directory) -> std::filesystem::path
{
    return directory / "durations";
}

auto kind_named(std::string_view name) -> std::optional<infra::operation_kind>
{
    for (std::size_t i = 0; i < infra::operation_kinds; ++i)
        if (auto const kind = static_cast<infra::operation_kind>(i); to_string(kind) == name) return kind;
    return std::nullopt;
}

}  // namespace

// A line has a duration in seconds, the kind of the operation, and the address, separated by spaces.
auto recorded_durations::read_file(std::filesystem::path const& from) -> std::optional<recorded_durations>
{
    recorded_durations all;
    std::ifstream file(from);
    std::string line;
    if (!std::getline(file, line) || line != first_line) return std::nullopt;
    while (std::getline(file, line)) {
        std::string_view rest = line;
        auto const word = [&rest] {
            auto const text = rest.substr(0, rest.find(' '));
            rest.remove_prefix(std::min(rest.size(), text.size() + 1));
            return text;
        };
        auto const number = word();
        auto const kind = kind_named(word());
        double seconds = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
        bool const is_number = error == std::errc() && end == number.data() + number.size() && seconds >= shortest;
        if (is_number && kind && !rest.empty()) all.seconds_.insert_or_assign({*kind, std::string(rest)}, seconds);
    }
    return all;
}

auto recorded_durations::read(std::filesystem::path const& directory) -> recorded_durations
{
    return read_file(file_in(directory)).value_or(recorded_durations());
}

auto recorded_durations::find(key const& k) const -> std::optional<double>
{
    auto const found = seconds_.find(k);
    return found == seconds_.end() ? std::nullopt : std::optional(found->second);
}

void recorded_durations::record(key const& k, double seconds)
{
    if (seconds < shortest) changed_ = seconds_.erase(k) > 0 || changed_;
    else {
        seconds_.insert_or_assign(k, seconds);
        changed_ = true;
    }
}

void recorded_durations::write(std::filesystem::path const& directory) const
{
    std::error_code error;
    if (!changed_ || !std::filesystem::is_directory(directory, error)) return;
    std::string text(first_line);
    text += '\n';
    for (auto const& [of, seconds] : seconds_)
        text += formatted("{:.3f} {} {}\n", seconds, to_string(of.first), of.second);
    // It is not an error of the run if an estimate cannot be stored.
    static_cast<void>(replace_file(file_in(directory), text));
}

}  // namespace iacctl::workspace
