// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "function_table.hpp"
#include "text_encodings.hpp"

#include <iconv.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

namespace iacctl::language::detail {

namespace {

// base64gzip

void append_little_endian(std::string& out, std::uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xFFU);
}

/// A flushed block and an empty last one between a header and a trailer, like the output of Go's writer.
[[nodiscard]] auto base64gzip(arguments given) -> call_result<value>
{
    auto const& text = given[0].as_string();
    z_stream stream{};
    static constexpr int bare_window = -15;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, bare_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return call_failure("the text cannot be compressed");
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    auto const* const bytes = reinterpret_cast<Bytef const*>(text.data());
    stream.next_in = const_cast<Bytef*>(bytes);
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    bool const flushed = deflate(&stream, Z_SYNC_FLUSH) == Z_OK && stream.avail_in == 0;
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    if (!flushed) return call_failure("the text cannot be compressed");
    using namespace std::string_literals;
    auto out = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"s + packed + "\x01\x00\x00\xff\xff"s;
    append_little_endian(out, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(text.size()))));
    append_little_endian(out, static_cast<std::uint32_t>(text.size()));
    return value(base64(out));
}

/// The text of one or more concatenated compressed parts.
[[nodiscard]] auto base64gunzip(arguments given) -> call_result<value>
{
    auto packed = from_base64(given[0].as_string());
    if (!packed) return call_failure("the text is not Base64");
    z_stream stream{};
    static constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream, gzip_window) != Z_OK) return call_failure("the bytes cannot be decompressed");
    stream.next_in = reinterpret_cast<Bytef*>(packed->data());
    stream.avail_in = static_cast<uInt>(packed->size());
    std::string out;
    std::array<char, 65536> buffer{};
    int done = Z_OK;
    while (done == Z_OK || (done == Z_STREAM_END && stream.avail_in != 0 && inflateReset(&stream) == Z_OK)) {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        done = inflate(&stream, Z_NO_FLUSH);
        out.append(buffer.data(), buffer.size() - stream.avail_out);
        if (out.size() > longest_text) break;
    }
    inflateEnd(&stream);
    if (out.size() > longest_text) return too_long();
    if (done != Z_STREAM_END) return call_failure("the bytes are not in gzip format, or end too early");
    if (!is_utf8(out)) return call_failure("the decompressed bytes are not UTF-8 text");
    return value(std::move(out));
}

// text encodings

class converter {
public:
    converter(std::string const& to, std::string const& from) : handle_(iconv_open(to.c_str(), from.c_str())) {}
    ~converter()
    {
        if (*this) iconv_close(handle_);
    }
    converter(converter const&) = delete;
    auto operator=(converter const&) -> converter& = delete;

    [[nodiscard]] explicit operator bool() const noexcept { return reinterpret_cast<std::intptr_t>(handle_) != -1; }
    [[nodiscard]] auto run(std::string_view text) -> std::optional<std::string>
    {
        std::string out;
        std::array<char, 4096> buffer{};
        char* in = const_cast<char*>(text.data());
        std::size_t left = text.size();
        for (bool last = false;;) {
            char* next = buffer.data();
            std::size_t room = buffer.size();
            auto const done =
                last ? iconv(handle_, nullptr, nullptr, &next, &room) : iconv(handle_, &in, &left, &next, &room);
            int const problem = errno;
            out.append(buffer.data(), buffer.size() - room);
            if (done == static_cast<std::size_t>(-1)) {
                if (problem != E2BIG) return std::nullopt;
            } else if (last) {
                return out;
            } else {
                last = true;
            }
        }
    }

private:
    iconv_t handle_;
};

[[nodiscard]] auto bad_encoding(value const& name) -> call_failure
{
    return {1, "there is no text encoding named " + to_json(name)};
}

/// The name that the registry lists first, if it differs from the usual name.
[[nodiscard]] auto registered(std::string_view given) -> std::string
{
    auto name = ascii_upper_case(given);
    if (name == "ISO-8859-1" || name == "LATIN1" || name == "L1") return "ISO_8859-1:1987";
    return name;
}

constexpr auto big_endian = "UTF-16BE";
constexpr std::string_view big_endian_mark = "\xFE\xFF";
constexpr std::string_view little_endian_mark = "\xFF\xFE";

[[nodiscard]] auto textencode(arguments given) -> call_result<value>
{
    auto const& name = given[1].as_string();
    auto const encoding = text_encoding(name);
    if (!encoding) return bad_encoding(given[1]);
    bool const is_marked = *encoding == "UTF-16";
    auto const made = converter(is_marked ? big_endian : *encoding, "UTF-8").run(given[0].as_string());
    if (!made) return call_failure(0, "some of its characters do not exist in " + registered(name));
    return value(base64(is_marked ? std::string(big_endian_mark) + *made : *made));
}

[[nodiscard]] auto textdecode(arguments given) -> call_result<value>
{
    auto const& name = given[1].as_string();
    auto const encoding = text_encoding(name);
    if (!encoding) return bad_encoding(given[1]);
    auto const& source = given[0].as_string();
    auto const bytes = from_base64(source);
    if (!bytes) {
        std::size_t symbols = 0;
        std::size_t at = 0;
        auto const is_symbol = [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; };
        for (; at < source.size() && is_symbol(source[at]); ++at) ++symbols;
        if (at == source.size()) at = symbols / 4 * 4;
        return call_failure(0, "it is not Base64 from offset " + std::to_string(at) + " on");
    }
    if (*encoding == "UTF-16" && !bytes->starts_with(big_endian_mark) && !bytes->starts_with(little_endian_mark))
        return call_failure(0, "UTF-16 text begins with a byte order mark, which this one lacks");
    auto made = converter("UTF-8", *encoding).run(*bytes);
    if (!made || made->find("\xEF\xBF\xBD") != std::string::npos)
        return call_failure(0, "some of its bytes are not characters in " + registered(name));
    return value(*std::move(made));
}

