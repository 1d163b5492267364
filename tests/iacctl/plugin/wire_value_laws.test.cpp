// SPDX-License-Identifier: BSL-1.0
#include "drawn_value.hpp"

#include "providers/plugin/wire_value.hpp"
#include <support/property.hpp>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace iacctl::plugin::test {

struct typed_value {
    language::type of;
    language::value is;

    friend auto operator<<(std::ostream& out, typed_value const& value) -> std::ostream&
    {
        return out << language::type_to_json(value.of) << " " << language::to_json(value.is, value.of);
    }
};

/// The bytes of a value with some bytes changed, added or removed.
struct damaged_value : typed_value {
    std::string bytes;
};

}  // namespace iacctl::plugin::test

namespace rc {

template <>
struct Arbitrary<iacctl::plugin::test::typed_value> {
    static auto arbitrary() -> Gen<iacctl::plugin::test::typed_value>
    {
        return gen::exec([] {
            iacctl::plugin::test::value_source const source(
                [](std::size_t end) { return *gen::inRange<std::size_t>(0, end); });
            auto of = source.type();
            auto is = source.value(of);
            return iacctl::plugin::test::typed_value{std::move(of), std::move(is)};
        });
    }
};

template <>
struct Arbitrary<iacctl::plugin::test::damaged_value> {
    static auto arbitrary() -> Gen<iacctl::plugin::test::damaged_value>
    {
        return gen::exec([] {
            auto const whole = *gen::arbitrary<iacctl::plugin::test::typed_value>();
            iacctl::plugin::test::damaged_value made{whole, iacctl::plugin::to_message_pack(whole.is, whole.of)};
            for (auto left = *gen::inRange(1, 4); left > 0 && !made.bytes.empty(); --left) {
                auto const at = *gen::inRange<std::size_t>(0, made.bytes.size());
                switch (*gen::inRange(0, 3)) {
                case 0: made.bytes[at] = *gen::arbitrary<char>(); break;
                case 1: made.bytes.insert(at, 1, *gen::arbitrary<char>()); break;
                default: made.bytes.resize(at); break;
                }
            }
            return made;
        });
    }
};

}  // namespace rc

namespace {

using namespace iacctl;
using plugin::from_message_pack;
using plugin::to_message_pack;
using plugin::test::damaged_value;
using plugin::test::typed_value;

STRIDER_PROPERTY(MessagePackLaw, AValueThatIsWrittenIsReadAsItWas, (typed_value const& one))
{
    auto const read = from_message_pack(to_message_pack(one.is, one.of), one.of);
    STRIDER_LAW(read.has_value());
    STRIDER_LAW(*read == one.is);
}

STRIDER_PROPERTY(MessagePackLaw, BytesThatEndTooEarlyAreRefused, (typed_value const& one))
{
    auto const bytes = to_message_pack(one.is, one.of);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        STRIDER_LAW(from_message_pack(std::string_view(bytes).substr(0, length), one.of).has_error());
}

STRIDER_PROPERTY(MessagePackLaw, DamagedBytesAreRefusedOrAValueOfTheType, (damaged_value const& one))
{
    auto const read = from_message_pack(one.bytes, one.of);
    if (!read) return;
    auto const again = from_message_pack(to_message_pack(*read, one.of), one.of);
    STRIDER_LAW(again.has_value());
    STRIDER_LAW(*again == *read);
}

STRIDER_PROPERTY(MarksLaw, MarksThatAreTakenFromAValueAreThoseItHas, (typed_value const& one))
{
    auto const secret = one.is.with_marks(language::mark::sensitive);
    STRIDER_LAW(plugin::with_marks_of(one.is, secret) == secret);
    auto const inside = language::value::object({{"of", secret}, {"beside", one.is}});
    STRIDER_LAW(plugin::with_marks_of(inside.unmarked_deep(), inside) == inside);
}

}  // namespace
