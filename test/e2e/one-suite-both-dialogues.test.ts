/** What callers and applications do, once for all lines (test/e2e/suite): here over a modem that hears while it speaks, what an application and its caller say to each other. */
import { analogOutside } from '../harness/lines/analog.ts'
import { dialogues } from './suite/dialogues.ts'
import { runSuite } from './suite/run.ts'

runSuite('a modem, both ways', () => analogOutside({}), dialogues)
