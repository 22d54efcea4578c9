/** What callers and applications do, once for all lines (test/e2e/suite): here over a modem of one way at a time, what an application and its caller say to each other. */
import { analogOutside } from '../harness/lines/analog.ts'
import { dialogues } from './suite/dialogues.ts'
import { runSuite } from './suite/run.ts'

runSuite('a modem, one way at a time', () => analogOutside({ fullDuplex: false, shielded: false, format: 'unsigned' }), dialogues)
