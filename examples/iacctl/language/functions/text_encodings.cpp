// SPDX-License-Identifier: BSL-1.0
#include "text_encodings.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace iacctl::language::detail {

namespace {

// Names and aliases of the IANA registry of character sets that Terraform 1.11 accepts, and the C library knows, sorted.
constexpr auto known_names = std::to_array<std::string_view>({"437", "850", "852", "855", "860", "862", "863", "865",
    "866", "ANSI_X3.4-1968", "ANSI_X3.4-1986", "ARABIC", "ASMO-708", "BIG5", "CP037", "CP367", "CP437", "CP819",
    "CP850", "CP852", "CP855", "CP860", "CP862", "CP863", "CP865", "CP866", "CP936", "CSASCII", "CSEUCKR",
    "CSEUCPKDFMTJAPANESE", "CSIBM037", "CSIBM855", "CSIBM860", "CSIBM863", "CSIBM865", "CSIBM866", "CSISO2022JP",
    "CSISOLATIN1", "CSISOLATIN2", "CSISOLATIN3", "CSISOLATIN4", "CSISOLATIN5", "CSISOLATIN6", "CSISOLATINARABIC",
    "CSISOLATINCYRILLIC", "CSISOLATINGREEK", "CSISOLATINHEBREW", "CSKOI8R", "CSMACINTOSH", "CSPC850MULTILINGUAL",
    "CSPC862LATINHEBREW", "CSPC8CODEPAGE437", "CSPCP852", "CSSHIFTJIS", "CYRILLIC", "EBCDIC-CP-CA", "EBCDIC-CP-NL",
    "EBCDIC-CP-US", "EBCDIC-CP-WT", "ECMA-114", "ECMA-118", "ELOT_928", "EUC-JP", "EUC-KR", "GB18030", "GBK", "GREEK",
    "GREEK8", "HEBREW", "IBM-1047", "IBM037", "IBM1047", "IBM367", "IBM437", "IBM819", "IBM850", "IBM852", "IBM855",
    "IBM860", "IBM862", "IBM863", "IBM865", "IBM866", "ISO-2022-JP", "ISO-8859-1", "ISO-8859-10", "ISO-8859-13",
    "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6",
    "ISO-8859-7", "ISO-8859-8", "ISO-8859-9", "ISO-CELTIC", "ISO-IR-100", "ISO-IR-101", "ISO-IR-109", "ISO-IR-110",
    "ISO-IR-126", "ISO-IR-127", "ISO-IR-138", "ISO-IR-144", "ISO-IR-148", "ISO-IR-157", "ISO-IR-199", "ISO-IR-226",
    "ISO-IR-6", "ISO646-US", "ISO_646.IRV:1991", "ISO_8859-1", "ISO_8859-10:1992", "ISO_8859-14", "ISO_8859-14:1998",
    "ISO_8859-15", "ISO_8859-16", "ISO_8859-16:2001", "ISO_8859-1:1987", "ISO_8859-2", "ISO_8859-2:1987", "ISO_8859-3",
    "ISO_8859-3:1988", "ISO_8859-4", "ISO_8859-4:1988", "ISO_8859-5", "ISO_8859-5:1988", "ISO_8859-6",
    "ISO_8859-6:1987", "ISO_8859-7", "ISO_8859-7:1987", "ISO_8859-8", "ISO_8859-8:1988", "ISO_8859-9",
    "ISO_8859-9:1989", "KOI8-R", "KOI8-U", "L1", "L10", "L2", "L3", "L4", "L5", "L6", "L8", "LATIN-9", "LATIN1",
    "LATIN10", "LATIN2", "LATIN3", "LATIN4", "LATIN5", "LATIN6", "LATIN8", "MAC", "MACINTOSH", "MS936", "MS_KANJI",
    "SHIFT_JIS", "US", "US-ASCII", "UTF-16", "UTF-16BE", "UTF-16LE", "UTF-8", "WINDOWS-1250", "WINDOWS-1251",
    "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255", "WINDOWS-1256", "WINDOWS-1257", "WINDOWS-1258",
    "WINDOWS-874", "WINDOWS-936"});
static_assert(std::ranges::is_sorted(known_names));

// Those that the C library knows by another name.
constexpr auto other_names = std::to_array<std::pair<std::string_view, std::string_view>>({{"CCSID00858", "IBM858"},
    {"CCSID01140", "IBM1140"}, {"CP00858", "IBM858"}, {"CP01140", "IBM1140"}, {"CSBIG5", "BIG5"},
    {"EBCDIC-US-37+EURO", "IBM1140"}, {"EXTENDED_UNIX_CODE_PACKED_FORMAT_FOR_JAPANESE", "EUC-JP"},
    {"IBM00858", "IBM858"}, {"IBM01140", "IBM1140"}, {"ISO-8859-6-E", "ISO-8859-6"}, {"ISO-8859-6-I", "ISO-8859-6"},
    {"ISO-8859-8-E", "ISO-8859-8"}, {"ISO-8859-8-I", "ISO-8859-8"}, {"PC-MULTILINGUAL-850+EURO", "IBM858"}});

}  // namespace

auto text_encoding(std::string_view name) -> std::optional<std::string>
{
    auto upper = ascii_upper_case(name);
    if (std::ranges::binary_search(known_names, std::string_view(upper))) return upper;
    auto const other = std::ranges::find(other_names, upper, &std::pair<std::string_view, std::string_view>::first);
    if (other != other_names.end()) return std::string(other->second);
    return std::nullopt;
}

}  // namespace iacctl::language::detail
