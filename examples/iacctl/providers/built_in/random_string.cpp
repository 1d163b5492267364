// SPDX-License-Identifier: BSL-1.0
#include "base/unicode.hpp"
#include "language/evaluation/functions.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "random_source.hpp"
#include "state_only_type.hpp"

#include <crypt.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

// The only hash that is also a function of the language.
auto bcrypt_of(std::string password) -> value
{
    constexpr std::size_t bcrypt_reads = 72;
    if (password.size() > bcrypt_reads) password.resize(bcrypt_reads);
    language::call_context context;
    context.applying = true;
    std::array<value, 1> const given{value(std::move(password))};
    auto const* const bcrypt = language::find_function("bcrypt");
    auto made = bcrypt->run(given, context);
    if (!made) throw std::runtime_error(made.error().message());
    return *made;
}

auto bcrypt_matches(std::string const& password, std::string const& hash) -> bool
{
    auto const data = std::make_unique<crypt_data>();
    char const* const made = crypt_rn(password.c_str(), hash.c_str(), data.get(), static_cast<int>(sizeof(crypt_data)));
    return made != nullptr && hash == made;
}

struct character_set {
    std::string_view allowed_by;
    std::string_view at_least;
    std::string_view all;
};

constexpr std::array<character_set, 4> character_sets{{
    {"upper", "min_upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    {"lower", "min_lower", "abcdefghijklmnopqrstuvwxyz"},
    {"numeric", "min_numeric", "0123456789"},
    {"special", "min_special", "!@#$%&*()-_=+[]{}<>:?"},
}};

auto string_rules(bool secret) -> std::vector<attribute_rule>
{
    using language::type;
    std::vector<attribute_rule> rules{keepers_rule("keepers"),
        {{.name = "length", .of = type::number(), .required = true}, on_change::replace, {}, 1, 1 << 20},
        {{.name = "override_special", .of = type::string(), .optional = true}, on_change::replace}};
    for (std::string_view const flag : {"special", "upper", "lower", "number", "numeric"})
        rules.push_back({{.name = std::string(flag),
                             .of = type::boolean(),
                             .optional = true,
                             .computed = true,
                             .deprecated = flag == "number"},
            on_change::replace, flag.starts_with("num") ? value() : value(true)});
    for (character_set const& set : character_sets)
        rules.push_back({{.name = std::string(set.at_least), .of = type::number(), .optional = true, .computed = true},
            on_change::replace, value(language::number(0)), 0, 1 << 20});
    rules.push_back({{.name = "result", .of = type::string(), .computed = true, .sensitive = secret}});
    if (secret) rules.push_back({{.name = "bcrypt_hash", .of = type::string(), .computed = true, .sensitive = true}});
    rules.push_back(computed_rule("id"));
    return rules;
}

/// Text of random characters; a password is a sensitive one.
///
/// \source hashicorp/random 3, resources random_string and random_password.
class random_string_type final : public state_only_type {
public:
    explicit random_string_type(bool secret)
        : state_only_type(secret ? "random_password" : "random_string",
              "provider[\"registry.terraform.io/hashicorp/random\"]", string_rules(secret)),
          secret_(secret)
    {}

    [[nodiscard]] auto schema_version() const noexcept -> std::uint64_t override { return secret_ ? 3 : 2; }

    /// Older versions have no argument `numeric`, stored null for arguments of an imported object, and hashed a
    /// password that was not the result.
    [[nodiscard]] auto upgrade(value stored) const -> expected<value> override
    {
        std::string const text = text_of(stored, "result");
        auto const replace_null = [&](std::string_view name, value const& by) {
            if (attribute(stored, name).is_null()) stored = with(stored, {{name, by}});
        };
        value const numeric = attribute(stored, "numeric");
        replace_null("length", value(language::number(characters(text).size())));
        replace_null("number", numeric.is_null() ? value(true) : numeric);
        replace_null("numeric", attribute(stored, "number"));
        for (character_set const& set : character_sets) {
            replace_null(set.allowed_by, value(true));
            replace_null(set.at_least, value(language::number(0)));
        }
        if (secret_ && !bcrypt_matches(text, text_of(stored, "bcrypt_hash")))
            stored = with(stored, {{"bcrypt_hash", bcrypt_of(text)}});
        return stored;
    }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& desired) const -> expected<planned> override
    {
        auto made = state_only_type::plan(prior, desired);
        // An empty text was the default of an earlier version.
        if (made && prior && attribute(desired, "override_special").is_null()
            && attribute(*prior, "override_special").unmarked() == value(""))
            std::erase(made->replace_paths, path_of("override_special"));
        return made;
    }

protected:
    [[nodiscard]] auto prepare(value desired) const -> expected<value> override
    {
        value const number = attribute(desired, "number");
        value const numeric = attribute(desired, "numeric");
        if (number.has_data() && numeric.has_data() && number.unmarked() != numeric.unmarked())
            return problem_with("number", messages::make_error(messages::random_string_number_contradicts));
        value const digits = !numeric.is_null() ? numeric : !number.is_null() ? number : value(true);
        desired = with(desired, {{"number", number.is_null() ? digits : number}, {"numeric", digits}});

        std::int64_t least = 0;
        bool all_known = true;
        bool all_refused = true;
        for (character_set const& set : character_sets) {
            value const minimum = attribute(desired, set.at_least);
            all_known = all_known && !minimum.is_unknown();
            least += number_of(desired, set.at_least).value_or(0);
            value const allowed = attribute(desired, set.allowed_by);
            all_refused = all_refused && allowed.has_data() && !allowed.as_bool();
        }
        if (all_refused)
            return problem_with(
                character_sets.front().allowed_by, messages::make_error(messages::random_string_no_characters));
        auto const length = number_of(desired, "length");
        if (length && all_known && *length < least)
            return problem_with("length",
                messages::make_error(
                    messages::random_string_length_too_small, {std::to_string(*length), std::to_string(least)}));
        return desired;
    }

    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        random_source random;
        std::vector<std::string> result;
        std::vector<std::string> all;
        auto const length = static_cast<std::size_t>(number_of(planned, "length").value_or(1));
        for (character_set const& set : character_sets) {
            std::string const other = set.allowed_by == "special" ? text_of(planned, "override_special") : "";
            auto const chosen = characters(other.empty() ? set.all : std::string_view(other));
            auto const least = static_cast<std::size_t>(number_of(planned, set.at_least).value_or(0));
            for (std::size_t i = 0; i < least; ++i) result.push_back(random.one_of(chosen));
            if (flag_of(planned, set.allowed_by)) all.insert(all.end(), chosen.begin(), chosen.end());
        }
        if (all.empty() && result.size() < length) throw std::runtime_error("there are no characters to choose from");
        while (result.size() < length) result.push_back(random.one_of(all));
        random.shuffle(result);
        std::string text;
        for (std::string const& one : result) text += one;
        return known(planned, text);
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        auto const length = language::number(characters(id).size());
        return known(with(blank(), {{"length", value(length)}, {"number", value(true)}, {"numeric", value(true)}}), id);
    }

private:
    [[nodiscard]] auto known(value const& v, std::string const& text) const -> value
    {
        if (!secret_) return with(v, {{"id", value(text)}, {"result", value(text)}});
        return with(v, {{"id", value("none")}, {"result", value(text)}, {"bcrypt_hash", bcrypt_of(text)}});
    }

    bool secret_;
};

}  // namespace

auto random_password() -> resource_type const&
{
    static random_string_type const instance(true);
    return instance;
}

auto random_string() -> resource_type const&
{
    static random_string_type const instance(false);
    return instance;
}

}  // namespace iacctl::providers
