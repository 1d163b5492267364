// SPDX-License-Identifier: BSL-1.0
#include "commands/commands.hpp"

#include <iostream>
#include <string>
#include <vector>

int main(int argc, char** argv)
{
    std::ios::sync_with_stdio(false);
    std::vector<std::string> const arguments(argv + 1, argv + argc);
    int const code = iacctl::commands::run(arguments, std::cout, std::cerr);
    std::cout.flush();
    return std::cout ? code : (code == 0 ? 1 : code);
}
