// SPDX-License-Identifier: BSL-1.0
// The journal of an apply: two objects, one of which depends on the other, are created and destroyed by several commands. A provider fails,
// or its answer is lost; a commit fails; the program is killed, or the power fails, at any step.
//
// Functions: operation_runner::begin, call and end, basic_journal::take and commit (include/strider/infra), record_store::append_now,
// sqlite_store::impl::commit and commit_mark::raise (state/record), recover_pending.
//
// law no_object_without_record: an object that exists is in the durable state, or an operation on it is pending there.
// law no_record_without_object: an object of the durable state exists, or an operation on it is pending there.
// law created_once: no object is created while it exists.
// law reported_is_durable: an operation that was reported as complete is durable.
// law dependency_first: no durable state has an object, or the begin of its creation, without the object on which it depends.
// law no_false_alarm: the mark is never ahead of the durable commits.
// law begin_is_durable: a provider is called only for an operation whose begin is durable.
//
// fault CALL_EARLY: begin_is_durable: the provider is called before the commit of the begin
// fault CALL_ANYWAY: begin_is_durable: the provider is called although the commit of the begin has failed
// fault BEGIN_NOTHING: no_object_without_record: no begin is recorded
// fault END_EARLY: no_record_without_object: the end is recorded before the call
// fault FORGET_PENDING: no_object_without_record: an operation whose result is unknown is ended as not done
// fault CREATE_AGAIN: created_once: a pending operation is performed again without looking it up
// fault REPORT_EARLY: reported_is_durable: an operation is reported when its end is taken
// fault SYNC_NOTHING: no_object_without_record: the log is not synchronized before a commit is reported
// fault MARK_EARLY: no_false_alarm: the mark is written before the commit
// fault LAST_FIRST: dependency_first: entries of one commit are written in separate transactions, the last one first

#define third_may_run false
#include "laws.inc"

#ifdef REPLAY
#define COMMANDS 0
#define CRASHES 0
#define FAILURES 0
#else
#define COMMANDS 3
#define CRASHES 2
#define FAILURES 1  // of a commit
#endif

#define NONE 0
#define CREATE 1
#define DESTROY 2

// Steps of an operation.
#define WAITS 0   // for its dependencies
#define TAKEN 1   // the begin is in the queue
#define BEGUN 2   // the begin is durable
#define CALLED 3
#define ENDED 4   // the end is in the queue
#define FAILED 5

// Entries: the begin of an operation, its end with the object, and its end without.
#define BEGIN 0
#define MADE 1
#define GONE 2

// Events of a trace: a command, whether it creates the objects, and its end, whether it has failed; an entry that is committed; a call,
// and whether the object exists after it; a result that the user sees; and the end of the program by a signal.
#define COMMAND 1
#define FINISHED 2
#define ENTRY 3
#define CALL 4
#define SHOWN 5
#define KILLED 6

hidden byte law_no_object_without_record, law_no_record_without_object, law_created_once, law_reported_is_durable, law_dependency_first,
    law_no_false_alarm, law_begin_is_durable;

bit exists[2];
// The durable state: of the log, and what of it survives a loss of power.
bit recorded[2], safe_recorded[2];
byte pending[2], safe_pending[2];
byte commits, safe_commits, mark, safe_mark;
byte crashes = CRASHES, failures = FAILURES, commands = COMMANDS;
byte reported[2];  // what was reported last: MADE or GONE

chan queue = [6] of { byte, byte, byte };  // the kind of an entry, its object and operation
chan batch = [6] of { byte, byte, byte };

#define check_laws \
    law(no_object_without_record, (!exists[0] || recorded[0] || pending[0]) && (!exists[1] || recorded[1] || pending[1])); \
    law(no_record_without_object, (!recorded[0] || exists[0] || pending[0]) && (!recorded[1] || exists[1] || pending[1])); \
    law(dependency_first, !(recorded[1] || pending[1] == CREATE) || recorded[0] || pending[0] == DESTROY)

// journal_entry, replay
inline replay(kind, object, operation)
{
    if
    :: kind == BEGIN -> pending[object] = operation; reported[object] = 0
    :: kind == MADE -> pending[object] = NONE; recorded[object] = true; reported[object] = 0
    :: kind == GONE -> pending[object] = NONE; recorded[object] = false; reported[object] = 0
    fi
}

inline synchronize()
{
    safe_recorded[0] = recorded[0]; safe_recorded[1] = recorded[1];
    safe_pending[0] = pending[0]; safe_pending[1] = pending[1];
    safe_commits = commits
}

