// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_NAME_INDEX_HPP
#define STRIDER_INFRA_PROGRAM_NAME_INDEX_HPP

#include <strider/core/assert.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::infra {

/// Numbers of names.
class name_index {
public:
    name_index() = default;
    /// \pre each name once
    explicit name_index(std::vector<std::string> names)
    {
        numbers_.reserve(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            [[maybe_unused]] bool const is_new = numbers_.emplace(std::move(names[i]), i).second;
            STRIDER_ASSERT(is_new, "each declaration has a name of its own");
        }
    }

    /// The number of distinct names.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return numbers_.size(); }
    /// Position of a name in the list. \complexity O(1)
    [[nodiscard]] auto find(std::string_view name) const -> std::optional<std::size_t>
    {
        auto const found = numbers_.find(name);
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    struct text_hash {
        using is_transparent = void;
        [[nodiscard]] auto operator()(std::string_view text) const noexcept -> std::size_t
        {
            return std::hash<std::string_view>{}(text);
        }
    };
    std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> numbers_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_NAME_INDEX_HPP
