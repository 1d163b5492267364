// SPDX-License-Identifier: BSL-1.0
#include "pq_library.hpp"

#include "base/shared_library.hpp"

namespace iacctl::postgres {

auto pq_library::instance() -> pq_library const&
{
    static pq_library const one("libpq.so.5");
    return one;
}

pq_library::pq_library(char const* file)
{
    shared_library library(file, "connections to PostgreSQL", "libpq5");
    library.find(conninfoParse, "PQconninfoParse");
    library.find(conndefaults, "PQconndefaults");
    library.find(conninfoFree, "PQconninfoFree");
    library.find(connectStartParams, "PQconnectStartParams");
    library.find(connectPoll, "PQconnectPoll");
    library.find(status, "PQstatus");
    library.find(errorMessage, "PQerrorMessage");
    library.find(finish, "PQfinish");
    library.find(socket, "PQsocket");
    library.find(backendPID, "PQbackendPID");
    library.find(setnonblocking, "PQsetnonblocking");
    library.find(setNoticeProcessor, "PQsetNoticeProcessor");
    library.find(sendQuery, "PQsendQuery");
    library.find(sendQueryParams, "PQsendQueryParams");
    library.find(flush, "PQflush");
    library.find(consumeInput, "PQconsumeInput");
    library.find(isBusy, "PQisBusy");
    library.find(getResult, "PQgetResult");
    library.find(resultStatus, "PQresultStatus");
    library.find(resultErrorField, "PQresultErrorField");
    library.find(resultErrorMessage, "PQresultErrorMessage");
    library.find(ntuples, "PQntuples");
    library.find(nfields, "PQnfields");
    library.find(cmdTuples, "PQcmdTuples");
    library.find(getvalue, "PQgetvalue");
    library.find(getlength, "PQgetlength");
    library.find(getisnull, "PQgetisnull");
    library.find(clear, "PQclear");
    error_ = library.error();
}

}  // namespace iacctl::postgres
