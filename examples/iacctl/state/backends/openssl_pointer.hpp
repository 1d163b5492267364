// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_BACKENDS_OPENSSL_POINTER_HPP
#define IACCTL_STATE_BACKENDS_OPENSSL_POINTER_HPP

#include <memory>

namespace iacctl::backends {

/// Frees an object of OpenSSL by its function.
template <class T, void (*Free)(T*)>
struct freed_by {
    void operator()(T* owned) const { Free(owned); }
};

/// Owns an object of OpenSSL.
template <class T, void (*Free)(T*)>
using openssl_pointer = std::unique_ptr<T, freed_by<T, Free>>;

}  // namespace iacctl::backends

#endif  // IACCTL_STATE_BACKENDS_OPENSSL_POINTER_HPP
