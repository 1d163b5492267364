// SPDX-License-Identifier: BSL-1.0
// The mirror of a state on a server: two machines change the state and publish it, without a lock, while requests and replies are lost and
// commands are killed at any step.
//
// Functions: mirrored_store (state/backends/mirrored_store.cpp) over a state_client whose writes are conditional (object_writes.pml).
//
// law no_lost_update: each durable change is in the document, in a mirror that is not published yet, or in a rescue copy.
// law nothing_replaced: a document replaces only one whose changes it contains.
// law reads_all: what a command reads contains all changes of the document.
// law no_false_alarm: a command reports a conflict only if another machine has written the document.
//
// fault NOTE_FIRST: no_lost_update: a publication is noted before the document is written
// fault COPY_NOTHING: no_lost_update: the mirror is set aside without a rescue copy
// fault UPLOAD_ANYWAY: nothing_replaced: a document is written whatever the server has
// fault OVERLOOK_CHANGE: nothing_replaced: unpublished changes are published, whatever has changed on the server
// fault KEEP_MIRROR: nothing_replaced: changes are appended to a mirror that is older than the document
// fault COUNT_NOTHING: reads_all: a mirror with fewer entries than noted is not recognized
// fault FORGET_ATTEMPTS: no_false_alarm: documents that were sent without a reply are not noted

#define third_may_run false
#include "laws.inc"

#define BEGIN 1
#define END 2
#define LOCK_REMAINS 2  // a command that failed, and has not been told that its lock was released
#define GET 3
#define PUT 4
#define DONE 1
#define REFUSED 2
#define LOST 1000
#define OVERTAKEN 2000  // a write that was refused, after which the document is read again
#define FORBIDDEN 4000  // a write that was refused, with a final answer
#define MACHINES 2

#ifdef REPLAY
// A content is the number of a document: those of a machine are counted, also in the trace. A change makes a content without a number.
#define number short
#define LOSSES 0
#define KILLS 0
#define COMMANDS 250
#define FIRST(who) (((who) + 1) * 100)
#define last_name (FIRST(who) + named[who])
#define is_own(content) ((content) / 100 == who + 1)
short named[3];
#else
// A content is the set of its changes.
#define number byte
#ifndef LOSSES
#define LOSSES 2    // requests or replies that are lost
#define KILLS 1     // commands that are killed
#define COMMANDS 2  // of each machine
#endif
#define UPDATES 3   // changes of both machines
byte updates, durable, rescued;
#endif

hidden byte law_no_lost_update, law_nothing_replaced, law_reads_all, law_no_false_alarm;

number document;  // of the server; 0: none
byte writer;      // the machine that has written it, + 1
byte losses = LOSSES, kills = KILLS;

// The files on the disk of a machine.
number mirror[3], sequence[3], noted[3], noted_sequence[3];
#ifdef REPLAY
short named_before[3];  // the last content that had a number when a publication was noted: later ones were sent in vain
#define is_attempt(content) (is_own(content) && (content) > named_before[who])
#else
short attempts[3];  // a set of contents
#define is_attempt(content) ((attempts[who] >> (content)) & 1)
#endif

#ifdef REPLAY
#define check_updates skip
#else
#define unpublished(one) (sequence[one] > noted_sequence[one] -> mirror[one] : 0)
#define check_updates law(no_lost_update, (durable & ~(document | rescued | unpublished(0) | unpublished(1))) == 0)
#endif

// A step on the disk: the command may be killed before it.
#define step if :: true :: kills > 0 -> kills--; goto killed fi

inline read(text)
{
    yield;
    got = 0;
    do
    :: atomic { see(GET, who, document) -> seen; text = document; got = DONE; break }
#ifdef REPLAY
    :: atomic { see(GET, who, document + LOST) -> seen; yield }
    :: break
#else
    :: atomic { losses > 0 -> losses--; break }
    :: atomic { kills > 0 -> kills--; goto killed }
#endif
    od
}

inline get()
{
    read(there);
    if
    :: got == DONE -> known = there; unconfirmed = 0
    :: else
    fi
}

