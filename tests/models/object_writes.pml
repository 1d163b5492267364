// SPDX-License-Identifier: BSL-1.0
// Conditional writes, locks and leases of states as documents: commands of several operators, one that breaks locks, and a network
// that loses requests and replies, or delivers a request late. A command is killed at any request.
//
// Functions: object_state (state/backends/object_state.cpp) with the stores s3_objects, gcs_objects and azure_blobs, http_state with
// the server document_store, and remote_backend::force_unlock.
//
// variant S3: lock objects, whose versions are hashes of their texts; so are those of documents
// variant GCS: lock objects; each write has a new version
// variant AZURERM: a lease of the document, described in its metadata
// variant HTTP: locks and serials that the server compares
//
// law no_lost_update: what a command was told is saved stays in the document, whoever writes it next.
// law one_writer: a command writes nothing if another one has written since its read.
// law holder_writes: a command writes nothing if it had lost its lock before the write began.
// law one_holder: two commands hold the lock only if that of one of them was broken by force-unlock.
// law own_lock_only: a removal of a lock removes the lock that it names and no other one.
// law own_lock_known: a command is never refused because of its own lock.
// law no_false_alarm: a command is told that another one has overtaken it only if that is so.
// law releasable: a lock that a command holds has a description with its id until it is released, so that it can be broken.
//
// run HTTP: begin 0 0, lock 0 1, get 0 0, put 0 1001, begin 2 2001, unlock 2 1, end 2 0, put 0 2, get 0 9, unlock 0 1, end 0 0: a command that was refused succeeds if its text is in the document
// no run HTTP: begin 0 0, lock 0 1, get 0 0, begin 2 2001, unlock 2 1, end 2 0, put 0 2, get 0 0, unlock 0 1, end 0 0: a command that was refused fails if its text is not there
//
// bounds LOSSES=1 KILLS=1 LATE=0 LAST=1: a command is killed
// bounds S3 GCS LOSSES=2 KILLS=0 LATE=0 LAST=3: three writes, more losses
//
// fault IGNORE_CONDITION S3 GCS: no_lost_update: a document is written whatever its version is
// fault LOCK_ANYWAY S3 GCS: one_holder: a lock object replaces another one
// fault KEEP_NO_LOCK S3 GCS: holder_writes: the lock is not read before a write
// fault REMOVE_ANY_VERSION S3 GCS: own_lock_only: a lock object is removed whatever its version is
// fault REMOVE_UNREAD S3 GCS: own_lock_only: the id of a lock is not compared before it is removed
// fault TAKE_VERSION S3 GCS: one_writer: after a refusal the write is repeated with the new version, whatever the text is
// fault KNOW_LAST_ATTEMPT S3 GCS AZURERM LOSSES=2 KILLS=0 LATE=0 LAST=3: no_false_alarm: only the last of the writes without a reply is remembered
// fault DISOWN_LOCK S3 GCS: own_lock_known: a lock that was taken by a request without a reply is that of another
// fault WRITE_WITHOUT_LEASE AZURERM: holder_writes: writes do not name the lease
// fault DESCRIBE_LESS AZURERM: releasable: the description is removed before the lease is released
// fault WRITE_WITHOUT_ID HTTP: no_false_alarm: a write does not name the lock
// fault IGNORE_LOCK HTTP: holder_writes: the server does not compare the lock of a write
// fault LOCK_AGAIN HTTP: one_writer: the server gives a lock to a request whose lock was released before
// fault UNLOCK_ANY HTTP: own_lock_only: the server does not compare the id of a lock that is released

#if !defined(S3) && !defined(GCS) && !defined(AZURERM) && !defined(HTTP)
#define S3
#endif
#if defined(S3) || defined(GCS)
#define LOCK_OBJECTS
#endif
#ifdef REPLAY
#define LOSSES 0
#define KILLS 0
#define BREAKS 0
#define LATE 0
#define LAST 7
#define number short
#define COMMANDS_OF_TRACE 256
#else
#ifndef LOSSES
#define LOSSES 1    // requests or replies that are lost
#define KILLS 0     // commands that are killed
#define LATE 1      // requests that arrive after their sender has given up
#define LAST TEXTS_OF_STORE
#endif
#define COMMANDS 3  // of two operators
#define BREAKS 1    // uses of force-unlock
#define number byte
#endif
#ifdef AZURERM
#define TEXTS_OF_STORE 1
#else
#define TEXTS_OF_STORE 2  // the number of the last text of a command
#endif

