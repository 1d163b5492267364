// SPDX-License-Identifier: BSL-1.0
// Locks of parts of a state in PostgreSQL: two clients with commands that change one part and depend on another, one of them also breaks
// locks. Connections are lost, at the client earlier than at the server, whose process may still perform a statement. Clients are killed.
//
// Functions: pg_database, pg_native_store and pg_native_backend (state/backends/). A session is a row, numbered like the epochs of
// entries, and an advisory lock that a connection holds. A transaction is one step, because the row of the workspace serializes those that
// change sessions, and an append changes only the row of its own session.
//
// law no_lost_update: a change of a part is made from the part as it is.
// law read_stable: a part on which a change depends has not changed since it was read.
// law one_writer: while a session writes a part, no other session has a lock that excludes that.
// law once: an append is performed at most once, and what a command was told is saved was performed.
// law told_truth: a command is told that its session has ended only if its row is gone, after force-unlock or a lost connection.
//
// bounds CUTS=2 KILLS=0 BREAKS=0: more lost connections
//
// fault DROP_FENCE: no_lost_update: an append does not require the row of its session
// fault IGNORE_CONFLICT: one_writer: find_conflict finds nothing
// fault LOCK_NO_READ: read_stable: the parts on which a change depends are not locked
// fault TRUST_PLAN: no_lost_update: current_versions are not compared with those of the plan
// fault REPEAT_APPEND: once: after a lost connection an append is performed whatever the batch is
// fault READ_NO_BATCH: told_truth: after a lost connection the batch of the session is not read
// fault DROP_LIVE: told_truth: drop_dead_sessions also removes sessions whose advisory locks are held
// fault FORGET_RELEASE CUTS=0 KILLS=0 BREAKS=0: released: the row remains when a command ends
//
// law released: after a command that ended by itself without a lost connection, its session has no row.

#define third_may_run (zombie[0] != 0 || zombie[1] != 0)
#ifndef REPLAY
#ifndef CUTS
#define CUTS 1      // connections that are lost
#define KILLS 1     // clients that are killed
#define BREAKS 1    // uses of force-unlock
#endif
#define COMMANDS 3  // of both clients
#define SESSIONS 5
#else
#define CUTS 0
#define KILLS 0
#define BREAKS 0
#define COMMANDS 30000
#define SESSIONS 100
#endif
#define CLIENTS 2
#define PARTS 2
#define SERVER 2    // in the place of a client

// A server process that outlives the connection of a client: it holds an advisory lock, and may perform a statement.
#define IDLE 1
#define BUSY 2
byte zombie[CLIENTS], zombie_session[CLIENTS], zombie_part[CLIENTS], zombie_batch[CLIENTS], zombie_value[CLIENTS];

#include "laws.inc"

// Events of a trace: changes of rows of sessions, as triggers see them.
#define BEGIN 1
#define END 2
#define START 3      // a session starts with locks
#define EXCHANGE 4   // its locks are replaced
#define APPEND 5
#define RELEASE 6    // its row is removed by itself
#define TERMINATE 7  // by force-unlock
#define DROP 8       // because its connection is lost
#define CUT 9        // the server ends the connection

hidden byte law_no_lost_update, law_read_stable, law_one_writer, law_once, law_told_truth, law_released;

// The tables.
byte value[PARTS], version[PARTS];  // the changes in a part, and their number
byte sessions;
bit row[SESSIONS + 1], held[SESSIONS + 1];  // the advisory lock
byte written[SESSIONS + 1], reads[SESSIONS + 1], batch[SESSIONS + 1];

byte commands;
byte cuts = CUTS, kills = KILLS, breaks = BREAKS;

// The history that laws need.
byte performed[SESSIONS + 1];
bit broken[SESSIONS + 1], was_cut[SESSIONS + 1];

#ifdef LOCK_NO_READ
#define READ_SET 0
#else
#define READ_SET bit_of(needed)
#endif
#define law_of_read law(read_stable, changed == needed || value[needed] == seen_needed)
#define NO_CONFLICT \
    other = 1; \
    do \
    :: other <= SESSIONS -> !excludes(session, other); other++ \
    :: else -> break \
    od; \
    other = 0
