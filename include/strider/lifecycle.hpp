// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_HPP
#define STRIDER_LIFECYCLE_HPP

#include <strider/lifecycle/cbd_inversion.hpp>
#include <strider/lifecycle/destroy_policy.hpp>
#include <strider/lifecycle/destroy_split.hpp>
#include <strider/lifecycle/forced_cbd.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform.hpp>

#endif  // STRIDER_LIFECYCLE_HPP
