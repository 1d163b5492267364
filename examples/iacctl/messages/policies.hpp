// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_POLICIES_HPP
#define IACCTL_MESSAGES_POLICIES_HPP

#include "message.hpp"

namespace iacctl::messages {

#define IACCTL_MESSAGE(name, count, summary, detail) inline constexpr message<count> name{#name, summary, detail};
#include "policies.def"
#undef IACCTL_MESSAGE

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_POLICIES_HPP
