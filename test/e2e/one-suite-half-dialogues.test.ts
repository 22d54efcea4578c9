/** What callers and applications do, once for all lines (test/e2e/suite): here over a modem of one way at a time, what an application and its caller say to each other. */
import { unsigned } from '../../drivers/sim/analog/modem-sound.ts'
import { analogOutside } from '../harness/lines/analog.ts'
import { dialogues } from './suite/dialogues.ts'
import { runSuite } from './suite/run.ts'

runSuite(
  'a modem, one way at a time',
  () => analogOutside({ fullDuplex: false, shielded: false, codings: [unsigned('1,"UNSIGNED PCM",8,0,8000,0,0')] }),
  dialogues,
)
