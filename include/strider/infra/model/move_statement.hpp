// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_MOVE_STATEMENT_HPP
#define STRIDER_INFRA_MODEL_MOVE_STATEMENT_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <vector>

namespace strider::infra {

/// Says that what was at one address is now at another: a module (an address without a type), a resource or an
/// instance. Where neither side has a last key, all instances move, and keep theirs.
struct move_statement {
    std::vector<std::string> within;  ///< the module that says so, by names: it holds in all its instances
    address from;                     ///< relative to it
    address to;
    source_excerpt source{};
    std::string place{};           ///< "main.tf:7,1"
    std::string from_declared{};   ///< where what has moved is declared all the same, if it is
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_MOVE_STATEMENT_HPP
