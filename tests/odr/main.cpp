// SPDX-License-Identifier: BSL-1.0
#include <strider/version.hpp>

#include <cstdio>

auto version_in_ascending() -> strider::version_number const*;
auto version_in_descending() -> strider::version_number const*;

int main()
{
    if (version_in_ascending() == version_in_descending()) return 0;
    std::puts("two translation units disagree about where strider::version is");
    return 1;
}
