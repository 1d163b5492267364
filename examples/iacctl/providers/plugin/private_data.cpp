// SPDX-License-Identifier: BSL-1.0
#include "private_data.hpp"

#include "base/encoding.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace iacctl::plugin {

namespace {

// The text of data without an identity, around the bytes. Each operation reads and writes it.
struct enclosure {
    std::string_view front;
    std::string_view back;
};
constexpr enclosure only_bytes{R"({"private":")", R"("})"};

}  // namespace

auto private_data::read(strider::infra::document const& from) -> private_data
{
    private_data made;
    std::string_view const text = from.text();
    if (text.empty()) return made;
    if (text.starts_with(only_bytes.front) && text.ends_with(only_bytes.back)
        && text.size() >= only_bytes.front.size() + only_bytes.back.size()) {
        auto encoded = text.substr(only_bytes.front.size());
        encoded.remove_suffix(only_bytes.back.size());
        if (auto bytes = from_base64(encoded)) {
            made.bytes = *std::move(bytes);
            return made;
        }
    }
    auto const all = parse_json(text);
    if (!all) return made;
    made.bytes = from_base64(all->text_of("private")).value_or(std::string());
    if (json const* const identity = all->find("identity"); identity != nullptr && !identity->is_null())
        made.identity = compact_text(*identity);
    if (json const* const version = all->find("identity_schema_version"))
        made.identity_version = version->natural().value_or(made.identity_version);
    return made;
}

auto private_data::write() const -> strider::infra::document
{
    if (bytes.empty() && identity.empty()) return {};
    if (identity.empty())
        return strider::infra::document(std::string(only_bytes.front) + base64(bytes) + std::string(only_bytes.back));
    json_object all;
    all.raw("identity", identity).number("identity_schema_version", identity_version);
    if (!bytes.empty()) all.text("private", base64(bytes));
    return strider::infra::document(all.done());
}

}  // namespace iacctl::plugin
