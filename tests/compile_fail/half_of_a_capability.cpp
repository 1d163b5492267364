// SPDX-License-Identifier: BSL-1.0
// expect: a program with one of lifecycle_of(d) and prevented(d, a, scope) needs both
// expect: module_of(d) must be as has_modules states it
#include <strider/infra/program/capabilities.hpp>

#include <string>
#include <vector>

namespace infra = strider::infra;

struct text {
    bool wholly_known() const;
    friend bool operator==(text const&, text const&) = default;
};

struct half {
    using value_type = text;
    using declaration_type = std::string;

    auto declarations() const -> std::vector<std::string> const&;
    auto name_of(std::string const&) const -> std::string;
    auto address_of(std::string const&) const -> infra::address;
    auto provider_of(std::string const&) const -> std::string;
    auto references(std::string const&) const -> std::vector<infra::reference>;
    auto evaluate(std::string const&, infra::address const&, infra::evaluation_scope<text> const&) const
        -> strider::result<text, infra::failure>;
    auto encode(infra::address const&, std::string const&, text const&) const -> infra::object;
    auto decode(infra::address const&, infra::object const&) const -> strider::result<text, infra::failure>;

    auto lifecycle_of(std::string const&) const -> infra::lifecycle;
    auto module_of(std::string const&) const -> int;
};

static_assert(infra::program<half>);
static_assert(infra::check_capabilities<half>());
