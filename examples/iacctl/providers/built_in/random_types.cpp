// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/random.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "pet_words.hpp"
#include "random_source.hpp"
#include "state_only_type.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using messages::make_error;
using strider::infra::failure;

constexpr std::string_view random_provider = "provider[\"registry.terraform.io/hashicorp/random\"]";
constexpr std::int64_t most_bytes = 1 << 20;

auto replacing(std::string_view name, language::type t, bool required = false) -> attribute_rule
{
    return {{.name = std::string(name), .of = std::move(t), .required = required, .optional = !required},
        on_change::replace};
}

/// \source hashicorp/random 3, resource random_id.
class random_id_type final : public state_only_type {
public:
    random_id_type()
        : state_only_type("random_id", random_provider,
              {keepers_rule("keepers"), byte_length(), replacing("prefix", language::type::string()),
                  computed_rule("b64_std"), computed_rule("b64_url"), computed_rule("dec"), computed_rule("hex"),
                  computed_rule("id")})
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        auto const count = static_cast<std::size_t>(number_of(planned, "byte_length").value_or(1));
        return shown(planned, iacctl::random_bytes(count), text_of(planned, "prefix"));
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        auto const comma = id.rfind(',');
        std::string const prefix = comma == std::string::npos ? std::string() : id.substr(0, comma);
        auto const made = from_base64_url(comma == std::string::npos ? id : id.substr(comma + 1));
        if (!made || made->empty()) return failure(make_error(messages::random_id_import_invalid, {id}));
        value found = with(blank(), {{"byte_length", value(language::number(made->size()))}});
        if (!prefix.empty()) found = with(found, {{"prefix", value(prefix)}});
        return shown(found, *made, prefix);
    }

private:
    static auto byte_length() -> attribute_rule
    {
        attribute_rule rule = replacing("byte_length", language::type::number(), true);
        rule.at_least = 1;
        rule.at_most = most_bytes;
        return rule;
    }

    static auto shown(value const& v, std::string const& made, std::string const& prefix) -> value
    {
        return with(v,
            {{"id", value(base64_url(made))}, {"b64_url", value(prefix + base64_url(made))},
                {"b64_std", value(prefix + base64(made))}, {"hex", value(prefix + hex(made))},
                {"dec", value(prefix + decimal(made))}});
    }
};

/// \source hashicorp/random 3, resource random_bytes.
class random_bytes_type final : public state_only_type {
public:
    random_bytes_type()
        : state_only_type("random_bytes", random_provider,
              {replacing("keepers", language::type::map(language::type::string())), length(), secret("base64"),
                  secret("hex")})
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        return shown(planned, iacctl::random_bytes(static_cast<std::size_t>(number_of(planned, "length").value_or(1))));
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        auto const made = from_base64(id);
        if (!made || made->empty()) return failure(make_error(messages::random_bytes_import_invalid));
        return shown(with(blank(), {{"length", value(language::number(made->size()))}}), *made);
    }

private:
    static auto length() -> attribute_rule
    {
        attribute_rule rule = replacing("length", language::type::number(), true);
        rule.at_least = 1;
        rule.at_most = most_bytes;
        return rule;
    }
    static auto secret(std::string_view name) -> attribute_rule
    {
        attribute_rule rule = computed_rule(name);
        rule.is.sensitive = true;
        return rule;
    }
    static auto shown(value const& v, std::string const& made) -> value
    {
        return with(v, {{"base64", value(base64(made))}, {"hex", value(hex(made))}});
    }
};

/// \source hashicorp/random 3, resource random_integer. The results for a seed differ from the original.
class random_integer_type final : public state_only_type {
public:
    random_integer_type()
        : state_only_type("random_integer", random_provider,
              {keepers_rule("keepers"), replacing("max", language::type::number(), true),
                  replacing("min", language::type::number(), true), replacing("seed", language::type::string()),
                  computed_rule("result", language::type::number()), computed_rule("id")})
    {}

protected:
    [[nodiscard]] auto prepare(value desired) const -> expected<value> override
    {
        auto const least = number_of(desired, "min");
        auto const most = number_of(desired, "max");
        if (least && most && *most < *least)
            return problem_with("min",
                make_error(messages::random_integer_bounds_swapped, {std::to_string(*least), std::to_string(*most)}));
        return desired;
    }

    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        auto const least = number_of(planned, "min").value_or(0);
        auto const most = number_of(planned, "max").value_or(0);
        random_source random(text_of(planned, "seed"));
        // Wraps around to 0, which means all numbers, if the range is that of all 64 bits.
        std::uint64_t const count = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) + 1;
        auto const made = static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + random.below(count));
        return with(planned, {{"id", value(std::to_string(made))}, {"result", value(language::number(made))}});
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        std::vector<std::string> parts(1);
        for (char const c : id) {
            if (c == ',' && parts.size() < 4) parts.emplace_back();
            else parts.back() += c;
        }
        if (parts.size() < 3) return failure(make_error(messages::random_integer_import_format, {id}));
        std::vector<std::int64_t> numbers;
        while (numbers.size() < 3) {
            std::string const& text = parts[numbers.size()];
            std::int64_t number = 0;
            auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            if (error != std::errc() || end != text.data() + text.size())
                return failure(make_error(messages::random_integer_import_not_whole, {text}));
            numbers.push_back(number);
        }
        value found = with(blank(),
            {{"id", value(parts[0])}, {"result", value(language::number(numbers[0]))},
                {"min", value(language::number(numbers[1]))}, {"max", value(language::number(numbers[2]))}});
        if (parts.size() == 4) found = with(found, {{"seed", value(parts[3])}});
        return found;
    }
};