// csvdecode

class csv_reader {
public:
    explicit csv_reader(std::string_view text) : rest_(text) {}

    /// The next record, or nothing at the end.
    [[nodiscard]] auto read() -> call_result<std::optional<std::vector<std::string>>>
    {
        while (rest_.starts_with('\n') || rest_.starts_with("\r\n")) take_line_end();
        start_ = line_;
        if (rest_.empty()) return std::optional<std::vector<std::string>>();
        std::vector<std::string> fields;
        for (;;) {
            fields.emplace_back();
            if (rest_.starts_with('"')) {
                if (auto problem = quoted(fields.back())) return *problem;
            } else {
                auto const end = std::min(rest_.find_first_of(",\n"), rest_.size());
                auto field = rest_.substr(0, end);
                if (field.find('"') != std::string_view::npos)
                    return wrong("a field that does not begin with a quote contains a quote");
                rest_.remove_prefix(end);
                if ((rest_.empty() || rest_.front() == '\n') && field.ends_with('\r')) field.remove_suffix(1);
                fields.back() = field;
            }
            if (!rest_.starts_with(',')) break;
            rest_.remove_prefix(1);
        }
        take_line_end();
        return std::optional(std::move(fields));
    }

    [[nodiscard]] auto wrong(std::string const& why) const -> call_failure
    {
        return call_failure("in line " + std::to_string(start_) + " of the CSV text, " + why);
    }

private:
    void take_line_end()
    {
        if (rest_.starts_with('\r')) rest_.remove_prefix(1);
        if (rest_.starts_with('\n')) rest_.remove_prefix(1);
        ++line_;
    }

    [[nodiscard]] auto quoted(std::string& into) -> std::optional<call_failure>
    {
        rest_.remove_prefix(1);
        for (;;) {
            if (rest_.empty()) {
                start_ = line_;
                return wrong("a field that begins with a quote does not end with one");
            }
            char const c = rest_.front();
            if (rest_.starts_with("\r\n")) {
                rest_.remove_prefix(1);
                continue;
            }
            rest_.remove_prefix(1);
            if (c == '\n') ++line_;
            if (c != '"') {
                into += c;
            } else if (rest_.starts_with('"')) {
                into += '"';
                rest_.remove_prefix(1);
            } else {
                break;
            }
        }
        if (rest_.empty() || rest_.starts_with(',') || rest_.starts_with('\n') || rest_.starts_with("\r\n"))
            return std::nullopt;
        start_ = line_;
        return wrong("a field that begins with a quote does not end with one");
    }

    std::string_view rest_;
    std::size_t line_ = 1;
    std::size_t start_ = 1;
};

[[nodiscard]] auto csv_header(csv_reader& from) -> call_result<std::vector<std::string>>
{
    auto first = from.read();
    if (!first) return first.error();
    if (!*first) return call_failure("the CSV text has no line with the names of its columns");
    std::set<std::string_view> seen;
    for (auto const& name : **first)
        if (!seen.insert(name).second) return call_failure("two columns have the name " + to_json(value(name)));
    return **first;
}

[[nodiscard]] auto csv_row_type(std::vector<std::string> const& header) -> type
{
    std::vector<type_attribute> attributes;
    for (auto const& name : header) attributes.push_back({name, type::string(), false});
    return type::object(std::move(attributes));
}

[[nodiscard]] auto csvdecode_type(arguments given) -> call_result<type>
{
    if (given[0].is_unknown()) return type::dynamic();
    csv_reader reader(given[0].as_string());
    auto const header = csv_header(reader);
    if (!header) return header.error();
    return type::list(csv_row_type(*header));
}

[[nodiscard]] auto csvdecode(arguments given) -> call_result<value>
{
    csv_reader reader(given[0].as_string());
    auto const header = csv_header(reader);
    if (!header) return header.error();
    std::vector<value> rows;
    for (;;) {
        auto const row = reader.read();
        if (!row) return row.error();
        if (!*row) break;
        if ((*row)->size() != header->size())
            return reader.wrong("the number of fields differs from the number of columns");
        std::vector<value_entry> made;
        for (std::size_t i = 0; i < header->size(); ++i) made.push_back({(*header)[i], value((**row)[i])});
        rows.push_back(value::object(std::move(made)));
    }
    return value::list(csv_row_type(*header), std::move(rows));
}

}  // namespace

void add_codec_functions(function_table& table)
{
    parameter const encoding{"encoding", type::string()};
    table.add("base64gunzip", {{"str", type::string()}}, type::string(), base64gunzip);
    table.add("base64gzip", {{"str", type::string()}}, type::string(), base64gzip);
    table.add("textencodebase64", {{"string", type::string()}, encoding}, type::string(), textencode);
    table.add("textdecodebase64", {{"source", type::string()}, encoding}, type::string(), textdecode);
    table.add("csvdecode", {{"str", type::string()}}, csvdecode_type, csvdecode);
}

}  // namespace iacctl::language::detail
