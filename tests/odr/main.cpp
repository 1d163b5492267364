// SPDX-License-Identifier: BSL-1.0
#include "odr/answers.hpp"

#include <strider/version.hpp>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>

auto version_in_ascending() -> strider::version_number const*;
auto version_in_descending() -> strider::version_number const*;

int main()
{
    int wrong = 0;
    if (version_in_ascending() != version_in_descending()) {
        std::puts("two translation units disagree about where strider::version is");
        ++wrong;
    }
    std::set<std::string_view> units;
    std::map<std::string_view, bool> after_all;
    for (auto const& answer : odr::answers()) {
        units.insert(answer.unit);
        after_all[answer.question] = answer.is_yes;
    }
    for (auto const& [question, is_yes, unit, header] : odr::answers()) {
        if (is_yes == after_all[question]) continue;
        auto const text = std::string(is_yes ? "only" : "not") + " after <" + std::string(header) + "> in the "
            + std::string(unit) + " unit, " + std::string(question);
        std::puts(text.c_str());
        ++wrong;
    }
    return wrong == 0 && units.size() == 2 ? 0 : 1;
}
