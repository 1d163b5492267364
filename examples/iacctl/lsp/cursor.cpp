// SPDX-License-Identifier: BSL-1.0
#include "cursor.hpp"

#include "language/syntax/scanner.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace iacctl::lsp {

namespace {

using language::byte_range;
using language::token;
using language::token_kind;

constexpr std::array<std::string_view, 24> file_blocks{"action", "check", "data", "ephemeral", "import", "list",
    "locals", "mock_data", "mock_provider", "mock_resource", "module", "moved", "output", "override_data",
    "override_module", "override_resource", "provider", "removed", "resource", "run", "terraform", "test", "variable",
    "variables"};

auto is_body(frame const& f) noexcept -> bool
{
    return f.of == frame::kind::file || f.of == frame::kind::block;
}

// Reads the tokens of a file, each with the preceding one.
class tracker {
public:
    tracker(language::source_file const& file, std::uint32_t offset) : file_(file), text_(file.text()), offset_(offset)
    {
        frames_.emplace_back();
        stages_.push_back(stage::start);
    }

    auto run() -> cursor
    {
        std::uint32_t from = 0;
        while (scan_from(from)) {}
        if (!answer_) answer({offset_, offset_});
        leave(0);
        return *std::move(answer_);
    }

private:
    enum class stage : std::uint8_t { start, header, value, comprehension };

    // An unclosed string ends with its line, after which the scan starts again. False at the end of the text.
    auto scan_from(std::uint32_t& from) -> bool
    {
        strider::infra::diagnostics ignored;
        language::scanner scanner(file_, {text_.substr(from), from}, language::text_form::code_with_comments, ignored);
        std::array<token, 64> tokens;
        while (auto const count = scanner.read(tokens)) {
            for (token const& one : std::span(tokens).first(count)) {
                if (!answer_ && one.range.begin >= offset_) answer({offset_, offset_});
                if (!answer_ && offset_ <= one.range.end) look_at(one);
                if (one.kind == token_kind::end_of_file) return false;
                take(one);
                if (finished_) return false;
                previous_ = one;
                if (one.kind == token_kind::quoted_newline) {
                    from = one.range.end;
                    return true;
                }
            }
        }
        return false;
    }

    [[nodiscard]] auto text(token const& t) const -> std::string_view { return file_.text(t.range); }
    [[nodiscard]] auto top() -> frame& { return frames_.back(); }
    [[nodiscard]] auto top_stage() -> stage& { return stages_.back(); }

    // The place is inside a token, or at its end.
    void look_at(token const& t)
    {
        switch (t.kind) {
        case token_kind::identifier: return answer(t.range);
        case token_kind::comment:
            // A comment ends with its line.
            if (offset_ < t.range.end || !text(t).ends_with('\n')) answer_none();
            return;
        case token_kind::quoted_text:
        case token_kind::heredoc_text: return answer(t.range);
        default: return;
        }
    }

    void answer_none()
    {
        answer_.emplace();
        answer_->frames = frames_;
    }

    void answer(byte_range word)
    {
        auto& made = answer_.emplace();
        made.word = word;
        made.frames = frames_;
        auto const now = stages_.back();
        auto const& last = frames_.back();
        if (last.of == frame::kind::string) {
            bool const label = frames_.size() > 1 && is_body(frames_[frames_.size() - 2])
                && stages_[stages_.size() - 2] == stage::header;
            made.where = label ? cursor::place::label : cursor::place::text;
            return;
        }
        if (is_body(last) && now == stage::start) made.where = cursor::place::item;
        else if (is_body(last) && now == stage::header) made.where = cursor::place::none;
        else if (last.of == frame::kind::object && now == stage::start) made.where = cursor::place::key;
        else made.where = cursor::place::value;
        auto const behind = text_.find_first_not_of(" \t", word.end);
        made.is_call = behind != std::string_view::npos && text_[behind] == '(';
        if (made.where == cursor::place::value || made.where == cursor::place::key)
            made.steps = steps_before(word.begin);
        if (made.where == cursor::place::key && !made.steps.empty()) made.where = cursor::place::value;
    }

