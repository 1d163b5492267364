// SPDX-License-Identifier: BSL-1.0
#include "base/digest.hpp"
#include "base/durable_file.hpp"
#include "base/encoding.hpp"
#include "base/input_file.hpp"
#include "file_digests.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/resource_type.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using messages::make_error;

auto permission_bits(std::string_view text) -> std::optional<mode_t>
{
    unsigned mode = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    bool const fine = error == std::errc() && end == text.data() + text.size() && text.size() >= 3 && text.size() <= 4;
    return fine ? std::optional(static_cast<mode_t>(mode)) : std::nullopt;
}

/// A file with a content. Each change replaces it. The sensitive type differs in its display and its permissions.
///
/// \source hashicorp/local, resources local_file and local_sensitive_file: schema, and what counts as gone.
class local_file_type final : public plain_resource_type {
public:
    explicit local_file_type(bool sensitive) : sensitive_(sensitive)
    {
        contents_ = {"content", "content_base64", "source"};
        if (!sensitive_) contents_.emplace_back("sensitive_content");
        std::ranges::sort(contents_);
        inputs_ = contents_;
        inputs_.insert(inputs_.end(), {"filename", "file_permission", "directory_permission"});
        for (std::string const& input : inputs_) {
            language::schema_attribute a{.name = input, .of = language::type::string()};
            a.required = input == "filename";
            a.optional = !a.required;
            a.computed = input.ends_with("permission");
            a.deprecated = input == "sensitive_content";
            a.sensitive = input == "sensitive_content" || (sensitive_ && input.starts_with("content"));
            schema_.attributes.push_back(std::move(a));
        }
        for (std::string_view const output : file_digest_names)
            schema_.attributes.push_back(
                {.name = std::string(output), .of = language::type::string(), .computed = true});
        std::ranges::sort(schema_.attributes, {}, &language::schema_attribute::name);
    }

    [[nodiscard]] auto name() const noexcept -> std::string_view override
    {
        return sensitive_ ? "local_sensitive_file" : "local_file";
    }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/hashicorp/local\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override { return schema_; }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        value after = desired;
        for (auto const* const permission : {"file_permission", "directory_permission"}) {
            value const given = attribute(desired, permission);
            if (given.is_null()) after = with(after, {{permission, value(sensitive_ ? "0700" : "0777")}});
            else if (given.has_data() && !permission_bits(text_of(desired, permission)))
                return problem_with(permission,
                    make_error(messages::file_permission_invalid, {permission, text_of(desired, permission)}));
        }
        if (text_of(desired, "filename").find('\0') != std::string::npos)
            return problem_with("filename", make_error(messages::file_name_has_nul));
        if (auto wrong = check_contents(desired)) return strider::infra::failure(std::move(*wrong));

        std::vector<strider::infra::attribute_path> because;
        if (prior)
            for (std::string const& input : inputs_)
                if (attribute(*prior, input).unmarked_deep() != attribute(after, input).unmarked_deep())
                    because.push_back(path_of(input));
        bool const keeps = prior.has_value() && because.empty();
        for (auto const output : file_digest_names)
            after = with(after,
                {{output,
                    keeps ? attribute(*prior, output) : value::unknown(language::type::string()).refined_not_null()}});
        return planned(std::move(after), std::move(because));
    }

