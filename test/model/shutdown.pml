// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A model of the end of an application: a coordinator and three nodes that
// exchange messages at logical times while they agree on a final tag, end by
// themselves or are aborted. Run by check.sh, which lists the settings.
//
// Process types
//   coordinator  engine::negotiation, driven by actor/coordinator
//   node         engine::node; one step is one activation of its actor
//   clock        elapsed time (only if a node has a physical action)
//   caller       a thread that never stops scheduling that action
//
// The settings are environment variables, which are read at the start, so that
// one verifier can be used for all (numbers, 0 if not set):
//   GRAPH        1: 0 -> 1 -> 2; 2: 0 -> 2 with a delay, and 1 -> 2;
//                3: a loop 0 -> 1 -> 0, with a delay on the way back, and 1 -> 2
//   LAST         tags are 1 .. LAST; later events are omitted
//   TIMERS       set of nodes (bits) that may wake themselves at the next tag
//   EXTERNAL     the node that has a physical action, plus 1
//   REQUESTS     set of nodes (bits) that may each request an end, once, for
//                their own tag or for one of the two after it
//   SIGNALS      number of signals: requests for `never`
//   FAULTS       number of failures; each one an error of a node, a node that
//                vanishes, or a deadline that passes (or a second signal)
//   STOP_AFTER   a final tag that is known from the start
//   MUTATION     the mistake in the protocol, see below

c_decl {
static int option(const char* name) {
  const char* value = getenv(name);
  return value == NULL ? 0 : atoi(value);
}
}

// Excluded from the states, because it is constant.
hidden byte mutation;
#define NO_BARRIER_BEFORE_THE_FINAL_TAG (mutation == 1)
#define WAITS_FOR_ALL_THAT_WERE_ASKED   (mutation == 2)
#define ASKS_THE_GONE                   (mutation == 3)
#define IGNORES_THE_PROPOSAL            (mutation == 4)
#define OVERWRITES_THE_ROUND            (mutation == 5)
#define CLEANS_UP_TWICE                 (mutation == 6)
#define ANSWERS_THE_PROPOSAL            (mutation == 7)
#define LEAVES_WITHOUT_WAITING          (mutation == 8)
#define FORGETS_THOSE_THAT_LEFT         (mutation == 9)
#define NEVER_CLOSES                    (mutation == 10)
#define WAITS_FOR_THE_VANISHED          (mutation == 11)
#define ABORTS_ONLY_THOSE_ASKED         (mutation == 12)
#define RUNS_PAST_ITS_REQUEST           (mutation == 13)
#define HOLDS_FOR_EVER                  (mutation == 14)

#define NODES 3
#define LINKS 3
#define IN_SET(set, x) (((set) >> (x)) & 1)
#define MIN(x, y) ((x) < (y) -> (x) : (y))
#define MAX(x, y) ((x) > (y) -> (x) : (y))

// -- section 1: logical time --------------------------------------------------

hidden byte LAST;
#define NEVER 0
#define FIRST 1
#define FOREVER 7 // also every tag past LAST: nothing happens there

#define PLUS(tag, d) ((tag) + (d) > LAST -> FOREVER : (tag) + (d))

// -- section 2: the graph -----------------------------------------------------

#define NOBODY NODES

hidden byte source[LINKS] = NOBODY;
hidden byte target[LINKS] = NOBODY;
hidden byte delay[LINKS];
hidden byte loop; // the links 0 and 1 are in a loop
hidden byte timers;
hidden byte external = NOBODY; // the node that has a physical action

#define INSIDE(c) (loop && (c) < 2)

// -- messages -----------------------------------------------------------------

mtype = {data, promise, no_more,         // from node to node
         ask, final_tag, end_now,        // from coordinator to node
         request, answer, failure, exit} // from node to coordinator

// Channels are FIFO, one per connection, and one per node and direction. A
// promise can only grow, so a connection holds at most five messages.
chan link[LINKS] = [5] of {mtype, byte, byte}; // arrival, promise
chan down[NODES] = [5] of {mtype, byte, byte};        // tag, requested tag
chan up[NODES] = [5] of {mtype, mtype, byte};         // how it ended, tag

