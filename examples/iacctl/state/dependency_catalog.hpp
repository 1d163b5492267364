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

/// Sets of dependencies by key. Many objects share a set, and sets contain each other; therefore each set is stored
/// once, apart from the objects.
class dependency_catalog {
public:
    /// The key of a set: 32 hexadecimal digits of its id.
    [[nodiscard]] static auto key_of(infra::dependency_set const& set) -> std::string;
    /// Returns whether a set is stored in the catalog. The names of a set without parts are stored where it is used.
    [[nodiscard]] static auto is_kept(infra::dependency_set const& set) -> bool { return !set.parts().empty(); }

    [[nodiscard]] auto find(std::string_view key) const -> infra::dependency_set const*;
    /// Adds a set from its `text_of`. Its parts must be in the catalog. False if the text is invalid or has another
    /// key.
    [[nodiscard]] auto read(std::string_view key, std::string_view document) -> bool;

    /// Adds a set with all its parts, and calls `added(key, document)` for each that was not in the catalog, parts
    /// first.
    template <class Added>
    void add(infra::dependency_set const& set, Added added)
    {
        auto const is_new = [&](infra::dependency_set const& s) { return is_kept(s) && !known_.contains(s.id()); };
        set.for_each_set(is_new, [&](infra::dependency_set const& s) {
            if (known_.emplace(s.id(), s).second) added(key_of(s), text_of(s));
        });
    }
    void clear() { known_.clear(); }

    /// `{"names":[...],"parts":[...]}`. A part without parts is the list of its names, any other its key.
    [[nodiscard]] static auto text_of(infra::dependency_set const& set) -> std::string;

private:
    std::unordered_map<infra::dependency_set::id_type, infra::dependency_set> known_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DEPENDENCY_CATALOG_HPP