#ifdef REPLAY
#define is_sent(content) (unconfirmed != 0 && is_own(content) && (content) >= unconfirmed)  // since `known` was read or written
#ifdef HTTP  // it does not compare versions, but the lock
#define is_known(content) (document == known || is_sent(document))
#else
#define is_known(content) (document == known)
#endif
#else
#define is_known(content) (document == known || document == (content) || ((unconfirmed >> document) & 1))
#endif
#ifdef UPLOAD_ANYWAY
#define may_write(content) true
#else
#define may_write(content) is_known(content)
#endif

// state_client::put. It is written if the document is known: the one that was read or written last, or one that was sent without a reply.
#ifdef REPLAY
#define give_up_or_send_again if :: break :: true fi
inline put(content)
{
    yield;
    got = 0;
    if
    :: unconfirmed == 0 -> unconfirmed = content
    :: else
    fi;
    do
    :: see(PUT, who, content) && may_write(content) -> seen; note_write(content); known = content; unconfirmed = 0; got = DONE; break
    :: see(PUT, who, content + LOST) && may_write(content) -> seen; note_write(content); yield; give_up_or_send_again
    :: see(PUT, who, content + OVERTAKEN + LOST) -> seen; yield; give_up_or_send_again
    :: see(PUT, who, content + FORBIDDEN + LOST) -> seen; yield; give_up_or_send_again
    :: see(PUT, who, content + FORBIDDEN) -> seen; got = REFUSED; break
    :: see(PUT, who, content + OVERTAKEN) ->
       seen;
       read(again);  // object_store::get_again
       if
       :: got == 0 -> break
       :: got == DONE && again == content -> known = content; unconfirmed = 0; break
       :: got == DONE && again != content && (again == known || is_sent(again)) -> known = again; got = 0; yield; give_up_or_send_again
       :: got == DONE && again != content && again != known && !is_sent(again) -> got = REFUSED; break
       fi
    od
}
#else
inline put(content)
{
    yield;
    got = 0;
    do
    :: atomic { may_write(content) -> note_write(content); known = content; unconfirmed = 0; got = DONE; break }
    :: atomic {
           losses > 0 && may_write(content) ->
           losses--;
           note_write(content);
           if
           :: break
           :: true
           :: kills > 0 -> kills--; goto killed
           fi
       }
    :: atomic { !may_write(content) -> got = REFUSED; break }
    :: atomic { losses > 0 -> losses--; break }
    :: atomic { kills > 0 -> kills--; goto killed }
    od;
    if
    :: got == 0 -> unconfirmed = unconfirmed | (1 << content)
    :: else
    fi
}
#endif

inline note_write(content)
{
#ifndef REPLAY
    law(nothing_replaced, (document & ~(content)) == 0);
#endif
    document = content;
    writer = who + 1
}

inline note_publication(content, last)
{
    step;
    noted[who] = content;
    noted_sequence[who] = last;
#ifdef REPLAY
    named_before[who] = last_name;
#else
    attempts[who] = 0;
#endif
    check_updates
}

inline note_attempt(content)
{
    step;
#if !defined(REPLAY) && !defined(FORGET_ATTEMPTS)
    attempts[who] = attempts[who] | (1 << content)
#else
    skip
#endif
}

inline publish()
{
#ifdef NOTE_FIRST
    note_publication(mirror[who], sequence[who]);
#endif
#ifdef REPLAY
    if
    :: got = 0  // no request was performed
    :: has_name -> put(mirror[who])
    :: !has_name -> named[who]++; mirror[who] = last_name; has_name = true; put(mirror[who])
    fi;
#else
    put(mirror[who]);
#endif
    if
    :: got == DONE -> note_publication(mirror[who], sequence[who])
    :: got != DONE -> result = got; note_attempt(mirror[who]); got = result
    fi
}

#ifdef REPLAY
#define is_document_of(content) (has_name && (content) == mirror[who])
#else
#define is_document_of(content) ((content) == mirror[who])
#endif

inline set_aside()
{
    step;
    mirror[who] = 0;
    sequence[who] = 0;
#ifdef REPLAY
    has_name = true;
#endif
    check_updates
}