// -- state of the nodes -------------------------------------------------------

// The last four states are final, in the terms of engine::ending.
mtype = {live, failed, done, at_final, aborted, vanished}

mtype state[NODES] = live;
byte queue[NODES];                 // a bit for each tag with an event
byte last[NODES] = NEVER;          // the last executed tag
byte stat0[NODES] = FIRST;         // STAT without the barrier
byte barrier[NODES] = FOREVER;     // shutdown_time_barrier
byte own[NODES] = FOREVER;         // its own undecided request
byte final[NODES] = FOREVER;       // the final tag, if known
byte requested[NODES] = FOREVER;   // the requested tag
byte promised[LINKS] = FIRST;      // the receiver's view of the connection
byte announced[LINKS] = FIRST;     // the sender's
byte in_transit[LINKS];            // a bit for each arrival in the channel
bool closed_link[LINKS];           // the receiver received no_more
byte may_request;                  // nodes whose request is pending
byte faults;                       // remaining failures

byte elapsed = FIRST;              // physical time
byte last_stamp = NEVER;           // of the node with a physical action
bool closed = false;               // it accepts no more calls

#define HAS_LEFT(i) (state[i] != live && state[i] != failed)
#define ORDERLY(how) (how == done || how == at_final)
#define BIT(tag) (1 << (tag))
#define LEAST(set)                                                             \
  (((set) & 2) -> 1 : (((set) & 4) -> 2 : (((set) & 8) -> 3 :                  \
  (((set) & 16) -> 4 : FOREVER))))
// Every node starts at the first tag.
#define LOGICAL(i) MAX(last[i], FIRST)
#define NEXT(i) LEAST(queue[i])
#define TAKES_CALLS(i) (external == i && !closed)

// -- variables of the properties, not part of the protocol --------------------

byte shutdowns[NODES];   // calls of shutdown()
byte asked_for[NODES] = FOREVER; // as `own`, independent of the node's behavior
byte floor = NEVER;      // the highest logical time of a node when asked
bool must_end;           // there is a reason to end
bool finished = false;   // run() has returned

// -- state of the coordinator -------------------------------------------------

mtype = {running, asked, answered, gone}

mtype known[NODES] = running;
chan requests = [4] of {byte};
byte alive = NODES;
byte unanswered = 0;
bool in_round = false;
bool by_abort = false;
byte proposal = NEVER;
byte highest = NEVER;      // of this round's answers
bool counts[NODES];       // has left after a final tag was fixed
byte highest_left = NEVER; // of nodes that left after a final tag was fixed
byte agreed = FOREVER;
byte signals;

// -- section 4: safe to advance to --------------------------------------------

#define BOUND(i, x) (target[x] == i && !INSIDE(x) -> promised[x] : FOREVER)

// An entry of the loop time table: queued, or in transit to the member. A
// member that left has no entry, unless it was aborted.
#define ENTRY(i, inward)                                                       \
  ((state[i] == done || state[i] == at_final)                                  \
    -> FOREVER                                                                 \
    : MIN(NEXT(i), LEAST(in_transit[inward])))

// No message with a tag below stat0 can still arrive. The loop time table is
// shared memory: a step of one member moves the bounds of all.
inline refresh() {
  for (c : 0 .. NODES - 1) {
    stat0[c] = MIN(BOUND(c, 0), MIN(BOUND(c, 1), BOUND(c, 2)))
  }
  c = 0;
  if
  :: loop ->
     here = ENTRY(0, 1);
     there = ENTRY(1, 0);
     stat0[0] = MIN(LEAST(in_transit[1]), MIN(PLUS(here, 1), PLUS(there, 1)));
     stat0[1] = MIN(LEAST(in_transit[0]), MIN(here, PLUS(there, 1)));
     here = 0;
     there = 0
  :: else
  fi
}

