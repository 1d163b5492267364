// SPDX-License-Identifier: BSL-1.0
#include "base/formatted.hpp"
#include "base/unicode.hpp"
#include "function_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace iacctl::language::detail {

namespace {

/// One `%…` of a format string.
struct verb {
    std::string raw;
    char mode = 'v';
    bool plus = false;
    bool minus = false;
    bool space = false;
    bool zero = false;
    bool sharp = false;
    std::optional<std::size_t> width;
    std::optional<std::size_t> precision;
    std::size_t argument = 0;
};

class formatter {
public:
    formatter(std::string_view format, arguments given) : format_(format), given_(given) {}

    /// The text, or unknown if an argument is. Arguments that are known are checked in both cases.
    [[nodiscard]] auto run() -> call_result<value>
    {
        while (at_ < format_.size()) {
            if (format_[at_] != '%') {
                out_ += format_[at_++];
                continue;
            }
            if (format_.substr(at_, 2) == "%%") {
                out_ += '%';
                at_ += 2;
                continue;
            }
            auto one = read();
            if (!one) return one.error();
            if (!given_[one->argument].wholly_known()) continue;
            auto written = write(*one);
            if (!written) return written.error();
            out_ += written->padded ? pad(*one, std::move(written->text)) : written->text;
            if (out_.size() > longest_text) return too_long();
        }
        if (next_ < given_.size() && !explicit_) return call_failure(next_ + 1, "no verb of the format uses it");
        if (!std::ranges::all_of(given_, &value::wholly_known))
            return value::unknown_with_prefix(settled_prefix(format_.substr(0, format_.find('%'))));
        return value(std::move(out_));
    }

private:
    [[nodiscard]] auto read_number() -> std::optional<std::size_t>
    {
        std::size_t found = 0;
        auto const* const begin = format_.data() + at_;
        auto const [end, problem] = std::from_chars(begin, format_.data() + format_.size(), found);
        if (problem != std::errc() || found > 100'000) return std::nullopt;
        at_ += static_cast<std::size_t>(end - begin);
        return found;
    }

    [[nodiscard]] auto read() -> call_result<verb>
    {
        verb one;
        auto const start = at_++;
        for (bool flags = true; flags && at_ < format_.size();) {
            switch (format_[at_]) {
            case '+': one.plus = true; break;
            case '-': one.minus = true; break;
            case ' ': one.space = true; break;
            case '0': one.zero = true; break;
            case '#': one.sharp = true; break;
            default: flags = false; continue;
            }
            ++at_;
        }
        one.width = read_number();
        if (at_ < format_.size() && format_[at_] == '.') {
            ++at_;
            one.precision = read_number().value_or(0);
        }
        one.argument = next_;
        if (at_ < format_.size() && format_[at_] == '[') {
            ++at_;
            auto const desired = read_number();
            if (!desired || *desired == 0 || at_ >= format_.size() || format_[at_] != ']')
                return call_failure(
                    0, "the verb at offset " + std::to_string(start) + " has a wrong number in brackets");
            ++at_;
            explicit_ = true;
            one.argument = *desired - 1;
        }
        if (at_ >= format_.size()) return call_failure("the format ends in the middle of a verb");
        one.mode = format_[at_++];
        one.raw = format_.substr(start, at_ - start);
        bool const letter = (one.mode >= 'a' && one.mode <= 'z') || (one.mode >= 'A' && one.mode <= 'Z');
        if (!letter && static_cast<unsigned char>(one.mode) < 0x80)
            return call_failure(std::string("the character '") + one.mode + "' at offset " + std::to_string(at_ - 1)
                + " is not part of a verb");
        if (std::string_view("vtbdoxXeEfgGsq").find(one.mode) == std::string_view::npos)
            return call_failure(to_json(value(one.raw)) + " at offset " + std::to_string(start) + " is not a verb");
        if (one.argument >= given_.size())
            return call_failure("there is no argument " + std::to_string(one.argument + 1) + " for the verb "
                + to_json(value(one.raw)) + " at offset " + std::to_string(start));
        next_ = one.argument + 1;
        offset_ = start;
        return one;
    }

    [[nodiscard]] auto unsupported(verb const& v, std::string const& why) const -> call_failure
    {
        return call_failure("the verb " + to_json(value(v.raw)) + " at offset " + std::to_string(offset_)
            + " cannot format this value: " + why);
    }

    struct piece {
        std::string text;
        bool padded = true;
    };

    [[nodiscard]] auto write(verb const& v) const -> call_result<piece>
    {
        auto const& of = given_[v.argument];
        if (v.mode != 'v' && of.is_null()) return unsupported(v, "it is null");
        switch (v.mode) {
        case 'v': {
            if (of.is_null()) return piece{std::string("null")};
            if (v.sharp) return piece{to_json(of)};
            if (of.is(type_kind::number)) return piece{shortest(of.as_number().text())};
            if (of.is(type_kind::string)) return piece{of.as_string()};
            if (of.is(type_kind::boolean)) return piece{std::string(of.as_bool() ? "true" : "false")};
            return piece{to_json(of)};
        }
        case 't': {
            auto const made = convert(of, type::boolean());
            if (!made) return unsupported(v, made.error().text());
            return piece{std::string(made->as_bool() ? "true" : "false"), false};
        }
        case 's':
        case 'q': {
            auto const made = convert(of, type::string());
            if (!made) return unsupported(v, made.error().text());
            auto const text = cut(v, made->as_string());
            return piece{v.mode == 'q' ? to_json(value(text)) : text};
        }
        default: break;
        }
        auto const made = convert(of, type::number());
        if (!made) return unsupported(v, made.error().text());
        auto const& number = made->as_number();
        if (std::string_view("bdoxX").find(v.mode) == std::string_view::npos)
            return piece{write_float(v, v.mode, number)};
        if (!number.is_whole()) return unsupported(v, "a whole number is required");
        auto text = number.whole_text(v.mode == 'b' ? 2 : v.mode == 'o' ? 8 : v.mode == 'd' ? 10 : 16);
        if (v.mode == 'X') text = upper_case(text);
        std::size_t const sign = text.starts_with('-') ? 1 : 0;
        if (v.precision == 0U && number.sign() == 0) text.clear();
        else if (v.precision && text.size() - sign < *v.precision)
            text.insert(sign, *v.precision - (text.size() - sign), '0');
        if (v.sharp) text.insert(sign, prefix_of(v.mode));
        return piece{with_sign(v, text)};
    }

    [[nodiscard]] static auto prefix_of(char mode) noexcept -> std::string_view
    {
        switch (mode) {
        case 'b': return "0b";
        case 'o': return "0";
        case 'x': return "0x";
        case 'X': return "0X";
        default: return "";
        }
    }

    [[nodiscard]] static auto cut(verb const& v, std::string const& text) -> std::string
    {
        if (!v.precision) return text;
        std::string out;
        auto const all = graphemes(text);
        for (std::size_t i = 0; i < std::min(all.size(), *v.precision); ++i) out += all[i];
        return out;
    }

    [[nodiscard]] static auto with_sign(verb const& v, std::string const& text) -> std::string
    {
        if (text.starts_with('-')) return text;
        return v.plus ? "+" + text : v.space ? " " + text : text;
    }

    /// Positional notation, or digits and an exponent if that is below -4 or at least 6.
    [[nodiscard]] static auto shortest(std::string const& plain) -> std::string
    {
        static constexpr int limit = 6;
        bool const negative = plain.starts_with('-');
        auto const body = plain.substr(negative ? 1 : 0);
        auto const point = std::min(body.find('.'), body.size());
        auto const first = body.find_first_not_of("0.");
        if (first == std::string::npos) return plain;
        int const exponent = first < point ? static_cast<int>(point - first) - 1 : -static_cast<int>(first - point);
        if (exponent >= -4 && exponent < limit) return plain;
        std::string digits;
        for (char const c : body.substr(first))
            if (c != '.') digits += c;
        digits.erase(digits.find_last_not_of('0') + 1);
        if (digits.size() > 1) digits.insert(1, ".");
        return formatted("{}{}e{}{:02}", negative ? "-" : "", digits, exponent < 0 ? '-' : '+', std::abs(exponent));
    }

    [[nodiscard]] auto write_float(verb const& v, char mode, number const& n) const -> std::string
    {
        if (mode == 'g' && !v.precision) return with_sign(v, shortest(n.text()));
        if (mode == 'f') return with_sign(v, n.fixed_text(static_cast<int>(v.precision.value_or(6))));
        double const number = n.as_double();
        std::string made;
        auto const digits = v.precision;
        switch (mode) {
        case 'e': made = formatted("{:.{}e}", number, digits.value_or(6)); break;
        case 'E': made = formatted("{:.{}E}", number, digits.value_or(6)); break;
        case 'G': made = digits ? formatted("{:.{}G}", number, *digits) : formatted("{:G}", number); break;
        default: made = digits ? formatted("{:.{}g}", number, *digits) : formatted("{}", number); break;
        }
        return with_sign(v, made);
    }

    [[nodiscard]] static auto pad(verb const& v, std::string text) -> std::string
    {
        if (!v.width) return text;
        auto const length = grapheme_count(text);
        if (length >= *v.width) return text;
        auto const missing = *v.width - length;
        if (v.minus) return text.append(missing, ' ');
        bool const whole = std::string_view("bdoxX").find(v.mode) != std::string_view::npos;
        if (!v.zero || (whole && v.precision)) return text.insert(0, missing, ' ');
        std::size_t before = 0;  // the text before the zeros
        if (whole || std::string_view("eEfgG").find(v.mode) != std::string_view::npos)
            before += text.find_first_of("+- ") == 0 ? 1U : 0U;
        if (whole && v.sharp) before += prefix_of(v.mode).size();
        return text.insert(before, missing, '0');
    }

    std::string_view format_;
    arguments given_;
    std::string out_;
    std::size_t at_ = 0;
    std::size_t next_ = 0;
    std::size_t offset_ = 0;
    bool explicit_ = false;
};

[[nodiscard]] auto format(arguments given) -> call_result<value>
{
    return formatter(given[0].as_string(), given.subspan(1)).run();
}

[[nodiscard]] auto formatlist(arguments given) -> call_result<value>
{
    auto const unknown = value::unknown(type::list(type::string())).refined_not_null();
    std::optional<std::size_t> length;
    std::size_t longest = 0;
    for (std::size_t i = 1; i < given.size(); ++i) {
        if (given[i].is_unknown() && given[i].is(type_kind::dynamic)) return unknown;
        if (given[i].is_null() || !is_sequence(given[i])) continue;
        if (!has_known_length(given[i])) return unknown;
        if (length && *length != given[i].size())
            return call_failure(i,
                "its length is " + std::to_string(given[i].size()) + ", but that of list " + std::to_string(longest)
                    + " is " + std::to_string(*length));
        length = given[i].size();
        longest = i;
    }
    std::vector<value> made;
    std::size_t total = 0;
    for (std::size_t row = 0; row < length.value_or(1); ++row) {
        std::vector<value> one{given[0]};
        for (auto const& argument : given.subspan(1))
            one.push_back(is_sequence(argument) && !argument.is_null() ? argument.elements()[row] : argument);
        auto text = format(one);
        if (!text) return call_failure("for the element " + std::to_string(row) + ", " + text.error().message());
        total += text->has_data() ? text->as_string().size() : 0;
        if (total > longest_text) return too_long();
        made.push_back(*std::move(text));
    }
    return value::list(type::string(), std::move(made));
}

}  // namespace

void add_format_functions(function_table& table)
{
    parameter const spec{"format", type::string()};
    table.add("format", {spec}, once_typed(type::string()), format).variadic =
        parameter{"args", type::dynamic(), true, true};
    table.add("formatlist", {spec}, once_typed(type::list(type::string())), formatlist).variadic =
        parameter{"args", type::dynamic(), true, true};
}

}  // namespace iacctl::language::detail