    // The names before a dot; for `a.b[0].` these are a, b and "*".
    [[nodiscard]] auto steps_before(std::size_t at) const -> std::vector<std::string>
    {
        std::vector<std::string> steps;
        while (at > 0 && text_[at - 1] == '.') {
            --at;
            while (at > 0 && text_[at - 1] == ']') {
                int open = 0;
                while (at > 0) {
                    --at;
                    if (text_[at] == ']') ++open;
                    if (text_[at] == '[' && --open == 0) break;
                }
                steps.emplace_back("*");
            }
            if (at > 0 && text_[at - 1] == '*') {
                --at;
                steps.emplace_back("*");
                continue;
            }
            auto const end = at;
            while (at > 0 && is_name_byte(text_[at - 1])) --at;
            if (at == end) return {};
            steps.emplace_back(text_.substr(at, end - at));
        }
        std::ranges::reverse(steps);
        return steps;
    }

    [[nodiscard]] static auto is_name_byte(char c) noexcept -> bool
    {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
            || static_cast<unsigned char>(c) >= 0x80U;
    }

    void push(frame::kind k, std::uint32_t begin, stage first = stage::start)
    {
        auto& made = frames_.emplace_back();
        made.of = k;
        made.begin = begin;
        stages_.push_back(first);
    }

    // Unclosed brackets end with those around them.
    void pop(std::initializer_list<frame::kind> kinds)
    {
        auto const found = std::find_if(frames_.rbegin(), frames_.rend(),
            [&](frame const& f) { return std::ranges::find(kinds, f.of) != kinds.end(); });
        if (found == frames_.rend()) return;
        bool const block = found->of == frame::kind::block;
        auto const left = static_cast<std::size_t>(frames_.rend() - found) - 1;
        leave(left);
        if (block) end_item();
    }

    // The innermost frame of the result has the names up to its end.
    void leave(std::size_t left)
    {
        if (answer_ && !finished_ && left < answer_->frames.size()) {
            finished_ = true;
            auto const innermost = answer_->frames.size() - 1;
            answer_->frames[innermost].written = std::move(frames_[innermost].written);
        }
        frames_.resize(left);
        stages_.resize(left);
    }

    void end_item()
    {
        top_stage() = stage::start;
        top().attribute = {};
    }

    [[nodiscard]] auto begins_block_of_file(token const& t) const -> bool
    {
        bool const first = t.range.begin == 0 || text_[t.range.begin - 1] == '\n';
        if (!first || std::ranges::find(file_blocks, text(t)) == file_blocks.end()) return false;
        auto const behind = text_.find_first_not_of(" \t", t.range.end);
        return behind != std::string_view::npos && (text_[behind] == '"' || text_[behind] == '{');
    }

    void take(token const& t)
    {
        if (t.kind == token_kind::identifier && frames_.size() > 1 && begins_block_of_file(t)) {
            leave(1);
            end_item();
        }
        switch (t.kind) {
        case token_kind::identifier: return take_name(t);
        case token_kind::newline: return take_newline();
        case token_kind::comment:
            if (text(t).ends_with('\n')) take_newline();
            return;
        case token_kind::quoted_newline: pop({frame::kind::string}); return take_newline();
        case token_kind::comma:
            if (top().of == frame::kind::call) ++top().argument;
            else if (top().of == frame::kind::object && top_stage() != stage::comprehension) end_item();
            return;
        case token_kind::equals:
            if (is_body(top()) && top_stage() == stage::header) {
                top().attribute = header_;
                top().written.push_back(header_);
            }
            if (top_stage() != stage::comprehension) top_stage() = stage::value;
            return;
        case token_kind::colon:
            if (top().of == frame::kind::object && top_stage() == stage::start) top_stage() = stage::value;
            return;
        case token_kind::open_quote:
        case token_kind::open_heredoc:
            push(frame::kind::string, t.range.begin);
            label_.clear();
            return;
        case token_kind::quoted_text: label_ += text(t); return;
        case token_kind::close_quote: {
            auto const begin = top().of == frame::kind::string ? top().begin + 1 : t.range.begin;
            pop({frame::kind::string});
            if (is_body(top()) && top_stage() == stage::header) labels_.push_back(label_);
            if (top().of == frame::kind::object && top_stage() == stage::start)
                name_key(file_.text({begin, t.range.begin}));
            return;
        }
        case token_kind::close_heredoc: return pop({frame::kind::string});
        case token_kind::open_interpolation:
        case token_kind::open_control: return push(frame::kind::interpolation, t.range.begin, stage::value);
        case token_kind::close_sequence: return pop({frame::kind::interpolation});
        case token_kind::open_brace: return open_brace(t);
        case token_kind::close_brace: return pop({frame::kind::block, frame::kind::object});
        case token_kind::open_parenthesis: return open_parenthesis(t);
        case token_kind::close_parenthesis: return pop({frame::kind::call, frame::kind::parentheses});
        case token_kind::open_bracket: {
            bool const index = previous_.range.end == t.range.begin
                && (previous_.kind == token_kind::identifier || previous_.kind == token_kind::close_bracket
                    || previous_.kind == token_kind::close_parenthesis);
            return push(index ? frame::kind::index : frame::kind::list, t.range.begin, stage::value);
        }
        case token_kind::close_bracket: return pop({frame::kind::list, frame::kind::index});
        default: return;
        }
    }

