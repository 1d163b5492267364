// SPDX-License-Identifier: BSL-1.0
#include "line_editor.hpp"

#include "base/characters.hpp"
#include "base/durable_file.hpp"
#include "base/file_descriptor.hpp"
#include "base/input_file.hpp"
#include "base/unicode.hpp"
#include "terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace iacctl::commands {

namespace {

constexpr std::size_t most_remembered = 1000;

auto is_word(char c) -> bool
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

auto word_before(std::string_view text, std::size_t cursor) -> std::size_t
{
    while (cursor > 0 && !is_word(text[cursor - 1])) --cursor;
    while (cursor > 0 && is_word(text[cursor - 1])) --cursor;
    return cursor;
}

auto word_after(std::string_view text, std::size_t cursor) -> std::size_t
{
    while (cursor < text.size() && !is_word(text[cursor])) ++cursor;
    while (cursor < text.size() && is_word(text[cursor])) ++cursor;
    return cursor;
}

auto character_after(std::string_view text, std::size_t cursor) -> std::size_t
{
    auto const rest = graphemes(text.substr(cursor));
    return rest.empty() ? cursor : cursor + rest.front().size();
}

auto character_before(std::string_view text, std::size_t cursor) -> std::size_t
{
    auto const before = graphemes(text.substr(0, cursor));
    return before.empty() ? cursor : cursor - before.back().size();
}

// During the lifetime of this object, the terminal passes on each key at once, without echo, and marks pasted text.
class raw_terminal {
public:
    explicit raw_terminal(std::ostream& out) : out_(&out)
    {
        *out_ << "\x1b[?2004h";
        is_terminal_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
        if (!is_terminal_) return;
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
        raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    raw_terminal(raw_terminal const&) = delete;
    auto operator=(raw_terminal const&) -> raw_terminal& = delete;
    ~raw_terminal()
    {
        *out_ << "\x1b[?2004l" << std::flush;
        if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }

private:
    std::ostream* out_;
    termios before_{};
    bool is_terminal_ = false;
};

// The next byte of the terminal; -1 at its end, -2 if none comes within `milliseconds`.
auto next_byte(workspace::interrupt_source const* interrupts, int milliseconds = -1) -> int
{
    constexpr int between_checks = 100;
    for (;;) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        int const ready = ::poll(&input, 1, milliseconds < 0 ? between_checks : milliseconds);
        if (interrupts != nullptr) interrupts->check();
        if (ready <= 0 && milliseconds >= 0) return -2;
        if (ready <= 0) continue;
        unsigned char byte = 0;
        if (::read(STDIN_FILENO, &byte, 1) == 1) return byte;
        if (errno != EINTR && errno != EAGAIN) return -1;
    }
}

struct sequence {
    std::string_view text;
    edit_key key;
};

// The sequences after the escape character. \source XTerm Control Sequences, "PC-Style Function Keys"
constexpr std::array sequences{sequence{"[A", edit_key::previous}, sequence{"[B", edit_key::next},
    sequence{"[C", edit_key::right}, sequence{"[D", edit_key::left}, sequence{"[H", edit_key::home},
    sequence{"[F", edit_key::end}, sequence{"OA", edit_key::previous}, sequence{"OB", edit_key::next},
    sequence{"OC", edit_key::right}, sequence{"OD", edit_key::left}, sequence{"OH", edit_key::home},
    sequence{"OF", edit_key::end}, sequence{"[1~", edit_key::home}, sequence{"[3~", edit_key::erase},
    sequence{"[4~", edit_key::end}, sequence{"[7~", edit_key::home}, sequence{"[8~", edit_key::end},
    sequence{"[1;5C", edit_key::word_right}, sequence{"[1;5D", edit_key::word_left},
    sequence{"[1;3C", edit_key::word_right}, sequence{"[1;3D", edit_key::word_left}, sequence{"b", edit_key::word_left},
    sequence{"f", edit_key::word_right}, sequence{"\x7f", edit_key::erase_word}};

constexpr auto control(char letter) -> int
{
    return letter - 'a' + 1;
}

struct control_key {
    int byte;
    edit_key key;
};
constexpr std::array controls{control_key{control('a'), edit_key::home}, control_key{control('b'), edit_key::left},
    control_key{control('d'), edit_key::erase}, control_key{control('e'), edit_key::end},
    control_key{control('f'), edit_key::right}, control_key{control('h'), edit_key::backspace},
    control_key{control('k'), edit_key::erase_to_end}, control_key{control('n'), edit_key::next},
    control_key{control('p'), edit_key::previous}, control_key{control('u'), edit_key::erase_to_begin},
    control_key{control('w'), edit_key::erase_word}, control_key{0x7f, edit_key::backspace}};

// Reads the text of a key or a mark after the escape character.
auto read_sequence(workspace::interrupt_source const* interrupts) -> std::string
{
    constexpr int between_bytes = 50;  // milliseconds; after the escape key, the next key of a user takes longer
    std::string read;
    for (;;) {
        int const byte = next_byte(interrupts, between_bytes);
        if (byte < 0) return read;
        read += static_cast<char>(byte);
        bool const introduces = read == "[" || read == "O";
        if (!introduces && (read.size() == 1 || is_letter(read.back()) || read.back() == '~')) return read;
    }
}

// The marks around pasted text, which the terminal sends on request.
constexpr std::string_view paste_begins = "[200~";
constexpr std::string_view paste_ends = "[201~";

// Reads the rest of a character of several bytes.
auto read_character(int first, workspace::interrupt_source const* interrupts) -> std::string
{
    std::string character(1, static_cast<char>(first));
    std::size_t const size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    while (character.size() < size) {
        int const byte = next_byte(interrupts);
        if (byte < 0) break;
        character += static_cast<char>(byte);
    }
    return repaired_utf8(character);
}

}  // namespace

