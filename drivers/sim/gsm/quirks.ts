/** How modems depart from the manuals, as data: each of these was seen on some modem. */

export interface Quirks {
  /** Echoes although ATE0 was taken. */
  readonly echoes: boolean
  /** Bytes it says when it gets power. */
  readonly noise: string
  /** Milliseconds before an answer, before the prompt of AT+CMGS, and before the network's answer. */
  readonly answerMs: number
  readonly promptMs: number
  readonly networkMs: number
  /** How many prompts never come. */
  readonly lostPrompts: number
  /** How often a command that begins so stays without an answer. */
  readonly lostAnswers: Readonly<Record<string, number>>
  /** How often a command that begins so is answered late, and by how much. */
  readonly lateAnswers: Readonly<Record<string, readonly [times: number, ms: number]>>
  /** One of how many commands fails with ERROR; 0 for none. */
  readonly errorEvery: number
  /** Notices come between the lines of an answer. */
  readonly noticesInside: boolean
  /** Stored texts are not announced. */
  readonly forgetsNotices: boolean
  /** Says when the memory is full. */
  readonly tellsFull: boolean
  readonly noticeModes: readonly number[]
  /** What AT+CNMI takes for reports: handed over (1), stored (2). */
  readonly reportRoutes: readonly number[]
  /** AT+CSMS=1: wants AT+CNMA. */
  readonly phase2plus: boolean
  /** How long it waits for AT+CNMA; then it stops its notices, and the network sends again. */
  readonly acknowledgeMs: number
  readonly linksMessages: boolean
  readonly memories: readonly string[]
  readonly listsMessages: boolean
  /** Spells errors out whatever AT+CMEE says. */
  readonly wordyErrors: boolean
  /** How the rest of the PIN tries is asked; '' where it cannot be. */
  readonly pinCounter: '+CPINR' | '+QPINC' | '+SPIC' | '^CPIN' | ''
  /** Says nothing at all of what network it is on but for LTE. */
  readonly onlyLte: boolean
  /** AT+CPIN? fails with "SIM busy" so often. */
  readonly busyCard: number
}

export const plain: Quirks = {
  echoes: false,
  noise: '',
  answerMs: 1,
  promptMs: 2,
  networkMs: 5,
  lostPrompts: 0,
  lostAnswers: {},
  lateAnswers: {},
  errorEvery: 0,
  noticesInside: false,
  forgetsNotices: false,
  tellsFull: false,
  noticeModes: [0, 1, 2],
  reportRoutes: [0, 1, 2],
  phase2plus: true,
  acknowledgeMs: 15_000,
  linksMessages: true,
  memories: ['SM', 'ME'],
  listsMessages: true,
  wordyErrors: false,
  pinCounter: '+CPINR',
  onlyLte: false,
  busyCard: 0,
}
