// SPDX-License-Identifier: BSL-1.0
#include "base/input_file.hpp"
#include "base/unicode.hpp"
#include "file_digests.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/data_source.hpp"

#include <algorithm>
#include <string>

namespace iacctl::providers {

namespace {

/// The content of a file that is not managed.
///
/// \source hashicorp/local 2, data source local_file.
class local_file_source final : public data_source {
public:
    local_file_source()
    {
        schema_.attributes = {{.name = "filename", .of = language::type::string(), .required = true},
            {.name = "content", .of = language::type::string(), .computed = true},
            {.name = "content_base64", .of = language::type::string(), .computed = true}};
        for (std::string_view const name : file_digest_names)
            schema_.attributes.push_back({.name = std::string(name), .of = language::type::string(), .computed = true});
        std::ranges::sort(schema_.attributes, {}, &language::schema_attribute::name);
    }

    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "local_file"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/hashicorp/local\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override { return schema_; }

    [[nodiscard]] auto read(value config, data_context) const -> task<expected<value>> override
    {
        std::string const path = text_of(config, "filename");
        auto const content = read_input(path);
        if (!content)
            co_return problem_with("filename",
                messages::make_error(messages::local_file_data_unreadable, {path, content.error().message()}));
        co_return with_file_digests(
            with(config, {{"content", value(repaired_utf8(*content))}, {"content_base64", value(base64(*content))}}),
            *content);
    }

private:
    language::schema schema_;
};

}  // namespace

auto local_file_data() -> data_source const&
{
    static local_file_source const instance;
    return instance;
}

}  // namespace iacctl::providers
