// SPDX-License-Identifier: BSL-1.0
#include "private_data.hpp"

#include "base/encoding.hpp"

#include <nlohmann/json.hpp>

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
    auto const all = nlohmann::json::parse(text, nullptr, false);
    if (!all.is_object()) return made;
    if (auto const bytes = all.find("private"); bytes != all.end() && bytes->is_string())
        made.bytes = from_base64(bytes->get_ref<std::string const&>()).value_or(std::string());
    if (auto const identity = all.find("identity"); identity != all.end() && !identity->is_null())
        made.identity = identity->dump();
    if (auto const version = all.find("identity_schema_version"); version != all.end() && version->is_number_unsigned())
        made.identity_version = version->get<std::uint64_t>();
    return made;
}

auto private_data::write() const -> strider::infra::document
{
    if (bytes.empty() && identity.empty()) return {};
    if (identity.empty())
        return strider::infra::document(std::string(only_bytes.front) + base64(bytes) + std::string(only_bytes.back));
    nlohmann::json all = nlohmann::json::object();
    if (!bytes.empty()) all["private"] = base64(bytes);
    if (!identity.empty()) {
        all["identity"] = nlohmann::json::parse(identity);
        all["identity_schema_version"] = identity_version;
    }
    return strider::infra::document(all.dump());
}

}  // namespace iacctl::plugin
