// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_MOVE_STATEMENT_HPP
#define STRIDER_INFRA_MODEL_MOVE_STATEMENT_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <vector>

namespace strider::infra {

/// States that an object has moved from one address to another: a module (an address without a type), a resource or
/// an instance. If neither side has a last key, all instances move and keep their keys.
struct move_statement {
    std::vector<std::string> within;  ///< the module of the statement, by names: applies to all of its instances
    address from;                     ///< relative to that module
    address to;  ///< relative to that module
    source_excerpt source{};  ///< position for diagnostics
    std::string place{};           ///< "main.tf:7,1"
    std::string from_declared{};   ///< place of a declaration at the old address, if there is one
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_MOVE_STATEMENT_HPP
