/** What callers and applications do, once for all lines (test/e2e/suite): some of it over a line of kind `sim`, which the daemon itself simulates. */
import { simOutside } from '../harness/lines/sim.ts'
import { calls } from './suite/calls.ts'
import { dialogues } from './suite/dialogues.ts'
import { runSuite } from './suite/run.ts'

const chosen = /^(say|gather|record|a call out)/
runSuite(
  'a line of kind sim',
  simOutside,
  [...dialogues, ...calls].filter(({ name }) => chosen.test(name)),
)
