// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_TEXT_STYLE_HPP
#define IACCTL_UI_TEXT_STYLE_HPP

#include <strider/infra/model/action.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl::ui {

namespace infra = strider::infra;

/// How text is shown, as the terminal and the command line want it.
struct text_options {
    bool colour = false;
    std::size_t width = 78;  ///< columns; 78 where the output is no terminal, 0 for no wrapping
    bool show_sensitive = false;
    bool live = false;  ///< a terminal that shows the operations that are running
};

enum class ink : std::uint8_t { bold, red, green, yellow, cyan, grey, bold_red, bold_green, bold_cyan, underlined };

/// Puts escape sequences around text, or leaves it alone.
class painter {
public:
    explicit painter(bool on) noexcept : on_(on) {}

    [[nodiscard]] bool on() const noexcept { return on_; }
    [[nodiscard]] std::string operator()(ink with, std::string_view text) const;

private:
    bool on_;
};

/// The mark of an action, three columns wide: `  +`, `-/+`, ` <=`.
[[nodiscard]] std::string action_symbol(infra::action of, painter const& paint);

/// A name as it stands, or in quotes where it is no identifier.
[[nodiscard]] std::string attribute_name(std::string_view name);
/// Fills up to `width` characters with spaces.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);

/// Breaks the lines of a text at `width` columns; lines that start with a space stay as they are.
[[nodiscard]] std::string word_wrapped(std::string_view text, std::size_t width);
/// A line across the page.
[[nodiscard]] std::string horizontal_rule(text_options const& options);

}  // namespace iacctl::ui

#endif  // IACCTL_UI_TEXT_STYLE_HPP