inline forget()
{
    step[0] = 0; step[1] = 0; plan[0] = 0; plan[1] = 0; stage = 0; error = false; done = false; answered[0] = 0; answered[1] = 0;
    do
    :: queue ? kind, object, operation
    :: empty(queue) && batch ? [_, _, _] -> batch ? kind, object, operation
    :: empty(queue) && empty(batch) -> break
    od;
    kind = 0; object = 0; operation = 0
}

// An operation can begin.
#define is_ready(o) \
    (plan[o] != NONE && step[o] == WAITS && \
     (plan[o] == CREATE -> (o == 0 || plan[0] == NONE || step[0] == ENDED) : (o == 1 || plan[1] == NONE || step[1] == ENDED)))

#ifdef BEGIN_NOTHING
#define take_begin(o) skip
#else
#define take_begin(o) queue ! BEGIN, o, plan[o]
#endif
#if defined(CALL_EARLY) || defined(BEGIN_NOTHING)
#define may_call(o) (step[o] == TAKEN || step[o] == BEGUN)
#else
#define may_call(o) (step[o] == BEGUN)
#endif

// operation_runner: begin, call, end
#define OPERATION(o) \
    :: is_ready(o) && !error -> take_begin(o); step[o] = TAKEN; EARLY_END(o) \
    :: may_call(o) -> \
       BEGIN_LAW(o); \
       law(created_once, plan[o] != CREATE || !exists[o]); \
       if \
       :: see(CALL, o, plan[o] == CREATE) -> seen; exists[o] = (plan[o] == CREATE); answered[o] = (exists[o] -> MADE : GONE); \
          step[o] = CALLED \
       :: see(CALL, o, exists[o]) -> seen; answered[o] = (exists[o] -> MADE : GONE); step[o] = CALLED  /* the provider has failed */ \
       :: see(CALL, o, plan[o] == CREATE) -> seen; exists[o] = (plan[o] == CREATE); step[o] = FAILED  /* its answer is lost */ \
       :: see(CALL, o, exists[o]) -> seen; step[o] = FAILED \
       fi \
    :: step[o] == CALLED -> \
       queue ! answered[o], o, plan[o]; \
       EARLY_REPORT(o); \
       step[o] = (answered[o] == (plan[o] == CREATE -> MADE : GONE) -> ENDED : FAILED)

#ifdef BEGIN_NOTHING
#define BEGIN_LAW(o) skip
#else
#define BEGIN_LAW(o) law(begin_is_durable, pending[o] == plan[o])
#endif
#ifdef REPORT_EARLY
#define EARLY_REPORT(o) reported[o] = answered[o]
#else
#define EARLY_REPORT(o) skip
#endif
#ifdef END_EARLY
#define EARLY_END(o) queue ! (plan[o] == CREATE -> MADE : GONE), o, plan[o]
#else
#define EARLY_END(o) skip
#endif

#define is_idle(o) (plan[o] == NONE || step[o] == ENDED || step[o] == FAILED || (step[o] == WAITS && !is_ready(o)) || error)
#define nothing_runs (is_idle(0) && is_idle(1))
// A reported result is durable, unless a later operation has begun.
#define was_reported(o) (reported[o] == 0 || (pending[o] == NONE && recorded[o] == (reported[o] == MADE)))
#define check_reported law(reported_is_durable, was_reported(0) && was_reported(1))

