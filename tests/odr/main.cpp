// SPDX-License-Identifier: BSL-1.0
#include <strider/version.hpp>

#include <cstdio>

strider::version_number const* version_in_one();
strider::version_number const* version_in_two();

int main()
{
    if (version_in_one() == version_in_two()) return 0;
    std::puts("two translation units disagree about where strider::version is");
    return 1;
}