// A text of a document is a number: that of the command that has made it, and its number among those of the command.
#define TEXTS 8
#define text_of(command, n) ((command) * TEXTS + (n))
#define author_of(text) ((text) / TEXTS)

// Events of a trace, with the operator, and the answer of the server. DELIVERED or LOST: whether the reply reaches the command.
#define BEGIN 1
#define END 2
#define GET 3
#define PUT 4
#define LOCK 5
#define UNLOCK 6
#define LOOK 7      // reads the lock
#define DESCRIBE 8  // writes the description of a lease
#define DELIVERED 0
#define LOST 1000

// Kinds of commands.
#define APPLY 0
#define READ 1
#define FORCE_UNLOCK 2

// Answers. A request that was lost, or whose reply was, has none.
#define NOTHING 0
#define DONE 1
#define REFUSED 2
#define LOCK_LOST 3

hidden byte law_no_lost_update, law_one_writer, law_holder_writes, law_one_holder, law_own_lock_only, law_own_lock_known,
    law_no_false_alarm, law_releasable;

#define NETWORK 2  // in the place of an operator

// The server.
number document, version;  // the text, and the version: 0 if there is no document; a lock of azurerm makes an empty one
number versions;           // that were given to documents
number lock_of;            // the command whose lock is held; 0: none
number described;          // the command that the description of the lease names; 0: none
number serial;             // of the document

number commands;           // that were begun
byte losses = LOSSES, kills = KILLS, breaks = BREAKS;

// A request that the network has not delivered yet: the third process.
byte late = LATE, late_action;
number late_first, late_second, late_third;
#define third_may_run (late_action != 0)

#include "laws.inc"

// The history that laws need, by command.
#ifndef REPLAY
byte contents;   // the commands whose changes are in the document
byte saved;      // those that were told so
byte released;   // those whose locks the server has released
byte told[COMMANDS + 1];  // the changes in the document that a command has read
bit reading[COMMANDS + 1], overtaken[COMMANDS + 1], holds[COMMANDS + 1], broken[COMMANDS + 1], lost_before[COMMANDS + 1];
#define bit_of(command) (1 << (command))
#endif

inline note_write(command)
{
#ifndef REPLAY
    law(one_writer, !overtaken[command]);
#ifdef LOCK_OBJECTS
    law(holder_writes, who == NETWORK || !lost_before[command]);
#else
    law(holder_writes, lock_of == command);
#endif
    contents = told[command] | bit_of(command);
    law(no_lost_update, (saved & ~contents) == 0);
    other = 1;
    do
    :: other <= COMMANDS ->
        if
        :: other != command && reading[other] -> overtaken[other] = true
        :: else
        fi;
        other++
    :: else -> break
    od;
    other = 0
#else
    skip
#endif
}

inline note_begin_of_write(command)
{
#ifndef REPLAY
    lost_before[command] = (lock_of != command)
#else
    skip
#endif
}


inline note_lock(command)
{
#ifndef REPLAY
    other = 1;
    do
    :: other <= COMMANDS ->
        law(one_holder, other == command || !holds[other] || broken[other]);
        other++
    :: else -> break
    od;
    other = 0
#else
    skip
#endif
}

inline note_removal(command)
{
    law(own_lock_only, lock_of == command || lock_of == 0)
}

// The actions of the server. `fate`: DELIVERED or LOST. An answer that is lost is NOTHING.

inline set_document(text)
{
    document = text;
#ifdef S3
    version = text  // a hash
#else
    versions++;
    version = versions
#endif
}

inline answer(value, fate)
{
    got = (fate == DELIVERED -> value : NOTHING)
}

#if defined(WRITE_WITHOUT_LEASE)
#define has_lease(command) (lock_of == 0 || lock_of == (command))
#elif defined(AZURERM)
#define has_lease(command) (version == 0 || lock_of == (command))
#else
#define has_lease(command) true
#endif
#if defined(IGNORE_CONDITION)
#define matches(wanted) true
#else
#define matches(wanted) (version == (wanted))
#endif
#if defined(IGNORE_LOCK)
#define has_lock(command) true
#elif defined(WRITE_WITHOUT_ID)
#define has_lock(command) (lock_of == 0)
#else
#define has_lock(command) (lock_of == (command))
#endif

