// SPDX-License-Identifier: BSL-1.0
#include "xml_document.hpp"

#include <expat.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/transform.hpp>
#include <type_traits>

namespace iacctl {

namespace {

constexpr std::size_t largest_xml_document = std::size_t{1} << 30U;  // the parser counts with int

}  // namespace

auto xml_document::parse(std::string_view text) -> std::optional<xml_document>
{
    struct reader {
        std::vector<element> elements;
        std::vector<std::size_t> open;  // indices of elements, the innermost last

        static void begin(void* user, XML_Char const* name, XML_Char const**)
        {
            auto* const self = static_cast<reader*>(user);
            self->open.push_back(self->elements.size());
            self->elements.push_back({name, {}});
        }
        static void end(void* user, XML_Char const*) { static_cast<reader*>(user)->open.pop_back(); }
        static void add(void* user, XML_Char const* characters, int count)
        {
            auto* const self = static_cast<reader*>(user);
            self->elements[self->open.back()].text.append(characters, static_cast<std::size_t>(count));
        }
    };
    if (text.size() > largest_xml_document) return std::nullopt;
    std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> const parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    if (!parser) return std::nullopt;
    reader found;
    XML_SetUserData(parser.get(), &found);
    XML_SetElementHandler(parser.get(), &reader::begin, &reader::end);
    XML_SetCharacterDataHandler(parser.get(), &reader::add);
    if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) != XML_STATUS_OK)
        return std::nullopt;
    xml_document made;
    made.elements_ = std::move(found.elements);
    return made;
}

auto xml_document::texts(std::string_view name) const -> std::vector<std::string>
{
    auto const is_named = [name](element const& one) { return one.name == name; };
    return elements_ | ranges::views::filter(is_named) | ranges::views::transform(&element::text)
        | ranges::to<std::vector>();
}

auto xml_document::text(std::string_view name) const -> std::string
{
    auto const found = std::ranges::find(elements_, name, &element::name);
    return found == elements_.end() ? std::string() : found->text;
}

auto xml_text(std::string_view document, std::string_view name) -> std::string
{
    auto const whole = xml_document::parse(document);
    return whole ? whole->text(name) : std::string();
}

}  // namespace iacctl
