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

    [[nodiscard]] bool on() const noexcept { return on_; }
    [[nodiscard]] std::string operator()(text_style with, std::string_view text) const;

private:
    bool on_;
};

/// The symbol of an action, three columns wide: `  +`, `-/+`, ` <=`.
[[nodiscard]] std::string action_symbol(infra::action of, painter const& paint);

/// A name, in quotes if it is not an identifier.
[[nodiscard]] std::string attribute_name(std::string_view name);
/// Pads a text with spaces to `width` characters.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);

/// Breaks the lines of a text at `width` columns; lines that start with a space are not changed.
[[nodiscard]] std::string word_wrapped(std::string_view text, std::size_t width);
/// A line across the page.
[[nodiscard]] std::string horizontal_rule(text_options const& options);

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_TEXT_STYLE_HPP