// object_store::put of a document, or the server's document_store::put. `wanted` is the version or, with HTTP, the serial.
inline put(fate, command, text, wanted)
{
    atomic {
        if
#ifdef HTTP
        :: see(PUT, who, DONE + fate) && has_lock(command) && (wanted > serial || document == text) ->
            seen;
            if
            :: document != text -> note_write(command); document = text; serial = wanted
            :: else
            fi;
            answer(DONE, fate)
        :: see(PUT, who, REFUSED + fate) && !(has_lock(command) && (wanted > serial || document == text)) ->
            seen; answer(REFUSED, fate)
#else
        :: see(PUT, who, DONE + fate) && has_lease(command) && matches(wanted) ->
            seen;
            if
            :: text != 0 -> note_write(command)
            :: else  // the document of a lock
            fi;
            set_document(text);
            there_version = version; answer(DONE, fate)
        :: see(PUT, who, REFUSED + fate) && !matches(wanted) -> seen; answer(REFUSED, fate)
        :: see(PUT, who, LOCK_LOST + fate) && !has_lease(command) -> seen; answer(LOCK_LOST, fate)
#endif
        fi
    }
}

#ifdef HTTP
#define known(version, serial) serial
#else
#define known(version, serial) version
#endif
inline get(fate)
{
    atomic { see(GET, who, document + fate) -> seen; there = document; there_version = known(version, serial); answer(DONE, fate) }
}

#if defined(HTTP) && defined(REPLAY)
bit released_in_trace[COMMANDS_OF_TRACE];
#define was_released(command) released_in_trace[command]
#elif defined(HTTP) && !defined(LOCK_AGAIN)
#define was_released(command) (released & bit_of(command))
#else
#define was_released(command) false
#endif
#ifdef HTTP
#define is_free(command) (!was_released(command) && (lock_of == 0 || lock_of == (command)))
#else
#define is_free(command) (lock_of == 0)
#endif
// Lock objects, or a lock of the server.
inline put_lock(fate, command, unused, unused_too)
{
    atomic {
        if
#if defined(LOCK_ANYWAY)
        :: note_lock(command); lock_of = command; answer(DONE, fate)
#else
        :: see(LOCK, who, DONE + fate) && is_free(command) ->
            seen; note_lock(command); lock_of = command; there = command; answer(DONE, fate)
        :: see(LOCK, who, REFUSED + fate) && !is_free(command) ->
            seen; there = lock_of; answer(REFUSED, fate)
#endif
        fi
    }
}
#ifdef REMOVE_ANY_VERSION
#define is_removed(command, wanted) (lock_of != 0)
#else
#define is_removed(command, wanted) (lock_of == (wanted) && lock_of != 0)
#endif

// `wanted`: the version of the lock object, which is that of the command that has made it.
inline remove_lock(fate, command, wanted, unused)
{
    atomic {
        if
        :: see(UNLOCK, who, DONE + fate) && is_removed(command, wanted) ->
            seen; note_removal(command); lock_of = 0; answer(DONE, fate)
        :: see(UNLOCK, who, REFUSED + fate) && !is_removed(command, wanted) -> seen; answer(REFUSED, fate)
        fi
    }
}

inline look(fate)
{
    atomic { see(LOOK, who, lock_of + fate) -> seen; there = lock_of; answer(DONE, fate) }
}

// The server's document_store::unlock.
#ifdef UNLOCK_ANY
#define is_own(command) true
#else
#define is_own(command) (lock_of == (command))
#endif
inline unlock_server(fate, command, unused, unused_too)
{
    atomic {
        if
        :: see(UNLOCK, who, DONE + fate) && (lock_of == 0 || is_own(command)) ->
            seen;
            note_removal(command);
#ifndef REPLAY
            released = released | bit_of(command);
#elif defined(HTTP)
            released_in_trace[command] = 1;
#endif
            lock_of = 0;
            answer(DONE, fate)
        :: see(UNLOCK, who, REFUSED + fate) && lock_of != 0 && !is_own(command) -> seen; answer(REFUSED, fate)
        fi
    }
}