// The barrier is applied after the bounds, anew each time.
#define STAT(i) MIN(stat0[i], PLUS(MIN(barrier[i], own[i]), 1))

// An execution is safe below STAT: at the barrier, not beyond it.
#define MAY_EXECUTE(i)                                                         \
  (state[i] == live && NEXT(i) < stat0[i] && NEXT(i) <= barrier[i]             \
   && NEXT(i) <= own[i])

// A node with a physical action promises nothing beyond the later of elapsed
// time and its next microstep.
#define BASE(i)                                                                \
  MIN(MIN(NEXT(i), STAT(i)),                                                   \
      (TAKES_CALLS(i) -> MAX(elapsed, PLUS(LOGICAL(i), 1)) : FOREVER))
#define PROMISE(c) PLUS(BASE(source[c]), delay[c])

// A promise that has grown is sent to silent connections, unless the receiver
// has left. Inside a loop, the loop time table has it.
#define TO_ANNOUNCE(i, c)                                                      \
  (source[c] == i && !INSIDE(c) && state[i] == live && !HAS_LEFT(target[c])    \
   && PROMISE(c) > announced[c])
#define HAS_TO_ANNOUNCE(i)                                                     \
  (TO_ANNOUNCE(i, 0) || TO_ANNOUNCE(i, 1) || TO_ANNOUNCE(i, 2))

inline send_to(x, what, arrival, p) {
  assert(nfull(link[x]));
  link[x]!what(arrival, p)
}

inline announce(i) {
  for (c : 0 .. LINKS - 1) {
    if
    :: TO_ANNOUNCE(i, c) ->
       announced[c] = PROMISE(c);
       send_to(c, promise, NEVER, announced[c])
    :: else
    fi
  }
  c = 0
}

// First everything is recorded as in transit, so that no promise overlooks a
// message that returns through a loop.
inline record(i) {
  for (c : 0 .. LINKS - 1) {
    if
    :: source[c] == i && !HAS_LEFT(target[c]) && now + delay[c] <= LAST ->
       in_transit[c] = in_transit[c] | BIT(now + delay[c])
    :: else
    fi
  }
  c = 0
}

// The output of a reaction at `now` is sent on all its connections.
inline emit(i) {
  for (c : 0 .. LINKS - 1) {
    if
    :: source[c] == i && PLUS(now, delay[c]) <= LAST ->
       if
       :: HAS_LEFT(target[c]) ->
          // Nothing lost: no node leaves while a message may still arrive to
          // which it must react.
          assert(state[target[c]] != done);
          assert(state[target[c]] != at_final
                 || now + delay[c] > final[target[c]])
       :: else ->
          if
          :: !INSIDE(c) -> announced[c] = PROMISE(c)
          :: else
          fi;
          send_to(c, data, now + delay[c], announced[c])
       fi
    :: else
    fi
  }
  c = 0
}

inline take_in(i, x) {
  link[x]?kind(tag, other);
  if
  :: kind == data ->
     // No late message, no broken promise.
     assert(tag > last[i]);
     assert(INSIDE(x) || tag >= promised[x]);
     in_transit[x] = in_transit[x] & ~BIT(tag);
     queue[i] = queue[i] | BIT(tag)
  :: kind == no_more -> closed_link[x] = true
  :: else
  fi;
  if
  :: !INSIDE(x) -> promised[x] = other
  :: else
  fi
}

// -- section 3: a node at a tag -----------------------------------------------

// A reaction may request an end: for its own tag, or for a later one. This tag
// is then a barrier until the coordinator decides.
inline react_by_request(i) {
  if
  :: IN_SET(may_request, i) ->
     may_request = may_request & ~BIT(i);
     must_end = true;
     if
     :: asked_for[i] = LOGICAL(i)
     :: LOGICAL(i) + 1 <= LAST -> asked_for[i] = LOGICAL(i) + 1
     :: LOGICAL(i) + 2 <= LAST -> asked_for[i] = LOGICAL(i) + 2
     fi;
     up[i]!request(live, asked_for[i]);
     own[i] = (RUNS_PAST_ITS_REQUEST -> FOREVER : asked_for[i])
  :: true
  fi
}