#define bit_of(part) (1 << (part))
#define excludes(one, other) \
    (row[other] && (other) != (one) && \
     ((written[one] & (written[other] | reads[other])) || (reads[one] & written[other])))

// The statement of an append, which the server performs as a whole or not at all. `done`: whether it has changed anything.
inline perform_append(session, part, number, text)
{
    done = false;
    if
#if defined(DROP_FENCE)
    :: true ->
#elif defined(REPEAT_APPEND)
    :: row[session] ->
#else
    :: row[session] && batch[session] == number - 1 ->
#endif
       law(once, performed[session] < number);
       performed[session] = number;
       batch[session] = number;
       other = 1;
       do
       :: other <= SESSIONS -> law(one_writer, !excludes(session, other)); other++
       :: else -> break
       od;
       other = 0;
       law(no_lost_update, (value[part] & ~(text)) == 0);
       value[part] = text;
       version[part]++;
       done = true
    :: else
    fi
}

// pg_database::drop_dead_sessions
inline drop_dead_sessions(own)
{
    other = 1;
    do
    :: other <= SESSIONS ->
       if
#ifdef DROP_LIVE
       :: row[other] && other != own -> row[other] = false
#else
       :: row[other] && other != own && !held[other] -> row[other] = false
#endif
       :: else
       fi;
       other++
    :: else -> break
    od;
    other = 0
}

// pg_database::lock, one transaction. `session`: 0 if there is a conflict.
inline start_session(changed, needed)
{
    drop_dead_sessions(0);
    sessions++;
    session = sessions;
    written[session] = changed;
    reads[session] = needed;
    // find_conflict
#ifndef IGNORE_CONFLICT
    other = 1;
    do
    :: other <= SESSIONS ->
       if
       :: excludes(session, other) -> session = 0; break
       :: else
       fi;
       other++
    :: else -> break
    od;
    other = 0;
#endif
    if
    :: session == 0 -> written[sessions] = 0; reads[sessions] = 0; sessions--
    :: session != 0 -> row[session] = true; held[session] = true
    fi
}

// The connection of a client is lost. Its server process goes on, with a statement or without.
inline lose(work)
{
    cuts--;
    was_cut[session] = true;
    zombie[who] = work;
    zombie_session[who] = session
}

#ifndef REPLAY
// Ends server processes whose connections are lost, before or after their statements.
active proctype server()
{
    byte who = SERVER, other, one;
    bit done;
end:
    do
    :: atomic {
           turn == SERVER + 1 ->
           if
           :: zombie[0] != 0 -> one = 0
           :: zombie[1] != 0 -> one = 1
           fi;
           if
           :: zombie[one] == BUSY ->
              perform_append(zombie_session[one], zombie_part[one], zombie_batch[one], zombie_value[one])
           :: true
           fi;
           held[zombie_session[one]] = false;
           zombie[one] = 0;
           zombie_session[one] = 0;
           zombie_part[one] = 0;
           zombie_batch[one] = 0;
           zombie_value[one] = 0;
           done = false;
           one = 0;
           turn = 0
       }
    od
}

// pg_database::resume: waits until the earlier server process has ended, and takes the advisory lock again.
inline resume()
{
    do
    :: zombie[who] != 0 -> yield
    :: zombie[who] == 0 -> break
    od;
    held[session] = true;
    if
    :: !row[session] -> held[session] = false; goto session_ended
    :: row[session]
    fi
}

// pg_database::append
inline append(part, number, text)
{
    yield;
    if
    :: perform_append(session, part, number, text)
    :: cuts > 0 ->  // the reply is lost, or the request, or the server has not performed it yet
       if
       :: perform_append(session, part, number, text); lose(IDLE)
       :: lose(IDLE)
       :: lose(BUSY);
          zombie_part[who] = part;
          zombie_batch[who] = number;
          zombie_value[who] = text
       fi;
       yield;
       resume();
       done = false;
#ifndef READ_NO_BATCH
       if
#ifdef REPEAT_APPEND
       :: false -> done = true
#else
       :: batch[session] == number -> done = true
#endif
       :: else
       fi;
#endif
       if
       :: !done -> perform_append(session, part, number, text)
       :: done
       fi
    :: kills > 0 -> kills--; cuts++; lose(IDLE); goto killed
    :: kills > 0 ->
       kills--; cuts++; lose(BUSY);
       zombie_part[who] = part; zombie_batch[who] = number; zombie_value[who] = text;
       goto killed
    fi;
    if
    :: !done -> goto session_ended
    :: done -> law(once, performed[session] == number)
    fi
}

