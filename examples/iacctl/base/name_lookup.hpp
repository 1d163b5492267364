// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_NAME_LOOKUP_HPP
#define IACCTL_BASE_NAME_LOOKUP_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

namespace iacctl {

/// Finds items of a list by their member `name`. A short list is searched linearly; for a long list an index is kept,
/// so that one search per item takes linear time. Among items with the same name it finds the first.
///
/// All calls must pass the same list, which may grow in between.
class name_lookup {
public:
    template <class T>
    [[nodiscard]] auto find(std::span<T const> all, std::string_view name) -> T const*
    {
        if (all.size() <= few) {
            auto const found = std::ranges::find(all, name, &T::name);
            return found == all.end() ? nullptr : &*found;
        }
        if (!places_) places_ = std::make_unique<std::unordered_map<std::string_view, std::size_t>>();
        for (; known_ < all.size(); ++known_) places_->emplace(all[known_].name, known_);
        auto const found = places_->find(name);
        return found == places_->end() ? nullptr : &all[found->second];
    }

private:
    static constexpr std::size_t few = 32;

    std::unique_ptr<std::unordered_map<std::string_view, std::size_t>> places_;  // null for a short list
    std::size_t known_ = 0;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_NAME_LOOKUP_HPP