inline execute(i) {
  now = NEXT(i);
  // Work after the final tag never starts.
  assert(now <= agreed);
  assert(now <= asked_for[i]);
  queue[i] = queue[i] & ~BIT(now);
  last[i] = now;
  if
  :: IN_SET(timers, i) && now < LAST -> queue[i] = queue[i] | BIT(now + 1)
  :: true
  fi;
  react_by_request(i);
  if
  :: d_step { true -> record(i); refresh(); emit(i); announce(i); now = 0 }
  :: d_step { true -> refresh(); announce(i); now = 0 }
  fi
}

// -- section 5: ending --------------------------------------------------------

// Everything up to and including the final tag is executed, and no message for
// it can arrive.
#define PAST_FINAL(i)                                                          \
  (state[i] == live && final[i] != FOREVER && NEXT(i) > final[i]               \
   && !TAKES_CALLS(i) && (stat0[i] > final[i] || LEAVES_WITHOUT_WAITING))

// Every upstream has said no_more, or the loop time table holds only `forever`.
#define CLOSED(i, x) (target[x] != i || INSIDE(x) || closed_link[x])
#define NOTHING_COMES(i)                                                       \
  (CLOSED(i, 0) && CLOSED(i, 1) && CLOSED(i, 2)                                \
   && (!loop || i == 2                                                         \
       || (ENTRY(0, 1) == FOREVER && ENTRY(1, 0) == FOREVER)))
#define DONE(i)                                                                \
  (state[i] == live && NEXT(i) == FOREVER && external != i              \
   && barrier[i] == final[i] && NOTHING_COMES(i))

// A node with a physical action accepts calls until it knows a final tag and
// elapsed time is past the requested one.
#define MAY_CLOSE(i)                                                           \
  (state[i] == live && TAKES_CALLS(i) && final[i] != FOREVER                   \
   && elapsed > requested[i] && !NEVER_CLOSES)

// shutdown() runs once, then the outputs are closed. After an abort, this
// node's silence is no promise.
inline leave(i, how) {
  assert(shutdowns[i] == 0);
  shutdowns[i]++;
  // Nothing lost in transit.
  for (c : 0 .. LINKS - 1) {
    assert(how != at_final || target[c] != i
           || LEAST(in_transit[c]) > final[i]);
    assert(how != done || target[c] != i || in_transit[c] == 0)
  }
  c = 0;
  assert(how != at_final || last[i] <= final[i]);
  state[i] = how;
  close_links(i, how)
}

inline close_links(i, how) {
  for (c : 0 .. LINKS - 1) {
    if
    :: source[c] == i && ORDERLY(how) && !HAS_LEFT(target[c]) ->
       send_to(c, no_more, NEVER, FOREVER)
    :: target[c] == i ->
       // Its mailbox is dropped.
       do
       :: link[c]?_(_, _)
       :: empty(link[c]) -> break
       od;
       in_transit[c] = 0;
       promised[c] = FIRST;
       announced[c] = FIRST;
       closed_link[c] = false
    :: else
    fi
  }
  c = 0;
  barrier[i] = FOREVER;
  own[i] = FOREVER;
  asked_for[i] = FOREVER;
  requested[i] = FOREVER;
  queue[i] = (how == aborted || how == vanished -> queue[i] : 0);
  refresh()
}

// Each node answers max(its logical time, the proposal), and sets its barrier
// just past the answer.
inline take_ask(i) {
  floor = MAX(floor, LOGICAL(i));
  if
  :: ANSWERS_THE_PROPOSAL -> other = MAX(tag, FIRST)
  :: IGNORES_THE_PROPOSAL -> other = LOGICAL(i)
  :: else -> other = MAX(LOGICAL(i), tag)
  fi;
  if
  :: NO_BARRIER_BEFORE_THE_FINAL_TAG
  :: else -> barrier[i] = other
  fi;
  requested[i] = tag;
  up[i]!answer(live, other)
}