proctype client(byte who)
{
    byte session, other, changed, needed, seen_changed, seen_needed, version_changed, version_needed, me;
    bit done;
    atomic {
        yield;
next:
        session = 0; changed = 0; needed = 0; seen_changed = 0; seen_needed = 0; version_changed = 0; version_needed = 0; me = 0;
        done = false;
        if
        :: commands == COMMANDS -> goto done_all
        :: commands < COMMANDS ->
           me = commands;
           commands++;
           if
           :: true
           :: breaks > 0 -> breaks--; goto force_unlock
           fi
        fi;
        // A plan: read_now, without exclusive locks.
        if
        :: changed = 0; needed = 1
        :: changed = 1; needed = 0
        :: changed = 0; needed = 0
        fi;
        seen_changed = value[changed];
        seen_needed = value[needed];
        version_changed = version[changed];
        version_needed = version[needed];
        yield;
        // session_lock::take
        start_session(bit_of(changed), READ_SET);
        if
        :: session == 0 -> yield; goto next  // refused
        :: session != 0
        fi;
        yield;
#ifndef TRUST_PLAN
        // lock_parts: current_versions
        if
        :: version[changed] != version_changed || version[needed] != version_needed -> goto end_session
        :: else
        fi;
#endif
        append(changed, 1, seen_changed | bit_of(me));
        law_of_read;
        append(changed, 2, seen_changed | bit_of(me));
end_session:
        yield;
        // pg_database::release
#ifndef FORGET_RELEASE
        row[session] = false;
#endif
        held[session] = false;
        law(released, !row[session]);
        yield;
        goto next;
session_ended:
        law(told_truth, (broken[session] || was_cut[session]) && !row[session]);
        held[session] = false;
        yield;
        goto next;
force_unlock:
        yield;
        // pg_database::terminate
        if
        :: sessions > 0 && row[sessions] -> row[sessions] = false; broken[sessions] = true
        :: sessions > 1 && row[sessions - 1] -> row[sessions - 1] = false; broken[sessions - 1] = true
        :: true
        fi;
        yield;
        goto next;
killed:
        yield;
        goto next;
done_all:
        finish_process
    }
}

init
{
    atomic { run client(0); run client(1) }
}
#else
// Performs the actions of a trace, each only if the program may perform it: a session gets locks if find_conflict finds nothing, an append
// requires the row of its session and the next batch, and only a session whose connection was lost is dropped.
#define action (events[at] / 1000000)
#define about (events[at] % 10000)
active proctype server()
{
    byte other, session, changed, needed;
    do
    :: atomic {
           action == START || action == EXCHANGE ->
           session = about;
           changed = events[at + 1] / 64;
           needed = events[at + 1] % 64;
           (action == EXCHANGE -> row[session] : session == sessions + 1);
           sessions = (session > sessions -> session : sessions);
           row[session] = true;
           held[session] = true;
           written[session] = changed;
           reads[session] = needed;
           NO_CONFLICT;
           at++;
           seen
       }
    :: atomic {
           action == APPEND && row[about] && events[at + 1] == batch[about] + 1 ->
           session = about;
           held[session] = true;  // pg_database::resume, if the connection was lost
           batch[session]++;
           NO_CONFLICT;
           at++;
           seen
       }
    :: atomic { action == CUT -> held[about] = false; seen }
    :: atomic { (action == RELEASE || action == TERMINATE) && row[about] -> row[about] = false; held[about] = false; seen }
    :: atomic { action == DROP && row[about] && !held[about] -> row[about] = false; seen }
    od
}
#endif