inline rescue()
{
    law(no_false_alarm, writer != who + 1);
    step;
#if !defined(REPLAY) && !defined(COPY_NOTHING)
    rescued = rescued | mirror[who];
#endif
    set_aside()
}

#ifdef COUNT_NOTHING
#define lacks_entries false
#else
#define lacks_entries (sequence[who] < noted_sequence[who])
#endif
#define changed_here (sequence[who] > noted_sequence[who])
#define changed_there (there != noted[who] || lacks_entries)

// \return `result`: whether the command can continue; `is_foreign`: with the document in `there`
inline read_now()
{
    result = false;
    is_foreign = false;
    get();
    if
    :: got == 0
    :: got == DONE && !changed_here && !changed_there -> result = true
    :: got == DONE && !changed_here && changed_there -> result = true; is_foreign = true
    :: got == DONE && changed_here ->
       if
#ifdef OVERLOOK_CHANGE
       :: true -> publish(); result = (got == DONE)
#else
       :: changed_there && !is_document_of(there) && !is_attempt(there) -> rescue()
       :: changed_there && is_document_of(there) -> note_publication(there, sequence[who]); result = true
       :: (!changed_there || is_attempt(there)) && !is_document_of(there) -> publish(); result = (got == DONE)
#endif
       fi
    fi;
#ifndef REPLAY
    law(reads_all, !result || is_foreign || (known & ~mirror[who]) == 0)
#endif
}

inline take_over()
{
    result = sequence[who] + (mirror[who] != there || lacks_entries);
    note_publication(there, result);
    step;
    mirror[who] = there;
    sequence[who] = result;
    is_foreign = false;
    check_updates
#ifdef REPLAY
    ; has_name = true
#endif
}

inline append_now()
{
    step;
    sequence[who]++;
#ifdef REPLAY
    has_name = false;
#else
    mirror[who] = mirror[who] | (1 << updates);
    durable = durable | (1 << updates);
    updates++;
#endif
    check_updates;
    if
    :: publish()  // after the interval; a failure is not final
    :: true
    fi
}

inline end_generation()
{
    if
    :: changed_here ->
       publish();
       result = (got == DONE);
       if
       :: !result ->
          get();
          if
          :: got == DONE && there != noted[who] && is_document_of(there) ->
             note_publication(there, sequence[who]); result = true
          :: got == DONE && there != noted[who] && !is_document_of(there) && !is_attempt(there) -> rescue(); result = false
          :: else
          fi
       :: else
       fi
    :: else -> result = true
    fi
}

proctype machine(byte who)
{
    number there, known, result, got;
    short unconfirmed;
    byte commands;
    bit is_foreign;
#ifdef REPLAY
    number again;
    bit has_name = true;  // the content of the mirror has a number
#endif
    atomic {
        yield;
next:
        there = 0;
        known = 0;
        unconfirmed = 0;
        result = 0;
        got = 0;
        is_foreign = false;
        if
        :: commands == COMMANDS -> goto done
        :: commands < COMMANDS -> commands++
        fi;
#ifdef REPLAY
        see(BEGIN, who, 0) -> seen;
#endif
        read_now();
        if
        :: !result -> goto ended
        :: result
        fi;
        if
#ifdef REPLAY
        :: goto ended  // it changes nothing, or it is not permitted to
#endif
        :: true
        fi;
#ifndef KEEP_MIRROR
        if
        :: is_foreign -> take_over()
        :: !is_foreign
        fi;
#endif
        do
#ifdef REPLAY
        :: has_name -> append_now()
#else
        :: updates < UPDATES -> append_now()
#endif
        :: break
        od;
        end_generation();
ended:
#ifdef REPLAY
        if
        :: see(END, who, (result -> 0 : 1)) -> seen
        :: see(END, who, LOCK_REMAINS) -> seen
        fi;
#endif
        yield;
        goto next;
killed:
        yield;
        goto next;
done:
        finish_process
    }
}

init
{
    atomic {
        run machine(0);
        run machine(1)
#ifdef REPLAY
        ; run machine(2)
#endif
    }
}