inline take_from_coordinator(i) {
  down[i]?kind(tag, other);
  if
  :: kind == ask && !HAS_LEFT(i) -> take_ask(i)
  :: kind == final_tag && !HAS_LEFT(i) ->
     barrier[i] = tag;
     final[i] = tag;
     requested[i] = other;
     // This is the node's own request. After a different one, its own follows.
     if
     :: other == own[i] && !HOLDS_FOR_EVER -> own[i] = FOREVER
     :: else
     fi;
     asked_for[i] = (other == asked_for[i] -> FOREVER : asked_for[i])
  :: kind == end_now && (!HAS_LEFT(i) || CLEANS_UP_TWICE) -> leave(i, aborted)
  :: else // it has left
  fi;
  if
  :: !HAS_LEFT(i) -> announce(i)
  :: else
  fi
}

proctype node(byte me) {
  mtype kind;
  byte tag, other, now, c;
  byte here, there;

  do
  :: d_step {
       nempty(down[me]) ->
       take_from_coordinator(me);
       kind = 0; tag = 0; other = 0
     }
  :: d_step {
       target[0] == me && nempty(link[0]) && state[me] == live ->
       take_in(me, 0); refresh(); announce(me);
       kind = 0; tag = 0; other = 0
     }
  :: d_step {
       target[1] == me && nempty(link[1]) && state[me] == live ->
       take_in(me, 1); refresh(); announce(me);
       kind = 0; tag = 0; other = 0
     }
  :: d_step {
       target[2] == me && nempty(link[2]) && state[me] == live ->
       take_in(me, 2); refresh(); announce(me);
       kind = 0; tag = 0; other = 0
     }
  :: atomic { MAY_EXECUTE(me) -> execute(me) }
  :: d_step { HAS_TO_ANNOUNCE(me) -> announce(me) }
  :: d_step { MAY_CLOSE(me) -> closed = true; announce(me) }
  :: d_step { PAST_FINAL(me) -> leave(me, at_final) }
  :: d_step { DONE(me) && !PAST_FINAL(me) -> leave(me, done) }
  :: d_step {
       // An error: the node executes nothing more, and waits for the end.
       faults > 0 && state[me] == live ->
       faults--;
       must_end = true;
       state[me] = failed;
       up[me]!failure(failed, NEVER)
     }
  :: d_step {
       // Its process is killed, or its connection is lost.
       faults > 0 && !HAS_LEFT(me) ->
       faults--;
       must_end = true;
       state[me] = vanished;
       close_links(me, vanished)
     }
  // Its exit is reported after shutdown(), and messages received before it are
  // void.
  :: d_step {
       HAS_LEFT(me) ->
       if
       :: state[me] != vanished -> up[me]!exit(state[me], LOGICAL(me))
       :: else
       fi;
       do
       :: down[me]?_(_, _)
       :: empty(down[me]) -> break
       od
     };
     break
  od
}

// -- section 5: the coordinator -----------------------------------------------

// A message to an exited actor is dropped.
inline send_down(to, what, first, second) {
  if
  :: HAS_LEFT(to) && shutdowns[to] == 0 // it vanished
  :: else -> assert(nfull(down[to])); down[to]!what(first, second)
  fi
}

inline begin_round(wanted) {
  in_round = true;
  proposal = wanted;
  highest = NEVER;
  floor = NEVER;
  unanswered = (ASKS_THE_GONE -> NODES : alive);
  for (j : 0 .. NODES - 1) {
    if
    :: known[j] != gone -> known[j] = asked; send_down(j, ask, wanted, wanted)
    :: else
    fi
  }
}

// A later request for a tag at or above the final one has no effect. For a
// lower tag, another round follows the current one.
inline next_request() {
  do
  :: !in_round && alive > 0 && len(requests) > 0 ->
     requests?x;
     if
     :: x < agreed -> begin_round(x)
     :: else
     fi
  :: else -> break
  od;
  x = 0
}

