// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_TEXT_STYLE_HPP
#define IACCTL_VIEWS_TEXT_STYLE_HPP

#include <strider/infra/model/action.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::views {

namespace infra = strider::infra;

/// The options of text output.
struct text_options {
    bool colour = false;
    std::size_t width = 78;  ///< columns; 78 if the output is not a terminal, 0: no wrapping
    bool show_sensitive = false;
    bool live = false;  ///< the output is a terminal that shows the running operations
};

enum class text_style : std::uint8_t {
    bold,
    red,
    green,
    yellow,
    cyan,
    grey,
    bold_red,
    bold_green,
    bold_cyan,
    underlined
};

/// Adds escape sequences to text, or returns it unchanged.
class painter {
public:
    explicit painter(bool on) noexcept : on_(on) {}

    [[nodiscard]] auto on() const noexcept -> bool { return on_; }
    [[nodiscard]] auto operator()(text_style style, std::string_view text) const -> std::string;

private:
    bool on_;
};

/// The symbol of an action, three columns wide: `  +`, `-/+`, ` <=`.
[[nodiscard]] auto action_symbol(infra::action a, painter const& paint) -> std::string;

/// A name, in quotes if it is not an identifier.
[[nodiscard]] auto attribute_name(std::string_view name) -> std::string;
/// Pads a text with spaces to `width` characters.
[[nodiscard]] auto padded(std::string_view text, std::size_t width) -> std::string;

/// Breaks the lines of a text at `width` columns; lines that start with a space are not changed.
[[nodiscard]] auto word_wrapped(std::string_view text, std::size_t width) -> std::string;
/// A line across the page.
[[nodiscard]] auto horizontal_rule(text_options const& options) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_TEXT_STYLE_HPP