active proctype program()
{
    byte step[2], plan[2], answered[2];
    byte kind, object, operation, stage, n;
    bit error, done, wants;
#ifdef REPLAY
    bit failed;
#endif
start:
    atomic {
#ifdef REPLAY
        if
        :: see(COMMAND, 0, true) -> wants = true
        :: see(COMMAND, 0, false) -> wants = false
        fi;
        seen;
#else
        if
        :: commands == 0 -> goto finished
        :: commands > 0 -> commands--
        fi;
#endif
        law(no_false_alarm, mark <= commits);
        // recover_pending
        n = 0;
        do
        :: n < 2 && pending[n] != NONE ->
           if
#ifdef FORGET_PENDING
           :: queue ! GONE, n, pending[n]
#elif defined(CREATE_AGAIN)
           :: plan[n] = pending[n]; step[n] = BEGUN
#else
           :: queue ! (exists[n] -> MADE : GONE), n, pending[n]  // the provider knows it, or state resolve
           :: forget(); see(FINISHED, 0, true) -> seen; goto start  // undecided_operation
#endif
           fi;
           n++
        :: n < 2 && pending[n] == NONE -> n++
        :: n == 2 -> break
        od;
        n = 0
    }
    // The first commit has the results. Then a plan: all objects, or none.
#ifndef REPLAY
    if
    :: wants = true
    :: wants = false
    fi;
#endif
    do
    :: atomic { stage == 0 && plan[0] == NONE && plan[1] == NONE && empty(queue) && !done ->
           done = true;
           plan[0] = (wants == recorded[0] -> NONE : (wants -> CREATE : DESTROY));
           plan[1] = (wants == recorded[1] -> NONE : (wants -> CREATE : DESTROY)) }
    :: atomic {
           if
           OPERATION(0)
           OPERATION(1)
           fi
       }
    // basic_journal::commit
    :: atomic { stage == 0 && nempty(queue) && !error ->
           do
           :: queue ? kind, object, operation -> batch ! kind, object, operation
           :: empty(queue) -> break
           od;
           kind = 0; object = 0; operation = 0;
#ifdef MARK_EARLY
           mark = commits + 1;
#endif
           stage = 1 }
    :: atomic { stage == 1 && failures > 0 -> failures--; error = true; stage = 0;  // nothing is durable
           do
           :: batch ? kind, object, operation ->
#ifdef CALL_ANYWAY
              if
              :: kind == BEGIN -> step[object] = BEGUN
              :: else
              fi
#else
              skip
#endif
           :: empty(batch) -> break
           od;
           kind = 0; object = 0; operation = 0 }
#ifdef LAST_FIRST
    :: atomic { stage == 1 && len(batch) > 1 ->
           n = len(batch);
           do
           :: n > 1 -> batch ? kind, object, operation; batch ! kind, object, operation; n--
           :: n == 1 -> n = 0; break
           od;
           batch ? kind, object, operation;
           replay(kind, object, operation);
           batch ! kind, object, operation;
           kind = 0; object = 0; operation = 0;
           synchronize();
           check_laws }
#endif
    :: atomic { stage == 1 ->  // the transaction is in the log, and synchronized
           n = len(batch);
           do
           :: n > 0 ->
              batch ? kind, object, operation;
              see(ENTRY, object, operation * 10 + kind) -> seen;
              replay(kind, object, operation);
              batch ! kind, object, operation;
              n--
           :: n == 0 -> break
           od;
           kind = 0; object = 0; operation = 0;
           commits++;
#ifndef SYNC_NOTHING
           synchronize();
#endif
           check_laws;
           stage = 2 }
    :: atomic { stage == 2 -> mark = commits; stage = 3 }  // commit_mark::raise, not synchronized
    :: atomic { stage == 3 ->  // the waiters
           do
           :: batch ? kind, object, operation ->
              if
              :: kind == BEGIN && step[object] == TAKEN -> step[object] = BEGUN
              :: kind != BEGIN -> reported[object] = kind
              :: else
              fi
           :: empty(batch) -> break
           od;
           kind = 0; object = 0; operation = 0;
           stage = 0 }
#ifdef REPLAY
    :: atomic { see(SHOWN, 0, reported[0]) -> seen }
    :: atomic { see(SHOWN, 1, reported[1]) -> seen }
    :: atomic { see(KILLED, 0, 0) -> seen; goto crashed }
#endif
    :: atomic { crashes > 0 -> crashes--;  // the program is killed
           goto crashed }
    :: atomic { crashes > 0 -> crashes--;  // the power fails
           recorded[0] = safe_recorded[0]; recorded[1] = safe_recorded[1];
           pending[0] = safe_pending[0]; pending[1] = safe_pending[1];
           commits = safe_commits;
           if
           :: mark = safe_mark  // the mark may be an earlier one
           :: true
           fi;
           goto crashed }
    :: atomic { stage == 0 && (empty(queue) || error) && done && nothing_runs -> break }  // the command ends
    od;
    atomic {
        if
        :: !error -> safe_mark = mark; check_reported
        :: error
        fi;
#ifdef REPLAY
        failed = (plan[0] != NONE && step[0] != ENDED) || (plan[1] != NONE && step[1] != ENDED);
        see(FINISHED, 0, failed) -> seen;
#endif
        forget();
        goto start
    }
crashed:
    atomic {
        check_laws;
        law(reported_is_durable, was_reported(0) && was_reported(1));
        forget();
        goto start
    }
finished:
    skip
}