// The final tag is the maximum of all answers and of the tags executed by nodes
// that left at an earlier final tag.
inline end_round() {
  in_round = false;
  agreed = highest;
  highest = NEVER;
  if
  :: FORGETS_THOSE_THAT_LEFT
  :: else -> agreed = MAX(agreed, highest_left)
  fi;
  if
  :: IGNORES_THE_PROPOSAL
  :: else -> agreed = MAX(agreed, proposal)
  fi;
  // At or after the request, and at or after the logical time of every node
  // when it was asked.
  assert(agreed >= proposal);
  assert(agreed >= floor);
  // And not later than necessary: it answers exactly this request.
  assert(agreed == MAX(MAX(proposal, floor), highest_left)
         || FORGETS_THOSE_THAT_LEFT);
  for (j : 0 .. NODES - 1) {
    // No node that it binds is past it.
    assert((state[j] == done && !counts[j]) || state[j] == vanished
           || last[j] <= agreed);
    if
    :: known[j] != gone -> send_down(j, final_tag, agreed, proposal)
    :: else
    fi
  }
  floor = NEVER;
  proposal = NEVER;
  next_request()
}

inline take_request(wish) {
  if
  :: by_abort || alive == 0
  :: !by_abort && alive > 0 && OVERWRITES_THE_ROUND ->
     if
     :: wish < agreed -> begin_round(wish)
     :: else
     fi
  :: else ->
     requests!wish;
     if
     :: !in_round -> next_request()
     :: else
     fi
  fi
}

inline take_answer(i) {
  if
  :: known[i] == asked ->
     known[i] = answered;
     highest = MAX(highest, tag);
     unanswered--;
     if
     :: unanswered == 0 && !by_abort -> end_round()
     :: else
     fi
  :: else
  fi
}

// Nodes that exit before answering count as answered.
inline take_exit(i, way, at) {
  if
  :: known[i] == gone
  :: else ->
     owed = (known[i] == asked);
     known[i] = gone;
     alive--;
     if
     // A node may be done because its senders left at the final tag.
     :: way == at_final || (way == done && agreed != FOREVER) ->
        counts[i] = true;
        highest_left = MAX(highest_left, at)
     :: else
     fi;
     if
     :: owed && !WAITS_FOR_ALL_THAT_WERE_ASKED ->
        unanswered--;
        if
        :: unanswered == 0 && !by_abort -> end_round()
        :: else
        fi
     :: else
     fi;
     owed = false
  fi
}

inline abort_all() {
  if
  :: by_abort
  :: else ->
     by_abort = true;
     in_round = false;
     unanswered = 0;
     do
     :: requests?_
     :: empty(requests) -> break
     od;
     for (j : 0 .. NODES - 1) {
       if
       :: known[j] == gone
       :: known[j] == running && ABORTS_ONLY_THOSE_ASKED
       :: else -> send_down(j, end_now, NEVER, NEVER)
       fi;
       if
       :: known[j] == asked -> known[j] = answered
       :: else
       fi
     }
  fi
}

inline take_from_node(i) {
  up[i]?kind(how, tag);
  if
  :: kind == request -> take_request(tag)
  :: kind == answer -> take_answer(i)
  :: kind == failure -> abort_all()
  :: kind == exit -> take_exit(i, how, tag)
  fi;
  kind = 0; how = 0; tag = 0; j = 0
}

// A node that vanishes without a report is an error, and is not waited for.
inline take_down(i) {
  abort_all();
  if
  :: WAITS_FOR_THE_VANISHED -> known[i] = gone
  :: else -> take_exit(i, aborted, NEVER)
  fi;
  j = 0
}