    void take_name(token const& t)
    {
        name_begin_ = previous_.kind == token_kind::double_colon ? name_begin_ : t.range.begin;
        if (is_body(top()) && top_stage() == stage::start) {
            top_stage() = stage::header;
            header_ = text(t);
            header_begin_ = t.range.begin;
            labels_.clear();
        } else if (is_body(top()) && top_stage() == stage::header) {
            labels_.emplace_back(text(t));
        } else if (top().of == frame::kind::object && top_stage() == stage::start) {
            // A `for` has expressions instead of keys.
            if (text(t) == "for") top_stage() = stage::comprehension;
            else name_key(text(t));
        }
    }

    void name_key(std::string_view name)
    {
        top().attribute = name;
        top().written.push_back(name);
    }

    void take_newline()
    {
        if (is_body(top()) || (top().of == frame::kind::object && top_stage() == stage::value)) end_item();
    }

    void open_brace(token const& t)
    {
        bool const block = is_body(top()) && top_stage() != stage::value;
        if (!block) return push(frame::kind::object, t.range.begin);
        auto const name = top_stage() == stage::header ? header_ : std::string_view();
        if (!name.empty()) top().written.push_back(name);
        auto const begin = name.empty() ? t.range.begin : header_begin_;
        push(frame::kind::block, begin);
        top().name = name;
        top().labels = std::exchange(labels_, {});
    }

    void open_parenthesis(token const& t)
    {
        bool const call = previous_.kind == token_kind::identifier && !is_body_start();
        push(call ? frame::kind::call : frame::kind::parentheses, t.range.begin, stage::value);
        if (call) top().name = text_.substr(name_begin_, previous_.range.end - name_begin_);
    }

    [[nodiscard]] auto is_body_start() -> bool { return is_body(top()) && top_stage() != stage::value; }

    language::source_file const& file_;
    std::string_view text_;
    std::uint32_t offset_;
    std::vector<frame> frames_;
    std::vector<stage> stages_;  // of each frame
    token previous_;
    std::string_view header_;  // the first word of the current item
    std::uint32_t header_begin_ = 0;
    std::uint32_t name_begin_ = 0;  // of a name with several parts
    std::vector<std::string> labels_;
    std::string label_;
    std::optional<cursor> answer_;
    bool finished_ = false;  // the innermost frame of the result has ended
};

}  // namespace

auto cursor::blocks() const -> std::vector<frame const*>
{
    std::vector<frame const*> found;
    for (auto const& one : frames)
        if (one.of == frame::kind::block) found.push_back(&one);
    return found;
}

auto cursor::block() const -> frame const&
{
    auto const found = std::find_if(frames.rbegin(), frames.rend(), is_body);
    return found == frames.rend() ? frames.front() : *found;
}

auto cursor_at(language::source_file const& file, std::uint32_t offset) -> cursor
{
    return tracker(file, offset).run();
}

}  // namespace iacctl::lsp
