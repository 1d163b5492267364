// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_POSTGRES_PQ_LIBRARY_HPP
#define IACCTL_STATE_POSTGRES_PQ_LIBRARY_HPP

#include <libpq-fe.h>

#include <string>

namespace iacctl::postgres {

/// Functions of libpq, under their names without "PQ".
///
/// The library is loaded on first use: together with its dependencies it takes longer to load than this program does.
class pq_library {
public:
    /// Loads a shared library. \param file  as for dlopen
    explicit pq_library(char const* file);
    /// The library that makes connections.
    [[nodiscard]] static auto instance() -> pq_library const&;

    /// The reason why it cannot be used; empty: it can be used.
    [[nodiscard]] auto error() const noexcept -> std::string const& { return error_; }

    decltype(&::PQconninfoParse) conninfoParse = nullptr;
    decltype(&::PQconndefaults) conndefaults = nullptr;
    decltype(&::PQconninfoFree) conninfoFree = nullptr;
    decltype(&::PQconnectStartParams) connectStartParams = nullptr;
    decltype(&::PQconnectPoll) connectPoll = nullptr;
    decltype(&::PQstatus) status = nullptr;
    decltype(&::PQerrorMessage) errorMessage = nullptr;
    decltype(&::PQfinish) finish = nullptr;
    decltype(&::PQsocket) socket = nullptr;
    decltype(&::PQbackendPID) backendPID = nullptr;
    decltype(&::PQsetnonblocking) setnonblocking = nullptr;
    decltype(&::PQsetNoticeProcessor) setNoticeProcessor = nullptr;
    decltype(&::PQsendQuery) sendQuery = nullptr;
    decltype(&::PQsendQueryParams) sendQueryParams = nullptr;
    decltype(&::PQflush) flush = nullptr;
    decltype(&::PQconsumeInput) consumeInput = nullptr;
    decltype(&::PQisBusy) isBusy = nullptr;
    decltype(&::PQgetResult) getResult = nullptr;
    decltype(&::PQresultStatus) resultStatus = nullptr;
    decltype(&::PQresultErrorField) resultErrorField = nullptr;
    decltype(&::PQresultErrorMessage) resultErrorMessage = nullptr;
    decltype(&::PQntuples) ntuples = nullptr;
    decltype(&::PQnfields) nfields = nullptr;
    decltype(&::PQcmdTuples) cmdTuples = nullptr;
    decltype(&::PQgetvalue) getvalue = nullptr;
    decltype(&::PQgetlength) getlength = nullptr;
    decltype(&::PQgetisnull) getisnull = nullptr;
    decltype(&::PQclear) clear = nullptr;

private:
    std::string error_;
};

}  // namespace iacctl::postgres

#endif  // IACCTL_STATE_POSTGRES_PQ_LIBRARY_HPP
