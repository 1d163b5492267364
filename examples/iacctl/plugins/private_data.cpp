// SPDX-License-Identifier: BSL-1.0
#include "private_data.hpp"

#include "support/encoding.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace iacctl::plugins {

auto private_data::read(strider::infra::document const& from) -> private_data
{
    private_data made;
    if (from.empty()) return made;
    auto const all = nlohmann::json::parse(from.text(), nullptr, false);
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
    nlohmann::json all = nlohmann::json::object();
    if (!bytes.empty()) all["private"] = base64(bytes);
    if (!identity.empty()) {
        all["identity"] = nlohmann::json::parse(identity);
        all["identity_schema_version"] = identity_version;
    }
    return strider::infra::document(all.dump());
}

}  // namespace iacctl::plugins
