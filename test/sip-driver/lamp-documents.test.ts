/** Lamps as telephones read them: each goes off when nothing is left, whatever it goes by, and no document is without a dialog. */
import fc from 'fast-check'
import t from 'tap'
import type { Lamp, WatchedDialog } from '../../drivers/pbx.ts'
import { FrameDecoder, parseMessage, type Message } from '../../drivers/sip/frames.ts'
import { LampBook } from '../../drivers/sip/lamps.ts'
import { faults, validates } from './dialog-info.ts'

interface Read {
  readonly id: string
  readonly state: string
}

/** How makers keep a lamp: what a document makes of what was before. */
const readers: Record<string, (before: Map<string, string>, dialogs: readonly Read[]) => Map<string, string>> = {
  // By the words of RFC 4235: a full document is all there is.
  'the whole state': (_, dialogs) => new Map(dialogs.map(({ id, state }) => [id, state])),
  // Each dialog by its id, whatever the document says of itself.
  'dialog by dialog': (before, dialogs) => new Map([...before, ...dialogs.map(({ id, state }) => [id, state] as const)]),
  // The last dialog, and nothing where there is none.
  'the last dialog': (before, dialogs) => (dialogs.length === 0 ? before : new Map([['', dialogs.at(-1)!.state]])),
}

const dialog = (id: string, state: WatchedDialog['state']): WatchedDialog => ({ id, state, direction: 'recipient' })
const [rings, talks, second] = [dialog('CA1', 'early'), dialog('CA1', 'confirmed'), dialog('CA2', 'confirmed')]
const call: WatchedDialog = {
  ...rings,
  callId: 'lamp-CA1',
  localTag: '101',
  remoteTag: 'lamp',
  remote: { name: 'Ann "A" Lee', uri: 'sip:5@pbx' },
}

/** A lamp of 101 as the engine reports it, and what is sent to it. */
class Watch {
  readonly bodies: string[] = []
  readonly #decoder = new FrameDecoder((_, payload) => this.#take(parseMessage(payload)))
  lamp: Lamp | null = null
  #documents = 0

  /** A daemon that begins, with what the engine still has. */
  begin(): void {
    const send = (frame: Buffer): void => this.#decoder.push(frame)
    const book = new LampBook({ send, realm: () => 'pbx', fault: (error) => t.error(error) })
    book.onLamp((lamp) => {
      this.lamp = lamp
      return { refreshed: () => undefined, ended: () => undefined }
    })
    const last = this.bodies.at(-1) ?? ''
    book.receive({
      t: 'subscribe',
      subscription: 1,
      extension: '102',
      event: 'dialog',
      to: '101',
      seconds: 600,
      documents: this.#documents,
      last,
    })
  }

  #take(message: Message): void {
    this.bodies.push(String(message['body']))
    this.#documents += 1
  }
}

const read = (body: string): Read[] =>
  [...body.matchAll(/<dialog id="([^"]*)"[^>]*><state>(\w+)<\/state>/g)].map(([, id = '', state = '']) => ({ id, state }))

const isLit = (lamp: ReadonlyMap<string, string>): boolean => [...lamp.values()].some((state) => state !== 'terminated')

/** What is shown one after the other; `again`: the daemon restarts. */
const courses: readonly (readonly [string, readonly (readonly WatchedDialog[] | 'again')[]])[] = [
  ['idle', [[]]],
  ['idle, twice', [[], []]],
  ['rings, given up', [[], [call], []]],
  ['rings, answered, ended', [[], [rings], [talks], []]],
  ['held and taken back, which is shown as a talk', [[], [talks], [talks], []]],
  ['two calls, the first ends first', [[], [talks], [talks, second], [second], []]],
  ['two calls, both end at once', [[talks, second], []]],
  ['one call after the other in one moment', [[talks], [second], []]],
  ['answered at another phone', [[call], []]],
  ['the daemon begins anew in a talk that goes on', [[], [talks], 'again', [talks], []]],
  ['the daemon begins anew, and the talk is over', [[talks], 'again', []]],
  ['the daemon begins anew while it rings, then another call', [[rings], 'again', [second], []]],
  ['more calls than a phone keeps', [Array.from({ length: 12 }, (_, n) => dialog(`CA${n}`, 'confirmed')), [second], []]],
]

function play(shown: readonly (readonly WatchedDialog[] | 'again')[]): Watch {
  const watch = new Watch()
  watch.begin()
  for (const dialogs of shown) {
    if (dialogs === 'again') watch.begin()
    else watch.lamp!.showDialogs(dialogs)
  }
  return watch
}

for (const [name, shown] of courses) {
  t.test(name, async (t) => {
    const { bodies } = play(shown)
    const states = shown.filter((each) => each !== 'again')
    t.equal(bodies.length, states.length)
    for (const [maker, next] of Object.entries(readers)) {
      let lamp = new Map<string, string>()
      for (const [n, body] of bodies.entries()) {
        lamp = next(lamp, read(body))
        t.equal(isLit(lamp), states[n]!.length > 0, `${maker}, document ${n}`)
      }
    }
    for (const [n, body] of bodies.entries()) {
      t.match(body, `version="${n}" state="full" entity="sip:101@pbx"`)
      t.ok(read(body).length > 0, 'there is a dialog in every document')
      if (validates) t.equal(faults(body), '')
    }
  })
}

t.test('any course of any calls leaves every lamp as it is in the end', async () => {
  const some = fc.uniqueArray(fc.constantFrom('a', 'b', 'c&"<', 'CA1'), { maxLength: 4 })
  const step = fc.oneof(
    { weight: 5, arbitrary: some.map((ids) => ids.map((id) => dialog(id, 'confirmed'))) },
    fc.constant('again' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (shown) => {
      const course = [...shown, [] as WatchedDialog[]]
      const { bodies } = play(course)
      return Object.values(readers).every(
        (next) => !isLit(bodies.reduce((lamp, body) => next(lamp, read(body)), new Map<string, string>())),
      )
    }),
  )
})

t.test('whom a call is with stands in "display"', async (t) => {
  t.match(play([[call]]).bodies[0], '<remote><identity display="Ann &#34;A&#34; Lee">sip:5@pbx</identity></remote>')
  t.match(
    play([[call]]).bodies[0],
    '<dialog id="CA1" call-id="lamp-CA1" local-tag="101" remote-tag="lamp" direction="recipient"><state>early',
  )
  t.match(play([[]]).bodies[0], '<dialog id="101"><state>terminated</state></dialog>')
})
