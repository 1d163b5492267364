// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_STATE_JSON_HPP
#define IACCTL_SERVER_STATE_JSON_HPP

#include "providers/catalog.hpp"
#include "state_source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::server {

/// States as JSON for the console.
///
/// Values that a state or a schema marks as sensitive are replaced. Where the schema of a type is unknown, values with
/// names that are usual for secrets are replaced, too. Private data of providers are never part of the JSON.
class state_json {
public:
    /// \param known  the providers whose schemas are known
    explicit state_json(providers::catalog const& known) : known_(&known) {}

    /// All objects without their attributes, and the outputs with their values.
    [[nodiscard]] auto content(infra::snapshot const& s) const -> std::string;
    /// The attributes of one object, and what it depends on; empty if there is no such object.
    [[nodiscard]] auto object(infra::snapshot const& s, std::string_view address) const -> std::string;
    /// A text that differs if an object differs; nothing if there is no such object. It contains sensitive values.
    [[nodiscard]] static auto object_content(infra::snapshot const& s, std::string_view address)
        -> std::optional<std::string>;
    /// The objects and outputs that differ.
    [[nodiscard]] auto difference(infra::snapshot const& before, infra::snapshot const& after) const -> std::string;
    /// Adds the objects and outputs that contain all words, as elements with the members of `place`.
    /// \param most  of the list
    void search(std::vector<std::string>& found, infra::snapshot const& s, std::vector<std::string> const& words,
        std::string const& place, std::size_t most) const;

    /// The page that shows the dependencies of all objects. \param back  the address of the console
    [[nodiscard]] static auto graph(
        infra::snapshot const& s, std::string source, std::string const& workspace, std::string back) -> std::string;

private:
    struct shown_object;

    [[nodiscard]] auto show(infra::address const& a, infra::object const& o) const -> shown_object;

    providers::catalog const* known_;
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_STATE_JSON_HPP
