// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_DEPENDENCY_CATALOG_HPP
#define IACCTL_STATE_DEPENDENCY_CATALOG_HPP

#include <strider/infra/model/dependency_set.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace iacctl::state {

namespace infra = strider::infra;

/// Sets of dependencies by what they are kept under: many objects share a set, and sets contain each other, so that
/// they are kept apart from the objects, each once.
class dependency_catalog {
public:
    /// What a set is kept under: 32 hexadecimal digits of its id.
    [[nodiscard]] static auto key_of(infra::dependency_set const& set) -> std::string;
    /// A set without parts needs no place of its own: its names are written where it is used.
    [[nodiscard]] static auto is_kept(infra::dependency_set const& set) -> bool { return !set.parts().empty(); }

    [[nodiscard]] auto find(std::string_view key) const -> infra::dependency_set const*;
    /// Takes in what `text_of` made of a set. Its parts must be there. False: it is no such text, or not of this key.
    [[nodiscard]] auto read(std::string_view key, std::string_view document) -> bool;

    /// Takes in a set with all its parts, and tells `added(key, document)` of each that was not known yet, parts first.
    template <class Added>
    void add(infra::dependency_set const& set, Added added)
    {
        auto const is_new = [&](infra::dependency_set const& s) { return is_kept(s) && !known_.contains(s.id()); };
        set.for_each_set(is_new, [&](infra::dependency_set const& s) {
            if (known_.emplace(s.id(), s).second) added(key_of(s), text_of(s));
        });
    }
    void clear() { known_.clear(); }

    /// `{"names":[...],"parts":[...]}`; a part without parts as the list of its names, any other by its key.
    [[nodiscard]] static auto text_of(infra::dependency_set const& set) -> std::string;

private:
    std::unordered_map<infra::dependency_set::id_type, infra::dependency_set> known_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DEPENDENCY_CATALOG_HPP