void edited_line::insert(std::string_view typed)
{
    text_.insert(cursor_, typed);
    cursor_ += typed.size();
}

void edited_line::replace_before(std::size_t length, std::string_view by)
{
    erase(cursor_ - length, cursor_);
    insert(by);
}

void edited_line::erase(std::size_t from, std::size_t to)
{
    text_.erase(from, to - from);
    cursor_ = from;
}

void edited_line::show(std::size_t entry)
{
    if (shown_ == history_->size()) typed_ = text_;
    shown_ = entry;
    text_ = entry == history_->size() ? typed_ : (*history_)[entry];
    cursor_ = text_.size();
}

void edited_line::press(edit_key key)
{
    switch (key) {
    case edit_key::left: cursor_ = character_before(text_, cursor_); break;
    case edit_key::right: cursor_ = character_after(text_, cursor_); break;
    case edit_key::word_left: cursor_ = word_before(text_, cursor_); break;
    case edit_key::word_right: cursor_ = word_after(text_, cursor_); break;
    case edit_key::home: cursor_ = 0; break;
    case edit_key::end: cursor_ = text_.size(); break;
    case edit_key::backspace: erase(character_before(text_, cursor_), cursor_); break;
    case edit_key::erase: erase(cursor_, character_after(text_, cursor_)); break;
    case edit_key::erase_to_end: erase(cursor_, text_.size()); break;
    case edit_key::erase_to_begin: erase(0, cursor_); break;
    case edit_key::erase_word: erase(word_before(text_, cursor_), cursor_); break;
    case edit_key::previous:
        if (shown_ > 0) show(shown_ - 1);
        break;
    case edit_key::next:
        if (shown_ < history_->size()) show(shown_ + 1);
        break;
    }
}

auto window_of(std::string_view text, std::size_t cursor, std::size_t width) -> line_window
{
    // The part of the text before the cursor that fits, and then the part after it.
    line_window made;
    auto const before = graphemes(text.substr(0, cursor));
    std::size_t first = before.size();
    while (first > 0 && made.cursor + column_count(before[first - 1]) < width)
        made.cursor += column_count(before[--first]);
    for (; first < before.size(); ++first) made.text += before[first];
    std::size_t columns = made.cursor;
    for (auto const& one : graphemes(text.substr(cursor))) {
        columns += column_count(one);
        if (columns > width) break;
        made.text += one;
    }
    return made;
}

line_editor::line_editor(std::ostream& out, std::string history, completer complete)
    : out_(&out),
      file_(std::move(history)),
      complete_(std::move(complete))
{
    auto const text = file_.empty() ? boost::system::result<std::string>(std::string()) : read_input(file_);
    if (!text) return;
    for (std::size_t at = 0; at < text->size();) {
        auto const end = std::min(text->find('\n', at), text->size());
        if (is_utf8(std::string_view(*text).substr(at, end - at))) history_.push_back(text->substr(at, end - at));
        at = end + 1;
    }
    if (history_.size() <= most_remembered) return;
    history_.erase(history_.begin(), history_.end() - most_remembered);
    std::string kept;
    for (auto const& one : history_) kept += one + '\n';
    (void)replace_file(file_, kept);
}

