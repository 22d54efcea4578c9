/** What callers and applications do, once for all lines (test/e2e/suite): here over a SIP trunk. */
import { sipOutside } from '../harness/lines/sip.ts'
import { calls } from './suite/calls.ts'
import { dialogues } from './suite/dialogues.ts'
import { runSuite } from './suite/run.ts'

runSuite('a SIP trunk', sipOutside, [...dialogues, ...calls])
