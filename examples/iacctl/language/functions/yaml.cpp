// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/formatted.hpp"
#include "function_table.hpp"

#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>

namespace iacctl::language::detail {

namespace {

// yamldecode

constexpr std::string_view standard = "tag:yaml.org,2002:";
constexpr std::size_t most_values = 10'000'000;

/// An error in a document, thrown through the parser, which has no other way to stop.
struct stop {
    call_failure why;
};

[[nodiscard]] auto at(YAML::Mark const& mark, std::string const& subject) -> call_failure
{
    // Lines are counted from 0 here, and the first one is not reported.
    if (mark.is_null() || mark.line == 0) return call_failure(subject);
    return call_failure(
        "in line " + std::to_string(mark.line) + ", column " + std::to_string(mark.column + 1) + ", " + subject);
}

[[nodiscard]] auto any_of(std::string_view text, std::initializer_list<std::string_view> words) -> bool
{
    return std::ranges::find(words, text) != words.end();
}

[[nodiscard]] auto as_number(std::string_view text) -> std::optional<value>
{
    if (text.starts_with("0x") || text.starts_with("0o")) {
        auto const made = number::parse_whole(text.substr(2), text[1] == 'x' ? 16 : 8);
        return made ? std::optional(value(*made)) : std::nullopt;
    }
    bool const negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    auto const exponent = std::min(text.find_first_of("eE"), text.size());
    auto mantissa = std::string(text.substr(0, exponent));
    auto const point = mantissa.find('.');
    auto const before = mantissa.substr(0, point);
    auto const after = point == std::string::npos ? std::string() : mantissa.substr(point + 1);
    if ((before.empty() && after.empty()) || (!before.empty() && !is_digits(before))
        || (!after.empty() && !is_digits(after)))
        return std::nullopt;
    if (exponent < text.size()) {
        auto power = text.substr(exponent + 1);
        if (power.starts_with('+') || power.starts_with('-')) power.remove_prefix(1);
        if (!is_digits(power)) return std::nullopt;
    }
    auto const digits = (before.empty() ? "0" : before) + (after.empty() ? "" : "." + after);
    auto const made = number::parse(digits + std::string(text.substr(exponent)));
    if (!made) return std::nullopt;
    return value(negative ? -*made : *made);
}

/// A date, with or without a time, in the format of the time functions.
[[nodiscard]] auto as_timestamp(std::string_view text) -> std::optional<std::string>
{
    auto const digits = [&](std::size_t least, std::size_t most) -> std::optional<int> {
        std::size_t length = 0;
        while (length < text.size() && length < most && is_digit(text[length])) ++length;
        if (length < least) return std::nullopt;
        int made = 0;
        std::from_chars(text.data(), text.data() + length, made);
        text.remove_prefix(length);
        return made;
    };
    auto const sign = [&](std::string_view desired) {
        if (text.empty() || desired.find(text.front()) == std::string_view::npos) return false;
        text.remove_prefix(1);
        return true;
    };
    auto const year = digits(4, 4);
    if (!year || !sign("-")) return std::nullopt;
    auto const month = digits(1, 2);
    if (!month || !sign("-")) return std::nullopt;
    auto const day = digits(1, 2);
    if (!day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
    if (text.empty()) return formatted("{:04}-{:02}-{:02}T00:00:00Z", *year, *month, *day);
    bool const blank = text.front() == ' ';
    if (!sign("Tt ")) return std::nullopt;
    auto const hour = digits(1, 2);
    if (!hour || !sign(":")) return std::nullopt;
    auto const minute = digits(1, 2);
    if (!minute || !sign(":")) return std::nullopt;
    auto const second = digits(1, 2);
    if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    if (sign(".")) static_cast<void>(digits(1, 100));
    std::string offset(text);
    if (blank != offset.empty()) return std::nullopt;
    if (blank) offset = "Z";
    bool const plain = offset == "Z";
    bool const shaped = offset.size() == 6 && (offset[0] == '+' || offset[0] == '-') && offset[3] == ':'
        && is_digits(offset.substr(1, 2)) && is_digits(offset.substr(4, 2));
    if (!plain && !shaped) return std::nullopt;
    return formatted("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", *year, *month, *day, *hour, *minute, *second, offset);
}

[[nodiscard]] auto resolved(YAML::Mark const& mark, std::string const& text) -> value
{
    if (any_of(text, {"", "~", "null", "Null", "NULL"})) return value::null();
    if (any_of(text, {"true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"})) return value(true);
    if (any_of(text, {"false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"})) return value(false);
    if (any_of(text, {".nan", ".NaN", ".NAN"})) throw stop{at(mark, "no number is equal to NaN")};
    auto const infinite = [&](std::string_view body) { return any_of(body, {".inf", ".Inf", ".INF"}); };
    if (infinite(text)) return value(*divide(number(1), number(0)));
    if (text.size() > 1 && (text[0] == '-' || text[0] == '+') && infinite(std::string_view(text).substr(1)))
        return value(*divide(number(text[0] == '-' ? -1 : 1), number(0)));
    if (auto made = as_number(text)) return *std::move(made);
    if (auto made = as_timestamp(text)) return value(*std::move(made));
    return value(text);
}

[[nodiscard]] auto scalar(YAML::Mark const& mark, std::string tag, std::string const& text) -> value
{
    if (tag == "?" || tag.empty()) return resolved(mark, text);
    if (tag == "!") return value(text);
    auto const full = tag;
    if (!tag.starts_with(standard)) throw stop{at(mark, "there is no tag " + to_json(value(tag)))};
    tag.erase(0, standard.size());
    auto const wrong = [&] { return stop{call_failure(to_json(value(text)) + " does not fit the tag " + full)}; };
    if (tag == "str") return value(text);
    if (tag == "binary") {
        if (!from_base64(text)) throw wrong();
        return value(text);
    }
    auto made = resolved(mark, text);
    if (tag == "bool" && made.is(type_kind::boolean)) return made;
    if ((tag == "int" || tag == "float") && made.is(type_kind::number)) return made;
    if (tag == "null" && made.is_null()) return made;
    if (tag == "timestamp")
        if (auto moment = as_timestamp(text)) return value(*std::move(moment));
    if (any_of(tag, {"bool", "int", "float", "null", "timestamp"})) throw wrong();
    throw stop{at(mark, "there is no tag " + to_json(value(full)))};
}

/// Builds values from the events of the parser.
class builder final : public YAML::EventHandler {
public:
    explicit builder(std::string_view text) noexcept : text_(text) {}

    void OnDocumentStart(YAML::Mark const&) override {}
    void OnDocumentEnd() override {}
    void OnAnchor(YAML::Mark const&, std::string const& name) override { name_ = name; }
    void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override
    {
        refuse_tab(mark);
        put(mark, anchor, value::null(), 1);
    }
    void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override
    {
        refuse_tab(mark);
        auto const found = anchored_.find(anchor);
        if (found == anchored_.end())
            throw stop{call_failure(
                "the anchor " + to_json(value(names_[anchor])) + " is used inside of the value that it names")};
        put(mark, 0, found->second.first, found->second.second);
    }
    void OnScalar(
        YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, std::string const& text) override
    {
        refuse_tab(mark);
        bool const is_merge = (tag == "?" && text == "<<") || tag == std::string(standard) + "merge";
        if (is_merge && expects_key()) open_.back().merging = true;
        else put(mark, anchor, scalar(mark, tag, text), 1);
    }
    void OnSequenceStart(
        YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) override
    {
        start(mark, tag, anchor, style, false);
    }
    void OnMapStart(
        YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) override
    {
        start(mark, tag, anchor, style, true);
    }
    void OnSequenceEnd() override { end(); }
    void OnMapEnd() override { end(); }

    [[nodiscard]] auto result() const noexcept -> std::optional<value> const& { return result_; }

private:
    struct collection {
        YAML::Mark mark;
        YAML::anchor_t anchor = 0;
        bool map = false;
        bool flow = false;
        bool merging = false;
        std::optional<std::string> key;
        std::vector<value> elements;
        std::vector<value_entry> entries;
        std::size_t size = 1;
    };

    [[nodiscard]] auto expects_key() const noexcept -> bool
    {
        return !open_.empty() && open_.back().map && !open_.back().key && !open_.back().merging;
    }

    /// Tabs must not indent: neither a line nor an item after the dash of a list.
    void refuse_tab(YAML::Mark const& mark) const
    {
        if (mark.is_null() || (!open_.empty() && open_.back().flow)) return;
        auto const before = text_.substr(0, std::min(static_cast<std::size_t>(mark.pos), text_.size()));
        auto const blank = before.find_last_not_of(" \t") + 1;
        if (before.find('\t', blank) == std::string_view::npos) return;
        if (blank == 0 || std::string_view("\n-?").find(before[blank - 1]) != std::string_view::npos)
            throw stop{at(mark, "a line is indented with a tab, but only spaces are allowed")};
    }

    void start(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style,
        bool map)
    {
        refuse_tab(mark);
        if (expects_key()) throw stop{call_failure("a key is not a string")};
        bool const usual =
            tag == "?" || tag == "!" || tag.empty() || tag == std::string(standard) + (map ? "map" : "seq");
        if (!usual) throw stop{at(mark, "there is no tag " + to_json(value(tag)))};
        collection made;
        made.mark = mark;
        made.anchor = anchor;
        made.map = map;
        made.flow = style == YAML::EmitterStyle::Flow || (!open_.empty() && open_.back().flow);
        if (anchor != 0) names_[anchor] = name_;
        open_.push_back(std::move(made));
    }

    void end()
    {
        auto done = std::move(open_.back());
        open_.pop_back();
        value made = value::tuple(std::move(done.elements));
        if (done.map) {
            // The last one of equal keys is used, whether it is merged or written.
            made = value::object(std::move(done.entries));
        }
        put(done.mark, done.anchor, made, done.size);
    }

    void put(YAML::Mark const& mark, YAML::anchor_t anchor, value const& v, std::size_t size)
    {
        if (anchor != 0) anchored_.insert_or_assign(anchor, std::pair(v, size));
        if (open_.empty()) {
            result_ = v;
            return;
        }
        auto& into = open_.back();
        into.size += size;
        if (into.size > most_values) throw stop{at(mark, "the document has too many values")};
        if (!into.map) {
            into.elements.push_back(v);
        } else if (into.merging) {
            merge(v);
            into.merging = false;
        } else if (!into.key) {
            if (v.is_null()) throw stop{call_failure("a key is null")};
            auto const key = convert(v, type::string());
            if (!key) throw stop{call_failure("a key is not a string")};
            into.key = key->as_string();
        } else {
            into.entries.push_back({*std::exchange(into.key, std::nullopt), v});
        }
    }

    void merge(value const& v)
    {
        if (v.is(type_kind::tuple) && v.has_data()) {
            for (auto const& one : v.elements()) merge_mapping(one);
        } else {
            merge_mapping(v);
        }
    }

    void merge_mapping(value const& v)
    {
        if (!v.is(type_kind::object) || !v.has_data())
            throw stop{call_failure("only mappings and lists of mappings can be merged with <<, not a value of type "
                + v.get_type().friendly_name())};
        auto& into = open_.back().entries;
        into.insert(into.end(), v.entries().begin(), v.entries().end());
    }

    std::string_view text_;
    std::vector<collection> open_;
    std::map<YAML::anchor_t, std::pair<value, std::size_t>> anchored_;
    std::map<YAML::anchor_t, std::string> names_;
    std::string name_;
    std::optional<value> result_;
};

[[nodiscard]] auto decode(std::string const& text) -> call_result<value>
{
    try {
        std::istringstream in(text);
        YAML::Parser parser(in);
        builder first(text);
        parser.HandleNextDocument(first);
        if (!first.result()) return call_failure("there is no document in the text");
        builder second(text);
        if (parser.HandleNextDocument(second)) return call_failure("there is more than one document in the text");
        return *first.result();
    } catch (stop const& problem) {
        return problem.why;
    } catch (YAML::Exception const& problem) {
        return at(problem.mark, problem.msg);
    }
}

[[nodiscard]] auto yamldecode(arguments given) -> call_result<value>
{
    return decode(given[0].as_string());
}

[[nodiscard]] auto yamldecode_type(arguments given) -> call_result<type>
{
    if (given[0].is_unknown()) return type::dynamic();
    auto const made = yamldecode(given);
    if (!made) return made.error();
    return made->get_type();
}

// yamlencode

class writer {
public:
    [[nodiscard]] auto run(value const& v) -> std::string
    {
        write(v, 0, false);
        bool const bare = v.is_null() || v.is(type_kind::number) || v.is(type_kind::boolean);
        out_ += bare ? "\n...\n" : "\n";
        // A literal block includes the end of its last line.
        if (ends_line_) out_.pop_back();
        return std::move(out_);
    }

private:
    static constexpr std::size_t widest = 80;

    [[nodiscard]] auto column() const -> std::size_t
    {
        auto const newline = out_.rfind('\n');
        return newline == std::string::npos ? out_.size() : out_.size() - newline - 1;
    }

    void line(std::size_t indent)
    {
        if (!ends_line_ && !out_.empty()) out_ += '\n';
        ends_line_ = false;
        out_.append(indent, ' ');
    }

    /// \param inside  after "- " of a list, where the first entry continues the line
    void write(value const& v, std::size_t indent, bool inside)
    {
        if (v.is_null()) {
            out_ += "null";
        } else if (v.is(type_kind::boolean)) {
            out_ += v.as_bool() ? "true" : "false";
        } else if (v.is(type_kind::number)) {
            out_ += v.as_number().text();
        } else if (v.is(type_kind::string)) {
            text(v.as_string(), indent, false);
        } else if (is_sequence(v)) {
            if (v.size() == 0) {
                out_ += "[]";
                return;
            }
            bool first = inside;
            for (auto const& one : v.elements()) {
                if (!std::exchange(first, false)) start_line(indent);
                out_ += "- ";
                write(one, indent + 2, true);
            }
        } else {
            if (v.size() == 0) {
                out_ += "{}";
                return;
            }
            bool first = inside;
            for (auto const& [key, one] : v.entries()) {
                if (!std::exchange(first, false)) start_line(indent);
                bool const simple = key.find('\n') == std::string::npos && key.size() <= 128;
                if (!simple) out_ += "? ";
                text(key, indent + (simple ? 0 : 2), simple);
                if (!simple) line(indent);
                out_ += ':';
                bool const nested = (is_sequence(one) || one.is(type_kind::map) || one.is(type_kind::object))
                    && one.has_data() && one.size() > 0;
                if (!nested) {
                    out_ += ' ';
                    write(one, indent + 2, true);
                } else {
                    // A list has the same indentation as its key.
                    write(one, is_sequence(one) ? indent : indent + 2, false);
                }
            }
        }
    }

    void start_line(std::size_t indent)
    {
        if (out_.empty()) return;
        line(indent);
    }

    [[nodiscard]] static auto printable(UChar32 code) noexcept -> bool
    {
        return code == 0x0A || (code >= 0x20 && code <= 0x7E) || code == 0x85 || (code >= 0xA0 && code <= 0xD7FF)
            || (code >= 0xE000 && code <= 0xFFFD && code != 0xFEFF);
    }

    template <class Visit>
    static void for_each_code(std::string_view text, Visit visit)
    {
        auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
        auto const length = static_cast<std::int32_t>(text.size());
        for (std::int32_t at = 0; at < length;) {
            auto const begin = at;
            UChar32 code = 0;
            U8_NEXT(bytes, at, length, code);
            visit(code, text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(at - begin)));
        }
    }

    /// Returns whether a literal block can represent the text, which has several lines.
    [[nodiscard]] static auto fits_literal(std::string_view text) -> bool
    {
        if (text.find('\n') == std::string_view::npos || text.ends_with(' ')) return false;
        bool fits = text.find(" \n") == std::string_view::npos;
        for_each_code(text, [&](UChar32 code, std::string_view) { fits = fits && printable(code); });
        return fits;
    }

    void text(std::string_view content, std::size_t indent, bool key)
    {
        if (!key && fits_literal(content)) literal(content, indent);
        else quoted(content, indent, key);
    }

    void literal(std::string_view text, std::size_t indent)
    {
        // The content at the top of a document, after a key or after a dash is indented by two.
        auto const inner = std::max<std::size_t>(indent, 2);
        out_ += '|';
        if (text.starts_with(' ') || text.starts_with('\n')) out_ += '2';
        if (!text.ends_with('\n')) out_ += '-';
        else if (text.size() == 1 || text.ends_with("\n\n")) out_ += '+';
        out_ += '\n';
        while (!text.empty()) {
            auto const end = std::min(text.find('\n'), text.size());
            if (end > 0) out_.append(inner, ' ');
            (out_ += text.substr(0, end)) += '\n';
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        ends_line_ = true;
    }

    void quoted(std::string_view text, std::size_t indent, bool key)
    {
        out_ += '"';
        bool after_space = false;
        std::size_t at = 0;
        for_each_code(text, [&](UChar32 code, std::string_view bytes) {
            bool const first = at == 0;
            at += bytes.size();
            bool const last = at == text.size();
            if (code == ' ' && !key && !after_space && !first && !last && column() > widest) {
                out_ += '\n';
                out_.append(std::max<std::size_t>(indent, 2), ' ');
                if (text.substr(at).starts_with(' ')) out_ += '\\';
                after_space = true;
                return;
            }
            after_space = code == ' ';
            escape(code, bytes);
        });
        out_ += '"';
    }

    void escape(UChar32 code, std::string_view bytes)
    {
        switch (code) {
        case 0x00: out_ += "\\0"; return;
        case 0x07: out_ += "\\a"; return;
        case 0x08: out_ += "\\b"; return;
        case 0x09: out_ += "\\t"; return;
        case 0x0A: out_ += "\\n"; return;
        case 0x0B: out_ += "\\v"; return;
        case 0x0C: out_ += "\\f"; return;
        case 0x0D: out_ += "\\r"; return;
        case 0x1B: out_ += "\\e"; return;
        case '"': out_ += "\\\""; return;
        case '\\': out_ += "\\\\"; return;
        case 0x85: out_ += "\\N"; return;
        case 0x2028: out_ += "\\L"; return;
        case 0x2029: out_ += "\\P"; return;
        default: break;
        }
        if (printable(code)) out_ += bytes;
        else if (code <= 0xFF) out_ += formatted("\\x{:02X}", code);
        else if (code <= 0xFFFF) out_ += formatted("\\u{:04X}", code);
        else out_ += formatted("\\U{:08X}", code);
    }

    std::string out_;
    bool ends_line_ = false;
};

[[nodiscard]] auto yamlencode(arguments given) -> call_result<value>
{
    if (!given[0].wholly_known()) return value::unknown(type::string()).refined_not_null();
    return value(writer().run(given[0]));
}

}  // namespace

void add_yaml_functions(function_table& table)
{
    table.add("yamldecode", {{"src", type::string()}}, yamldecode_type, yamldecode);
    table.add("yamlencode", {{"value", type::dynamic(), true, true}}, type::string(), yamlencode);
}

}  // namespace iacctl::language::detail
