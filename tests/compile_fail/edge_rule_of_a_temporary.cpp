// SPDX-License-Identifier: BSL-1.0
// expect: edge_rule
// expect: constant expression
#include <strider/core.hpp>

#include <string>

strider::edge_rule rule(std::string const& name)
{
    return strider::edge_rule(name.c_str());
}
