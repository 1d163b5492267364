// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_VALUE_HPP
#define STRIDER_INFRA_SIM_TOY_VALUE_HPP

#include <strider/infra/model/object.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace strider::infra::sim {

/// The values of the toy: attributes with a text each, or unknown.
class toy_value {
public:
    /// texts by name; an attribute without a text is unknown
    using attribute_map = std::map<std::string, std::optional<std::string>, std::less<>>;

    toy_value() = default;
    /// Takes all attributes.
    explicit toy_value(attribute_map attributes) : attributes_(std::move(attributes)) {}
    /// The value of a declaration that is not an object: one attribute, "value".
    [[nodiscard]] static auto of(std::optional<std::string> text) -> toy_value
    {
        return toy_value({{"value", std::move(text)}});
    }

    /// True if no attribute is unknown.
    [[nodiscard]] auto wholly_known() const -> bool
    {
        for (auto const& [_, text] : attributes_)
            if (!text) return false;
        return true;
    }
    /// True if there is no attribute.
    [[nodiscard]] auto empty() const noexcept -> bool { return attributes_.empty(); }
    /// All attributes in ascending name.
    [[nodiscard]] auto attributes() const noexcept -> attribute_map const& { return attributes_; }
    /// True if there is such an attribute, known or unknown.
    [[nodiscard]] auto has(std::string_view name) const -> bool { return attributes_.contains(name); }
    /// True if there is such an attribute without a text.
    [[nodiscard]] auto is_unknown(std::string_view name) const -> bool
    {
        auto const at = attributes_.find(name);
        return at != attributes_.end() && !at->second;
    }
    /// True if an attribute equals that of another value: the same text, or both unknown.
    [[nodiscard]] auto has_same(std::string_view name, toy_value const& as) const -> bool
    {
        auto const here = attributes_.find(name);
        auto const there = as.attributes_.find(name);
        return here != attributes_.end() && there != as.attributes_.end() && here->second == there->second;
    }
    /// The text of an attribute; "" if it has none or is not known.
    [[nodiscard]] auto operator[](std::string_view name) const -> std::string
    {
        auto const at = attributes_.find(name);
        return at == attributes_.end() ? std::string() : at->second.value_or(std::string());
    }
    /// Adds or replaces an attribute. \param text  empty: unknown
    void set(std::string name, std::optional<std::string> text)
    {
        attributes_.insert_or_assign(std::move(name), std::move(text));
    }
    /// Removes an attribute, if there is one.
    void erase(std::string_view name)
    {
        if (auto const at = attributes_.find(name); at != attributes_.end()) attributes_.erase(at);
    }

    /// Compares all attributes; unknown equals unknown.
    friend auto operator==(toy_value const&, toy_value const&) -> bool = default;

private:
    attribute_map attributes_;
};

/// Formats a value, including unknown parts: one line per attribute, `name=text` or `name?`.
[[nodiscard]] inline auto to_document(toy_value const& v) -> document
{
    std::string text;
    for (auto const& [name, attribute] : v.attributes()) text += name + (attribute ? "=" + *attribute : "?") + "\n";
    return document(std::move(text));
}

/// Parses the format of `to_document`; empty if the text has another format.
[[nodiscard]] inline auto from_document(document const& d) -> std::optional<toy_value>
{
    toy_value v;
    std::string_view rest = d.text();
    while (!rest.empty()) {
        std::size_t const end = rest.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        std::string_view const line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        std::size_t const mark = line.find_first_of("=?");
        if (mark == std::string_view::npos || mark == 0) return std::nullopt;
        if (line[mark] == '?') v.set(std::string(line.substr(0, mark)), std::nullopt);
        else v.set(std::string(line.substr(0, mark)), std::string(line.substr(mark + 1)));
    }
    return v;
}

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_VALUE_HPP
