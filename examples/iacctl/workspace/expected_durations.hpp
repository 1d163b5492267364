// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_EXPECTED_DURATIONS_HPP
#define IACCTL_WORKSPACE_EXPECTED_DURATIONS_HPP

#include "recorded_durations.hpp"

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::workspace {

/// The operation with which an action creates, updates or reads an object; nothing if there is none.
[[nodiscard]] constexpr auto making_operation(infra::action a) noexcept -> std::optional<infra::operation_kind>
{
    if (a == infra::action::read) return infra::operation_kind::read;
    if (a == infra::action::update) return infra::operation_kind::update;
    return infra::makes_object(a) ? std::optional(infra::operation_kind::create) : std::nullopt;
}

/// The expected durations of operations: that of the last run, or else the mean of the operations of their type.
class expected_durations {
public:
    explicit expected_durations(recorded_durations recorded) : recorded_(std::move(recorded))
    {
        for (auto const& [of, seconds] : recorded_.all())
            if (auto const address = infra::parse_address(of.second))
                add(of.first, std::string(address->type()), seconds);
    }

    /// Adds an operation of this run to the means.
    void add(infra::operation_kind kind, std::string const& type, double seconds)
    {
        by_type_[{kind, type}].add(seconds);
    }

    [[nodiscard]] auto is_recorded(infra::operation_kind kind, infra::address const& a) const -> bool
    {
        return recorded_.find({kind, to_string(a)}).has_value();
    }
    /// In seconds; nothing if no duration of the type is known.
    [[nodiscard]] auto find(infra::operation_kind kind, infra::address const& given) const -> std::optional<double>
    {
        if (auto const seconds = recorded_.find({kind, to_string(given)})) return seconds;
        auto const found = by_type_.find({kind, std::string(given.type())});
        if (found == by_type_.end()) return std::nullopt;
        return found->second.seconds / static_cast<double>(found->second.count);
    }

private:
    struct mean {
        double seconds = 0;
        std::size_t count = 0;
        void add(double number)
        {
            seconds += number;
            ++count;
        }
    };

    recorded_durations recorded_;
    std::map<std::pair<infra::operation_kind, std::string>, mean> by_type_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_EXPECTED_DURATIONS_HPP