// A lease of azurerm. Its state: 0 there is no document, 1 it is not leased, otherwise the described command + 2.
inline head(fate)
{
    atomic {
        see(LOOK, who, (version == 0 -> 0 : (lock_of == 0 -> 1 : described + 2)) + fate) ->
        seen;
        there = (version == 0 -> 0 : (lock_of == 0 -> 1 : described + 2));
        answer(DONE, fate)
    }
}
inline acquire(fate, command, unused, unused_too)
{
    atomic {
        if
        :: see(LOCK, who, DONE + fate) && version != 0 && (lock_of == 0 || lock_of == command) ->
            seen; note_lock(command); lock_of = command; answer(DONE, fate)
        :: see(LOCK, who, REFUSED + fate) && !(version != 0 && (lock_of == 0 || lock_of == command)) ->
            seen; answer(REFUSED, fate)
        fi
    }
}
// `lease`: the command that the request names; 0: none. `text`: the command to be described; 0: none.
inline write_metadata(fate, lease, text, unused)
{
    atomic {
        if
        :: see(DESCRIBE, who, DONE + fate) && version != 0 && lock_of == lease ->
            seen; described = text; versions++; version = versions;
#ifndef REPLAY
            law(releasable, lock_of == 0 || !holds[lock_of] || described == lock_of);
#endif
            answer(DONE, fate)
        :: see(DESCRIBE, who, REFUSED + fate) && !(version != 0 && lock_of == lease) -> seen; answer(REFUSED, fate)
        fi
    }
}
inline release(fate, command, unused, unused_too)
{
    atomic {
        if
        :: see(UNLOCK, who, DONE + fate) && lock_of == command && lock_of != 0 ->
            seen; note_removal(command); lock_of = 0; answer(DONE, fate)
        :: see(UNLOCK, who, REFUSED + fate) && !(lock_of == command && lock_of != 0) -> seen; answer(REFUSED, fate)
        fi
    }
}

// http::send: a request is sent until there is a reply, or its sender gives up. A command may be killed before and after it. In a replay,
// requests that were not performed are no events: the sender gives up at once.
#ifdef REPLAY
#define read_by(action) \
    got = NOTHING; \
    do \
    :: got != NOTHING -> break \
    :: got == NOTHING -> \
       yield; \
       if \
       :: action(DELIVERED) \
       :: action(LOST) \
       :: break \
       fi \
    od
#define send_seen(action, first, second, third) \
    got = NOTHING; \
    do \
    :: action(DELIVERED, first, second, third); break \
    :: action(LOST, first, second, third); yield; if :: true :: true -> break fi \
    od
#define send_once(action, first, second, third) \
    yield; \
    if \
    :: action(DELIVERED, first, second, third) \
    :: action(LOST, first, second, third) \
    :: got = NOTHING \
    fi
#define send(action, first, second, third) \
    yield; \
    if \
    :: send_seen(action, first, second, third) \
    :: got = NOTHING \
    fi
#else
#define read_by(action) \
    got = NOTHING; \
    do \
    :: got != NOTHING -> break \
    :: got == NOTHING -> \
       yield; \
       if \
       :: action(DELIVERED) \
       :: losses > 0 -> losses--; if :: true :: true -> break fi \
       :: kills > 0 -> kills--; goto killed \
       fi \
    od
#define send_once(action, first, second, third) \
    yield; \
    got = NOTHING; \
    if \
    :: action(DELIVERED, first, second, third) \
    :: losses > 0 -> losses--; action(LOST, first, second, third) \
    :: losses > 0 -> losses-- \
    :: late > 0 && losses > 0 -> \
       late--; losses--; \
       late_action = is_##action; late_first = first; late_second = second; late_third = third \
    :: kills > 0 -> kills--; goto killed \
    :: kills > 0 -> kills--; action(LOST, first, second, third); goto killed \
    fi
#define send(action, first, second, third) \
    do \
    :: send_once(action, first, second, third); \
       if \
       :: got != NOTHING -> break \
       :: got == NOTHING \
       :: got == NOTHING -> break \
       fi \
    od
#define send_seen send
#endif

#define is_put 1
#define is_put_lock 2
#define is_remove_lock 3
#define is_unlock_server 4
#define is_acquire 5
#define is_write_metadata 6
#define is_release 7

