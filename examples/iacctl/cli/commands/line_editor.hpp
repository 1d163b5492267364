// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_LINE_EDITOR_HPP
#define IACCTL_CLI_COMMANDS_LINE_EDITOR_HPP

#include "workspace/interrupt_source.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::commands {

/// The keys that change a line.
enum class edit_key : std::uint8_t {
    left,
    right,
    word_left,
    word_right,
    home,
    end,
    backspace,
    erase,
    erase_to_end,
    erase_to_begin,
    erase_word,
    previous,
    next
};

/// A line that is edited, with a cursor between two of its characters, and the lines before it.
class edited_line {
public:
    explicit edited_line(std::vector<std::string> const& history) : history_(&history), shown_(history.size()) {}

    [[nodiscard]] auto text() const noexcept -> std::string const& { return text_; }
    /// The position of the cursor, in bytes.
    [[nodiscard]] auto cursor() const noexcept -> std::size_t { return cursor_; }
    void insert(std::string_view typed);
    void press(edit_key key);
    /// Replaces the `length` bytes before the cursor by a text.
    void replace_before(std::size_t length, std::string_view by);

private:
    void show(std::size_t entry);
    void erase(std::size_t from, std::size_t to);

    std::vector<std::string> const* history_;
    std::size_t shown_;  // the entry of the history; the size of the history for the typed line
    std::string typed_;
    std::string text_;
    std::size_t cursor_ = 0;
};

/// The part of a line that fits into `width` columns, and the column of the cursor in it.
struct line_window {
    std::string text;
    std::size_t cursor = 0;
};
[[nodiscard]] auto window_of(std::string_view text, std::size_t cursor, std::size_t width) -> line_window;

/// Reads lines from a terminal. They can be edited with the keys of readline's Emacs mode.
class line_editor {
public:
    /// Returns words that may replace the one before the cursor; all of them begin with it.
    using completer = std::function<std::vector<std::string>(std::string_view word)>;

    /// \param history  a file with the lines of earlier runs, to which lines are added; empty: lines are not stored
    line_editor(std::ostream& out, std::string history, completer complete);

    enum class outcome : std::uint8_t { line, cancelled, end };
    struct result {
        outcome how = outcome::end;
        std::string text;
    };
    /// Reads a line. Control-C cancels the line; Control-D in an empty line ends the input.
    /// \throws workspace::interrupted
    /// \post the terminal is in the mode in which it was before
    [[nodiscard]] auto read(std::string_view prompt, workspace::interrupt_source* interrupts) -> result;

private:
    void remember(std::string const& line);
    void show(std::string_view prompt, edited_line const& line);
    void complete(edited_line& line, std::string_view prompt);

    std::ostream* out_;
    std::string file_;
    completer complete_;
    std::vector<std::string> history_;
    bool pasting_ = false;  // a pasted text may have several lines
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_LINE_EDITOR_HPP
