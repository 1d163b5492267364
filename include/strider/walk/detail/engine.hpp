// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_ENGINE_HPP
#define STRIDER_WALK_DETAIL_ENGINE_HPP

#include <strider/walk/detail/end_of_run.hpp>
#include <strider/walk/detail/ledger/ledger_run.hpp>
#include <strider/walk/detail/repeated_walk.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/plain_visits.hpp>
#include <strider/walk/detail/stealing/worker_run.hpp>

#include <type_traits>

namespace strider::detail {

// The run of a walk: by workers if possible, else with a ledger. Both have
//
//   run(executor, graph, visitor, options, end)
//   prepare()                before each run; allocates what it needs
//   connect(slot)            requests of the slot stop this run, until it ends
//   start()                  posts the first function; if that throws, the run has ended, by `end`
//   start_by_caller(helps)   the same by a thread that waits; true if the run has ended in it, without `end`
//   request(type)            stops the current run, or else the next one; any thread
//   select(changed), deselect()   before `prepare`: the next run is partial, or complete
//   end(), executor()
//   is_lost()                in `end`: the run has ended with its context
//   collect()                after the end: the report; the next run may follow
template <class Executor, class Graph, class Visitor, class Ready, class Trace, class End,
    class Threads = native_threads>
using run_of_walk = std::conditional_t<walked_by_workers<Visitor, Graph, Ready, Trace>,
    worker_run<plain_visits<Executor, Graph, Visitor, Trace>, End, Threads>,
    ledger_run<Executor, Graph, Visitor, Ready, Trace, End, Threads>>;

// A run that is repeated, or for which a thread waits.
template <class Executor, class Graph, class Visitor, class Ready, class Trace, class Threads = native_threads>
using repeated_walk_of =
    repeated_walk<run_of_walk<Executor, Graph, Visitor, Ready, Trace, call_or_wake<Executor, Threads>, Threads>>;

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_ENGINE_HPP