#if LATE > 0
// Delivers a late request.
active proctype network()
{
    number who = NETWORK, got, there, there_version;
    byte other;
end:
    do
    :: atomic {
           turn == NETWORK + 1 ->
           if
           :: late_action == is_put -> put(LOST, late_first, late_second, late_third)
#if defined(HTTP)
           :: late_action == is_put_lock -> put_lock(LOST, late_first, 0, 0)
           :: late_action == is_unlock_server -> unlock_server(LOST, late_first, 0, 0)
#elif defined(AZURERM)
           :: late_action == is_acquire -> acquire(LOST, late_first, 0, 0)
           :: late_action == is_write_metadata -> write_metadata(LOST, late_first, late_second, 0)
           :: late_action == is_release -> release(LOST, late_first, 0, 0)
#else
           :: late_action == is_put_lock -> put_lock(LOST, late_first, 0, 0)
           :: late_action == is_remove_lock -> remove_lock(LOST, late_first, late_second, 0)
#endif
           fi;
           late_action = 0;
           late_first = 0;
           late_second = 0;
           late_third = 0;
           there_version = 0;
           turn = 0
       }
    od
}
#endif

// The functions of the program. `result`: of a lock HELD, NOT_HELD or FAILED, of other functions SUCCESS, CONFLICT or FAILED.
#define HELD 1
#define NOT_HELD 2
#define FAILED 3
#define SUCCESS 4
#define CONFLICT 5

#ifdef AZURERM
#define described_now (there - 2)
#else
#define described_now there
#endif
#ifdef REMOVE_UNREAD
#define REMOVABLE(command) true
#else
#define REMOVABLE(command) (described_now == (command))
#endif

#ifdef DISOWN_LOCK
#define is_mine(command) false
#else
#define is_mine(command) (there == (command))
#endif

#if defined(LOCK_OBJECTS)
// object_state::make_lock_object
inline lock()
{
    do
    :: send(put_lock, me, 0, 0);
       if
       :: got == NOTHING -> result = FAILED; break
       :: got == DONE -> result = HELD; break
       :: got == REFUSED ->
          read_by(look);
          if
          :: got == NOTHING -> result = FAILED; break
          :: got == DONE && there == 0  // released meanwhile
          :: got == DONE && there != 0 ->
             result = (is_mine(me) -> HELD : NOT_HELD);
             law(own_lock_known, there != me || result == HELD);
             break
          fi
       fi
    od
}
// object_state::remove_lock_object
inline unlock(command)
{
    tries = 0;
    do
    :: tries++;
       read_by(look);
       if
       :: got == NOTHING -> result = FAILED; break
       :: got == DONE && (there == 0 || (!REMOVABLE(command) && tries > 1)) -> result = SUCCESS; break
       :: got == DONE && there != 0 && !REMOVABLE(command) && tries == 1 -> result = CONFLICT; break
       :: got == DONE && there != 0 && REMOVABLE(command) ->
          send_once(remove_lock, command, there, 0);
          if
          :: got != NOTHING -> result = SUCCESS; break
          :: got == NOTHING && tries < 5
          :: got == NOTHING -> result = FAILED; break
          fi
       fi
    od;
    tries = 0
}
#elif defined(HTTP)
// http_state::lock and http_state::unlock
inline lock()
{
    send(put_lock, me, 0, 0);
    result = (got == NOTHING -> FAILED : (got == DONE || is_mine(me) -> HELD : NOT_HELD));
    law(own_lock_known, got == NOTHING || there != me || result == HELD)
}
inline unlock(command)
{
    send(unlock_server, command, 0, 0);
    result = (got == NOTHING -> FAILED : (got == DONE -> SUCCESS : CONFLICT))
}
#else
// azure_blobs::lock
inline lock()
{
    read_by(head);
    if
    :: got == DONE && there == 0 ->
       send(put, me, 0, 0);  // an empty document
       if
       :: got != NOTHING -> there = 1
       :: else -> there = 0
       fi
    :: else
    fi;
    if
    :: got == NOTHING -> result = FAILED
    :: got != NOTHING && there > 1 -> result = (there - 2 == me -> HELD : NOT_HELD)
    :: got != NOTHING && there <= 1 ->
       send(acquire, me, 0, 0);
       if
       :: got == NOTHING -> send(release, me, 0, 0); result = FAILED
       :: got == REFUSED ->
          read_by(head);
          result = (got == NOTHING -> FAILED : (there - 2 == me -> HELD : NOT_HELD))
       :: got == DONE ->
          read_by(head);  // describe_lock
          if
          :: got == DONE -> send(write_metadata, me, me, 0)
          :: else
          fi;
          if
          :: got == DONE -> result = HELD
          :: else -> send(release, me, 0, 0); result = FAILED
          fi
       fi
    fi
}
// azure_blobs::unlock
inline unlock(command)
{
    read_by(head);
    if
    :: got == NOTHING -> result = FAILED
    :: got == DONE && there <= 1 -> result = SUCCESS
    :: got == DONE && there > 2 && !REMOVABLE(command) -> result = CONFLICT
    :: got == DONE && (there == 2 || (there > 2 && REMOVABLE(command))) ->
       tries = there;
#ifdef DESCRIBE_LESS
       if
       :: tries > 2 -> send(write_metadata, tries - 2, 0, 0)
       :: else
       fi;
#endif
       send(release, command, 0, 0);
       if
       :: got == REFUSED ->  // it may have been released before, without a reply
          read_by(head);
          if
          :: got == DONE && there > 1 -> got = LOCK_LOST
          :: else
          fi
       :: else
       fi;
       if
       :: got == NOTHING -> result = FAILED
       :: got == LOCK_LOST -> result = CONFLICT
       :: got == DONE ->
#ifndef DESCRIBE_LESS
          if
          :: tries > 2 -> send(write_metadata, 0, 0, 0)
          :: else
          fi;
#endif
          result = SUCCESS
       fi
    fi;
    tries = 0
}
#endif
// object_state::check_lock
#if defined(LOCK_OBJECTS) && !defined(KEEP_NO_LOCK)
#define CHECK_LOCK \
    read_by(look); \
    if \
    :: got == NOTHING -> result = FAILED \
    :: got == DONE && there != me -> result = CONFLICT \
    :: got == DONE && there == me \
    fi