proctype coordinator() {
  mtype kind, how;
  byte tag, x, j;
  bool owed;

  do
  :: d_step { nempty(up[0]) -> take_from_node(0) }
  :: d_step { nempty(up[1]) -> take_from_node(1) }
  :: d_step { nempty(up[2]) -> take_from_node(2) }
  :: d_step {
       // A signal, which may arrive at any time, requests `never`.
       signals > 0 ->
       signals--;
       must_end = true;
       take_request(NEVER);
       j = 0
     }
  :: d_step { state[0] == vanished && known[0] != gone -> take_down(0) }
  :: d_step { state[1] == vanished && known[1] != gone -> take_down(1) }
  :: d_step { state[2] == vanished && known[2] != gone -> take_down(2) }
  :: d_step {
       // A deadline passes, or the second signal arrives.
       faults > 0 && alive > 0 ->
       faults--;
       must_end = true;
       abort_all();
       j = 0
     }
  :: alive == 0 -> break
  od;

  atomic {
    for (j : 0 .. NODES - 1) {
      // Exactly once, before the exit.
      assert(shutdowns[j] == (state[j] == vanished -> 0 : 1));
      assert(HAS_LEFT(j));
      // Agreement. A node that left at an earlier final tag, before it was
      // lowered, had no events between the two.
      assert(!counts[j] || last[j] <= agreed);
      assert(state[j] != at_final || final[j] >= agreed);
      // An abort has a reason.
      assert(by_abort || (state[j] != aborted && state[j] != vanished))
    }
    j = 0;
    finished = true
  }
}

// -- the outside --------------------------------------------------------------

proctype clock() {
  do
  :: d_step { elapsed < FOREVER -> elapsed = PLUS(elapsed, 1) }
  :: elapsed == FOREVER -> break
  od
}

// Values are stamped with the latest of elapsed time, the next microstep, and
// the microstep after the last stamp. Values past the final tag are dropped.
proctype caller() {
  byte stamp;
  do
  :: d_step {
       TAKES_CALLS(external) && state[external] == live ->
       stamp = MAX(MAX(elapsed, LOGICAL(external) + 1), last_stamp + 1);
       if
       :: stamp <= LAST && stamp <= final[external] ->
          last_stamp = stamp;
          queue[external] = queue[external] | BIT(stamp)
       :: else
       fi;
       stamp = 0
     }
  :: !TAKES_CALLS(external) || state[external] != live // false is returned
  od
}

inline connect(x, from, to, d) {
  source[x] = from;
  target[x] = to;
  delay[x] = d
}

init {
  byte i, c, here, there;
  atomic {
    c_code {
      mutation = option("MUTATION");
      LAST = option("LAST");
      timers = option("TIMERS");
      external = option("EXTERNAL");
      now.may_request = option("REQUESTS");
      now.signals = option("SIGNALS");
      now.faults = option("FAULTS");
      now.agreed = option("STOP_AFTER");
      Pinit->i = option("GRAPH");
    };
    if
    :: i == 1 -> connect(0, 0, 1, 0); connect(1, 1, 2, 0)
    :: i == 2 -> connect(0, 0, 2, 1); connect(1, 1, 2, 0)
    :: i == 3 ->
       loop = 1;
       connect(0, 0, 1, 0); connect(1, 1, 0, 1); connect(2, 1, 2, 0)
    fi;
    external = (external == 0 -> NOBODY : external - 1);
    must_end = (external == NOBODY);
    for (i : 0 .. NODES - 1) {
      if
      :: IN_SET(timers, i) -> queue[i] = BIT(FIRST)
      :: else
      fi;
      if
      :: agreed != 0 ->
         barrier[i] = agreed;
         final[i] = agreed;
         requested[i] = agreed
      :: else
      fi;
      // start() needs no permission. Its scheduled events are in the queue.
      react_by_request(i)
    }
    for (i : 0 .. NODES - 1) {
      refresh();
      announce(i);
      run node(i)
    }
    i = 0;
    // `stop_after` is a request made before the start.
    agreed = (agreed == 0 -> FOREVER : agreed);
    run coordinator();
    if
    :: external != NOBODY -> run clock(); run caller()
    :: else
    fi
  }
}

// Termination.
ltl terminates { [] (must_end -> <> finished) }