void line_editor::remember(std::string const& line)
{
    // As in a shell, a line that begins with a space is not stored, because it may contain a secret.
    bool const blank = line.find_first_not_of(" \t") == std::string::npos;
    if (blank || line.front() == ' ' || (!history_.empty() && history_.back() == line)) return;
    history_.push_back(line);
    if (file_.empty()) return;
    if (make_private_directories(std::filesystem::path(file_).parent_path())) return;
    file_descriptor const to(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (to) (void)write_all(to.get(), line + '\n');
}

void line_editor::show(std::string_view prompt, edited_line const& line)
{
    auto const columns = size_of_terminal().columns;
    auto const left = columns > prompt.size() + 2 ? columns - prompt.size() - 1 : std::size_t{1};
    auto const window = window_of(line.text(), line.cursor(), left);
    *out_ << '\r' << prompt << window.text << "\x1b[K\r";
    if (auto const at = prompt.size() + window.cursor; at > 0) *out_ << "\x1b[" << at << 'C';
    *out_ << std::flush;
}

void line_editor::complete(edited_line& line, std::string_view prompt)
{
    auto begin = line.cursor();
    while (begin > 0 && is_word(line.text()[begin - 1])) --begin;
    auto const word = line.text().substr(begin, line.cursor() - begin);
    auto all = complete_(word);
    if (all.empty()) return;
    std::string_view common = all.front();
    for (auto const& one : all) {
        auto const [mine, other] = std::ranges::mismatch(common, one);
        common = common.substr(0, static_cast<std::size_t>(mine - common.begin()));
    }
    if (all.size() == 1 || common.size() > word.size()) return line.replace_before(word.size(), common);
    std::size_t widest = 0;
    for (auto const& one : all) widest = std::max(widest, column_count(one) + 2);
    std::size_t const in_row = std::max<std::size_t>(1, size_of_terminal().columns / widest);
    constexpr std::size_t most = 200;
    *out_ << '\r' << prompt << line.text() << "\x1b[K\n";
    for (std::size_t i = 0; i < all.size() && i < most; ++i) {
        bool const last = (i + 1) % in_row == 0 || i + 1 == all.size() || i + 1 == most;
        *out_ << all[i] << (last ? std::string("\n") : std::string(widest - column_count(all[i]), ' '));
    }
    if (all.size() > most) *out_ << "... and " << all.size() - most << " more\n";
}

auto line_editor::read(std::string_view prompt, workspace::interrupt_source* interrupts) -> result
{
    // If the process ended while the terminal is in raw mode, the terminal would stay in this mode.
    workspace::interrupt_deferral const deferred(interrupts);
    raw_terminal const raw(*out_);
    edited_line line(history_);
    auto const finish = [&](outcome o, std::string_view shown) {
        line.press(edit_key::end);
        show(prompt, line);
        *out_ << shown << '\n' << std::flush;
        if (o == outcome::line) remember(line.text());
        return result{o, line.text()};
    };
    for (;;) {
        show(prompt, line);
        int const byte = next_byte(interrupts);
        auto const* const known = std::ranges::find(controls, byte, &control_key::byte);
        if (byte < 0 || (byte == control('d') && line.text().empty())) return finish(outcome::end, {});
        if (byte == '\r' || byte == '\n') return finish(outcome::line, {});
        if (byte == control('c')) return finish(outcome::cancelled, "^C");
        if (byte == '\t' && pasting_) line.insert("  ");
        else if (byte == '\t') complete(line, prompt);
        else if (byte == control('l')) *out_ << "\x1b[H\x1b[2J";
        else if (byte == 0x1b) {
            auto const read = read_sequence(interrupts);
            pasting_ = read == paste_begins || (pasting_ && read != paste_ends);
            auto const* const key = std::ranges::find(sequences, read, &sequence::text);
            if (key != sequences.end()) line.press(key->key);
        } else if (known != controls.end()) line.press(known->key);
        else if (byte >= 0x20) line.insert(read_character(byte, interrupts));
    }
}

}  // namespace iacctl::commands