#else
#define CHECK_LOCK skip
#endif

#ifdef KNOW_LAST_ATTEMPT
#define REMEMBER unconfirmed = 1 << n
#else
#define REMEMBER unconfirmed = unconfirmed | (1 << n)
#endif
#ifdef TAKE_VERSION
#define is_expected true
#else
#define is_expected (there == text || there == known_text || (author_of(there) == me && (unconfirmed >> (there % TEXTS)) & 1))
#endif

// object_state::put, http_state::put
inline put_document(text)
{
    result = 0;
    CHECK_LOCK;
    note_begin_of_write(me);
#ifdef HTTP
    send_seen(put, me, text, known_version + n);  // the serial
    result = (got == NOTHING -> FAILED : (got == DONE -> SUCCESS : CONFLICT))
#else
    do
    :: result != 0 -> break
    :: result == 0 ->
#ifndef KNOW_LAST_ATTEMPT
       REMEMBER;
#endif
       send_seen(put, me, text, known_version);
       if
       :: got == NOTHING -> REMEMBER; result = FAILED
       :: got == LOCK_LOST -> result = CONFLICT
       :: got == DONE -> known_version = there_version; known_text = text; unconfirmed = 0; result = SUCCESS
       :: got == REFUSED ->
          read_by(get);  // object_store::get_again
          if
          :: got == NOTHING -> result = FAILED
          :: got == DONE && !is_expected -> result = CONFLICT
          :: got == DONE && is_expected && there == text ->
             known_version = there_version; known_text = text; unconfirmed = 0; result = SUCCESS
          :: got == DONE && is_expected && there != text -> known_version = there_version
          fi
       fi
    od
#endif
}
#ifdef REPLAY
#define last_text sent
#define note_holds(command, value) skip
#define note_read(command) skip
#define note_saved(command) skip
#define note_end(command) skip
#define note_broken(command) skip
#define law_of_conflict(command) skip
#else
#define last_text text_of(me, n)
#define note_holds(command, value) holds[command] = value
#define note_read(command) reading[command] = true; overtaken[command] = false; told[command] = contents
#define note_saved(command) saved = saved | bit_of(command)
#define note_end(command) reading[command] = false
#define note_broken(command) broken[command] = true
#define law_of_conflict(command) \
    law(no_false_alarm, result != CONFLICT || overtaken[command] || broken[command] || lock_of != command)
#endif
#ifdef AZURERM
#define HOLDER head
#define NO_HOLDER 2
#else
#define HOLDER look
#define NO_HOLDER 0
#endif

#define BEGUN(kind) atomic { \
        see(BEGIN, who, (kind) * 1000) && commands < COMMANDS && (kind != FORCE_UNLOCK || breaks > 0) -> \
        seen; commands++; me = commands \
    }
