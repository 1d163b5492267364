// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SHARED_LIBRARY_HPP
#define IACCTL_BASE_SHARED_LIBRARY_HPP

#include <dlfcn.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace iacctl {

/// A shared library that is loaded while the program runs. It is never unloaded, because libraries that it depends on
/// register functions that run when the program exits.
class shared_library {
public:
    /// \param file     as for dlopen
    /// \param purpose  "HTTP requests"
    /// \param package  the Debian package of the library
    shared_library(char const* file, std::string_view purpose, std::string_view package)
        : file_(file),
          handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL))
    {
        if (handle_ == nullptr)
            error_ = std::string(purpose) + " need the shared library " + file + ", which cannot be loaded ("
                + ::dlerror() + "); on Debian, install the package " + std::string(package);
    }

    /// Sets a pointer to the function with a name; null if there is none.
    template <class Function>
    void find(Function*& function, char const* name)
    {
        function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle_, name));
        if (function == nullptr && error_.empty())
            error_ = std::string("the shared library ") + file_ + " has no function " + name;
    }

    /// The reason why the library cannot be used; empty if it can.
    [[nodiscard]] auto error() const noexcept -> std::string const& { return error_; }

private:
    char const* file_;
    void* handle_;
    std::string error_;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_SHARED_LIBRARY_HPP
