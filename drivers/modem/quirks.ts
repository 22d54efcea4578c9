/** What makes modems differ, as data: found by what a modem says to ATI3, AT+GMM and AT+FMDL?. */

/** What makes modems differ where they run the fax themselves. */
export interface Class2Quirks {
  /** In class 2 received bytes come with their bits the wrong way round, whatever +FBOR says: nearly all chips do so. */
  readonly reversed: boolean
  /** What makes it give received data: DC2, or XON. */
  readonly start: number
  /** It leaves the end of the page (RTC) to us in class 2.0. */
  readonly wantsRtc: boolean
  /** Zeros ahead of each page, for chips that lose what comes right after CONNECT. */
  readonly leadIn: number
  /** Further commands of each call. */
  readonly setup: readonly string[]
  /** `early`: chips from before the final standard count their reasons otherwise. */
  readonly hangUps: 'standard' | 'early'
}

export interface Quirks {
  readonly name: string
  /** Words of identification. */
  readonly matches: RegExp
  /** Sent after ATZ and the common commands, in class 0. */
  readonly setup: readonly string[]
  /** Sent after AT+FCLASS=1: some change their flow control with the class. */
  readonly classSetup: readonly string[]
  /** In place of AT+VCID=1. */
  readonly callerId: string
  readonly rtscts: boolean
  /** Milliseconds of rest between a result and the next command. */
  readonly gapMs: number
  /** The class wanted where both are offered. */
  readonly prefer: '1' | '1.0'
  /** Without V.17, where its receiver is known to fail. */
  readonly noV17?: boolean
  readonly class2: Class2Quirks
}

export const standardClass2: Class2Quirks = { reversed: true, start: 0x12, wantsRtc: false, leadIn: 0, setup: [], hangUps: 'standard' }

const common: Omit<Quirks, 'name' | 'matches'> = {
  setup: ['AT&K3'],
  classSetup: [],
  callerId: 'AT+VCID=1',
  rtscts: true,
  gapMs: 20,
  prefer: '1',
  class2: standardClass2,
}

export const standardQuirks: Quirks = { ...common, name: 'standard', matches: /^/ }

/** The first that matches. */
export const quirksTable: readonly Quirks[] = [
  // Changes to XON/XOFF with the class. x2 and V.90 models need +FNR; its class 2.0 leaves out the end of the page.
  {
    ...common,
    name: 'USRobotics',
    matches: /u\.?s\.? ?robotics|sportster|courier|USR ?5637|^5601$/i,
    setup: ['AT&H1&I0&R2'],
    classSetup: ['AT&H1&I0&R2'],
    class2: { ...standardClass2, wantsRtc: true, setup: ['AT+FNR=1,1,1,0'] },
  },
  {
    ...common,
    name: 'Conexant',
    matches: /conexant|CX\d{4,}|CX93010|rockwell|^56000$/i,
    setup: ['AT&K3', 'AT-SCID=1;-STE=3'],
    classSetup: ['AT&K3'],
    gapMs: 100,
  },
  // CONNECT comes before training, and to +FRH=3 for any carrier: what is sent meanwhile waits in the port.
  { ...common, name: 'Lucent/Agere', matches: /lucent|agere|LT V\.?9\d|venus/i, gapMs: 100 },
  {
    ...common,
    name: 'Multi-Tech',
    matches: /multi-?tech|MT\d{4}/i,
    setup: ['AT&E4'],
    gapMs: 50,
    class2: { ...standardClass2, reversed: false },
  },
  // The first fax chips of Rockwell; PM14400 and its like wake up slowly behind CONNECT.
  {
    ...common,
    name: 'early Rockwell',
    matches: /RC?96|RC2388|2388-?8[89]/i,
    gapMs: 100,
    class2: { ...standardClass2, leadIn: 100, hangUps: 'early' },
  },
  // Nothing but the port itself: no control lines, no flow control to choose.
  { ...common, name: 'iaxmodem', matches: /iaxmodem/i, setup: [], rtscts: false, gapMs: 0 },
  { ...common, name: 'SpanDSP', matches: /soft-switch|spandsp/i, setup: [], rtscts: false, gapMs: 0 },
]

export function quirksOf(identification: readonly string[]): Quirks {
  return quirksTable.find(({ matches }) => identification.some((line) => matches.test(line))) ?? standardQuirks
}