/// \source hashicorp/random 3, resources random_uuid, random_uuid4 and random_uuid7. A random_uuid has version 4, too.
class random_uuid_type final : public state_only_type {
public:
    /// \param make  returns a new UUID
    random_uuid_type(std::string_view name, std::string (*make)())
        : state_only_type(
              name, random_provider, {keepers_rule("keepers"), computed_rule("id"), computed_rule("result")}),
          make_(make)
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        value const text(make_());
        return with(planned, {{"id", text}, {"result", text}});
    }

    [[nodiscard]] auto import_now(std::string const& id) const -> expected<value> override
    {
        if (!is_uuid(id)) return failure(make_error(messages::random_uuid_import_invalid, {id}));
        value const text(ascii_lower_case(id));
        return with(blank(), {{"id", text}, {"result", text}});
    }

private:
    std::string (*make_)();
};

/// \source hashicorp/random 3, resource random_shuffle. The order for a seed differs from the original.
class random_shuffle_type final : public state_only_type {
public:
    random_shuffle_type()
        : state_only_type("random_shuffle", random_provider,
              {replacing("input", texts(), true), keepers_rule("keepers"), result_count(),
                  replacing("seed", language::type::string()), computed_rule("result", texts()), computed_rule("id")})
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        value const input = attribute(planned, "input");
        std::vector<value> const all(input.elements().begin(), input.elements().end());
        auto const desired = number_of(planned, "result_count");
        std::size_t const count = all.empty() ? 0 : desired ? static_cast<std::size_t>(*desired) : all.size();
        random_source random(text_of(planned, "seed"));
        std::vector<value> result;
        while (result.size() < count) {
            std::vector<value> batch = all;
            random.shuffle(batch);
            for (value& one : batch)
                if (result.size() < count) result.push_back(std::move(one));
        }
        return with(
            planned, {{"id", value("-")}, {"result", value::list(language::type::string(), std::move(result))}});
    }

private:
    static auto texts() -> language::type { return language::type::list(language::type::string()); }
    static auto result_count() -> attribute_rule
    {
        attribute_rule rule = replacing("result_count", language::type::number());
        rule.at_least = 0;
        rule.at_most = most_bytes;
        return rule;
    }
};

/// \source hashicorp/random 3, resource random_pet. The words differ from the original.
class random_pet_type final : public state_only_type {
public:
    random_pet_type()
        : state_only_type("random_pet", random_provider,
              {keepers_rule("keepers"), length(), replacing("prefix", language::type::string()), separator(),
                  computed_rule("id")})
    {}

protected:
    [[nodiscard]] auto create(value const& planned) const -> expected<value> override
    {
        std::int64_t const length = number_of(planned, "length").value_or(2);
        random_source random;
        std::vector<std::string_view> words;
        if (!text_of(planned, "prefix").empty()) words.emplace_back();
        for (std::int64_t left = length; left > 2; --left) words.push_back(random.one_of(pet_adverbs));
        if (length > 1) words.push_back(random.one_of(pet_adjectives));
        words.push_back(random.one_of(pet_names));
        std::string name = text_of(planned, "prefix");
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (i > 0) name += text_of(planned, "separator");
            name += words[i];
        }
        return with(planned, {{"id", value(name)}});
    }

private:
    static auto length() -> attribute_rule
    {
        attribute_rule rule = replacing("length", language::type::number());
        rule.is.computed = true;
        rule.by_default = value(language::number(2));
        rule.at_least = 1;
        rule.at_most = 1000;
        return rule;
    }
    static auto separator() -> attribute_rule
    {
        attribute_rule rule = replacing("separator", language::type::string());
        rule.is.computed = true;
        rule.by_default = value("-");
        return rule;
    }
};

}  // namespace

auto random_bytes() -> resource_type const&
{
    static random_bytes_type const instance;
    return instance;
}

auto random_id() -> resource_type const&
{
    static random_id_type const instance;
    return instance;
}

auto random_integer() -> resource_type const&
{
    static random_integer_type const instance;
    return instance;
}

auto random_pet() -> resource_type const&
{
    static random_pet_type const instance;
    return instance;
}

auto random_shuffle() -> resource_type const&
{
    static random_shuffle_type const instance;
    return instance;
}

auto random_uuid() -> resource_type const&
{
    static random_uuid_type const instance("random_uuid", iacctl::random_uuid);
    return instance;
}

auto random_uuid4() -> resource_type const&
{
    static random_uuid_type const instance("random_uuid4", iacctl::random_uuid);
    return instance;
}

auto random_uuid7() -> resource_type const&
{
    static random_uuid_type const instance("random_uuid7", time_ordered_uuid);
    return instance;
}

}  // namespace iacctl::providers