protected:
    [[nodiscard]] auto read_now(value const& prior) const -> expected<std::optional<value>> override
    {
        std::string const path = text_of(prior, "filename");
        auto const text = read_input(path);
        if (!text && !is_missing(text.error()))
            return problem_with(
                "filename", make_error(messages::local_file_unreadable, {path, text.error().message()}));
        if (!text || hex(digest(*text, digest_kind::sha1)) != text_of(prior, "id")) return std::optional<value>();
        return {prior};
    }

    [[nodiscard]] auto apply_now(apply_request const& request) const -> applied override
    {
        if (!request.planned) return destroy(*request.prior);
        value const& desired = *request.planned;
        std::string const path = text_of(desired, "filename");
        std::string why;
        auto const content = content_of(desired, why);
        if (!content) return failed("source", messages::local_file_content_unreadable, path, why);
        namespace fs = std::filesystem;
        fs::path const directory = fs::path(path).parent_path();
        std::error_code error;
        if (!directory.empty() && !fs::exists(directory, error)) {
            fs::create_directories(directory, error);
            if (!error)
                fs::permissions(directory,
                    static_cast<fs::perms>(*permission_bits(text_of(desired, "directory_permission"))), error);
            if (error)
                return failed("filename", messages::local_file_directory_failed, directory.string(), error.message());
        }
        auto const there = fs::status(path, error);
        if (fs::is_directory(there)) error = std::make_error_code(std::errc::is_a_directory);
        else if (fs::exists(there) && !fs::is_regular_file(there))
            return applied(std::nullopt,
                about_attribute("filename", make_error(messages::local_file_not_regular, {kind(), path})));
        else error = replace_file(path, *content, *permission_bits(text_of(desired, "file_permission")));
        if (error) return failed("filename", messages::local_file_write_failed, path, error.message());
        return applied(with_file_digests(desired, *content));
    }

    [[nodiscard]] auto look_up_now(apply_request const& request) const -> looked_up override
    {
        using strider::infra::lookup_answer;
        if (request.operation.kind == strider::infra::operation_kind::destroy) {
            if (!request.prior) return looked_up(lookup_answer::unknown);
            std::error_code error;
            auto const found = std::filesystem::symlink_status(text_of(*request.prior, "filename"), error).type();
            if (found == std::filesystem::file_type::none) return looked_up(lookup_answer::unknown);
            bool const gone = found == std::filesystem::file_type::not_found;
            return looked_up(gone ? lookup_answer::done : lookup_answer::not_done);
        }
        if (!request.planned) return looked_up(lookup_answer::not_done);
        auto const there = read_input(text_of(*request.planned, "filename"));
        if (!there) return looked_up(is_missing(there.error()) ? lookup_answer::not_done : lookup_answer::unknown);
        std::string why;
        auto const desired = content_of(*request.planned, why);
        if (!desired) return looked_up(lookup_answer::unknown);
        if (*desired != *there) return looked_up(lookup_answer::not_done);
        return looked_up(lookup_answer::done, with_file_digests(*request.planned, *there));
    }

private:
    [[nodiscard]] auto check_contents(value const& desired) const -> std::optional<strider::infra::diagnostic>
    {
        std::size_t given = 0;
        std::string names;
        std::string second;  // one too many
        for (std::string const& content : contents_) {
            if (!attribute(desired, content).is_null() && ++given == 2) second = content;
            names += (names.empty() ? "\"" : ", \"") + content + '"';
        }
        if (given == 1) return std::nullopt;
        auto problem = make_error(
            given == 0 ? messages::local_file_content_missing : messages::local_file_content_ambiguous, {names});
        problem.attribute = second;
        return problem;
    }

        // For summaries.
    [[nodiscard]] auto kind() const -> char const* { return sensitive_ ? "sensitive file" : "file"; }

    [[nodiscard]] auto failed(std::string_view attribute_name, messages::message<3> const& m, std::string const& path,
        std::string const& why) const -> applied
    {
        return applied(std::nullopt, about_attribute(attribute_name, make_error(m, {kind(), path, why})));
    }

    // The configured content; nothing, and the reason, if it cannot be read.
    static auto content_of(value const& desired, std::string& why) -> std::optional<std::string>
    {
        if (!attribute(desired, "content_base64").is_null()) {
            why = "content_base64 is not in base64";
            return from_base64(text_of(desired, "content_base64"));
        }
        if (!attribute(desired, "source").is_null()) {
            std::string const source = text_of(desired, "source");
            auto text = read_input(source);
            if (text) return std::move(*text);
            why = source + ": " + text.error().message();
            return std::nullopt;
        }
        if (!attribute(desired, "sensitive_content").is_null()) return text_of(desired, "sensitive_content");
        return text_of(desired, "content");
    }

    [[nodiscard]] auto destroy(value const& prior) const -> applied
    {
        std::string const path = text_of(prior, "filename");
        if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return applied(std::nullopt);
        return applied(prior,
            about_attribute("filename",
                make_error(
                    messages::local_file_delete_failed, {kind(), path, std::generic_category().message(errno)})));
    }

    bool sensitive_;
    std::vector<std::string> contents_;
    std::vector<std::string> inputs_;
    language::schema schema_;
};

}  // namespace

auto local_file() -> resource_type const&
{
    static local_file_type const instance(false);
    return instance;
}

auto local_sensitive_file() -> resource_type const&
{
    static local_file_type const instance(true);
    return instance;
}

}  // namespace iacctl::providers
