// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_RANGES_HPP
#define STRIDER_TESTS_PCH_RANGES_HPP

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/facade.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/interface.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/subrange.hpp>
#include <range/v3/view/transform.hpp>

#include <boost/system/result.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#endif  // STRIDER_TESTS_PCH_RANGES_HPP
