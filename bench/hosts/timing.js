// Turns. Clocks of browsers are coarse, so what is timed is a batch of calls, long enough for the clock of the engine.

/** Times of one side in one turn add up to about this many milliseconds. */
const TURN = 20
/** What runs before them in a turn; with several threads longer, since those that have slept share one core at first. */
const TURN_WARM_UP = 5
const THREADS_TURN_WARM_UP = 150
/** A batch is that many steps of the clock long, and at least so many milliseconds. */
const CLOCK_STEPS = 50
const BATCH = 0.2

/**
 * Lets the sides take turns and gives the nanoseconds of a call for each batch of each side. Each first runs for `warmUp` milliseconds,
 * while the engine compiles it better. `threads` says that some side has several.
 */
export function compare(sides, { rounds, warmUp, threads = false }) {
  const plans = Object.entries(sides).map(([name, operation]) => ({ name, operation, batch: plan(runFor(operation, warmUp)), times: [] }))
  for (let round = 0; round < rounds; round++) {
    for (const { operation, batch, times } of plans) {
      runFor(operation, threads ? THREADS_TURN_WARM_UP : TURN_WARM_UP)
      for (let turn = 0; turn < batch.perTurn; turn++) times.push(Math.round(1e6 * time(operation, batch.calls)))
    }
  }
  return Object.fromEntries(plans.map(({ name, times }) => [name, times]))
}

/** Runs all operations in turn for some milliseconds, each at least once. */
export function warmUp(operations, milliseconds) {
  const start = performance.now()
  do {
    for (const { run, free } of operations) free(run())
  } while (performance.now() - start < milliseconds)
}

/** Milliseconds of one call, over so many. */
function time({ run, free }, calls) {
  const start = performance.now()
  for (let call = 0; call < calls; call++) free(run())
  return (performance.now() - start) / calls
}

/** Calls for at least so long; the milliseconds of a call at the end. */
function runFor(operation, milliseconds) {
  const start = performance.now()
  for (let calls = 1; ; calls *= 2) {
    const perCall = time(operation, calls)
    // A clock that did not move says nothing yet.
    if (performance.now() - start >= milliseconds && perCall > 0) return perCall
    if (perCall * calls * 2 > milliseconds) calls = Math.max(1, calls >> 2)
  }
}

function plan(perCall) {
  const length = Math.max(BATCH, CLOCK_STEPS * clockStep())
  const calls = Math.max(1, Math.ceil(length / perCall))
  return { calls, perTurn: Math.max(2, Math.ceil(TURN / (calls * perCall))) }
}

let step

/** The least by which the clock moves, in milliseconds. */
function clockStep() {
  if (step !== undefined) return step
  step = Infinity
  for (let moves = 0; moves < 20; moves++) {
    const before = performance.now()
    let now = before
    while (now === before) now = performance.now()
    step = Math.min(step, now - before)
  }
  return step
}