#ifdef REPLAY
#define COMMANDS 30000
#endif

// A command: remote_backend::lock, state_client::get, appends with state_client::put, the destructor of remote_lock.
proctype operator(byte who)
{
    number me, there, there_version, known_version, known_text, n, result, got;
    number tries;
    byte other, unconfirmed;
#ifdef REPLAY
    number sent;  // the last text of this operator
#endif
    bit failed, remains;
    atomic {
    yield;
next:
    me = 0; there = 0; there_version = 0; known_version = 0; known_text = 0; n = 0; result = 0; got = 0; unconfirmed = 0;
    failed = false;
    remains = false;
    if
    :: BEGUN(APPLY)
#ifdef REPLAY
    :: atomic {
           events[at] >= EVENT(BEGIN, who, FORCE_UNLOCK * 1000) && events[at] < EVENT(BEGIN, who, (FORCE_UNLOCK + 1) * 1000) ->
           known_text = events[at] % 10000 - FORCE_UNLOCK * 1000;
           at++;
           commands++;
           me = commands
       }
       goto break_lock
#else
    :: BEGUN(FORCE_UNLOCK) -> goto break_lock
#endif
#ifdef REPLAY
    :: BEGUN(READ) ->
       do
       :: yield;
          if
          :: get(DELIVERED)
          :: get(LOST)
          :: break
          fi
       od;
       goto ended
#else
    :: commands == COMMANDS -> goto done
#endif
    fi;
    do
    :: lock();
       if
       :: result == NOT_HELD  // -lock-timeout
#ifdef REPLAY
       :: result == NOT_HELD -> failed = true; goto ended
#endif
       :: result != HELD -> failed = true; goto ended
       :: result == HELD -> break
       fi
    od;
    note_holds(me, true);
    read_by(get);
    if
    :: got == NOTHING -> failed = true; goto finish
    :: got == DONE -> known_version = there_version; known_text = there; note_read(me)
    fi;
    n = 0;
    unconfirmed = 0;
#ifdef REPLAY
    if
    :: sent != 0 -> put_document(sent); failed = (result != SUCCESS)  // a text of an earlier command, from the mirror
    :: true
    fi;
#endif
    do
    :: n < LAST ->
       n++;
       put_document(text_of(me, n));
       failed = (result != SUCCESS);
#ifdef REPLAY
       sent = text_of(me, n);
#endif
       law_of_conflict(me);
    :: result == CONFLICT || n == LAST -> break
#ifdef REPLAY
    :: break
#endif
    od;
    // mirrored_store::end_generation reads the document after a failure: if that has its text, only a reply was lost.
    if
    :: !failed
#ifdef REPLAY
    :: !failed -> failed = true    // the mirror has conflicting changes
    :: failed
#endif
    :: failed ->
       read_by(get);
       failed = !(got == DONE && there == last_text && there != known_text)
    fi;
#ifndef REPLAY
    if
    :: !failed && n > 0 -> note_saved(me)
    :: else
    fi;
#endif
finish:
    note_holds(me, false);
    note_end(me);
    unlock(me);
    remains = (result != SUCCESS);
    goto ended;
break_lock:
    // remote_backend::force_unlock, with the id that an earlier command was told
#ifndef HTTP
#ifdef REPLAY
    read_by(HOLDER);  // the command chooses a backend by its lock: the only one
#endif
    read_by(HOLDER);
    if
#ifdef REPLAY
    :: got == DONE && there > NO_HOLDER && described_now != known_text -> failed = true; goto ended
    :: else  // the holder is that one, or unknown: the lock is compared when it is removed
#else
    :: got == DONE && there > NO_HOLDER -> known_text = described_now
    :: else -> failed = true; goto ended
#endif
    fi;
#elif !defined(REPLAY)
    known_text = lock_of;
#endif
    note_broken(known_text);
    unlock(known_text);
    failed = (result != SUCCESS);
    goto ended;
killed:
    note_end(me);
    yield;
    goto next;
ended:
#ifdef REPLAY
    if
    :: atomic { see(END, who, failed) -> seen }
    :: atomic { see(END, who, true) && remains -> seen }
    fi;
#endif
    yield;
    goto next;
done:
    finish_process
    }
}

init
{
    atomic {
        run operator(0);
        run operator(1);
#ifdef REPLAY
        run operator(2)
#endif
    }
}
