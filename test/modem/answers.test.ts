/** What modems say: result codes across chunk borders, caller identification, lists, quirks; pure tables and properties. */
import fc from 'fast-check'
import t from 'tap'
import { AtSession } from '../../drivers/modem/at-session.ts'
import { dialResult, dialText } from '../../drivers/modem/dialling.ts'
import { quirksOf } from '../../drivers/modem/quirks.ts'
import { callerOf, readCarriers, readClasses, readLine, ResultParser, type ModemEvent } from '../../drivers/modem/results.ts'
import { RingWatch } from '../../drivers/modem/ring-watch.ts'

function read(bytes: Uint8Array, cuts: readonly number[] = []): { events: ModemEvent[]; rest: Buffer } {
  const parser = new ResultParser()
  const events: ModemEvent[] = []
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (let i = 1; i < borders.length; i++) {
    const taken = parser.take(bytes.subarray(borders[i - 1]!, borders[i]!))
    events.push(...taken.events)
    if (events.at(-1)?.kind === 'result' && taken.events.length > 0) {
      const last = taken.events.at(-1)
      if (last?.kind === 'result' && last.code === 'connect')
        return { events, rest: Buffer.concat([taken.rest, bytes.subarray(borders[i]!)]) }
    }
  }
  return { events, rest: Buffer.alloc(0) }
}

/** As seen on soft modems of spandsp; the last as manuals print it. */
const dialogues: readonly (readonly [string, readonly string[]])[] = [
  ['ATZ\r\r\nOK\r\n', ['text', 'ok']],
  ['\r\n0,1,1.0\r\n\r\nOK\r\n', ['text', 'ok']],
  ['\r\nDATE=1121\r\n\r\nTIME=0640\r\n\r\nNAME=ALICE\r\n\r\nNMBR=100\r\n\r\nRING\r\n', ['caller', 'caller', 'caller', 'caller', 'ring']],
  [
    '\r\nRING\r\n\r\nDATE = 1121\r\nTIME = 0640\r\nNMBR = 5551234\r\nNAME = SMITH JOHN\r\n\r\nRING\r\n',
    ['ring', 'caller', 'caller', 'caller', 'caller', 'ring'],
  ],
  ['\r\nNO DIALTONE\r\n', ['no-dialtone']],
  ['\r\nNO DIAL TONE\r\n', ['no-dialtone']],
  ['\r\nDELAYED 00:01:30\r\n', ['delayed']],
  ['\r\nBLACKLISTED\r\n', ['blacklisted']],
  ['\r\n+FCERROR\r\n', ['fax-carrier-error']],
  ['\r\nNO CARRIER\r\n\r\nRING A\r\n', ['no-carrier', 'ring']],
]

const kinds = (events: readonly ModemEvent[]): string[] => events.map((event) => (event.kind === 'result' ? event.code : event.kind))

t.test('dialogues are understood wherever the chunks are cut', async (t) => {
  for (const [said, expected] of dialogues) {
    t.same(kinds(read(Buffer.from(said)).events), expected, JSON.stringify(said))
    fc.assert(fc.property(fc.array(fc.nat(200)), (cuts) => kinds(read(Buffer.from(said), cuts).events).join() === expected.join()))
  }
})

t.test('the data behind CONNECT are left alone, whatever they are', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat(200)), (data, cuts) => {
      const { events, rest } = read(Buffer.concat([Buffer.from('\r\nCONNECT\r\n'), data]), cuts)
      return kinds(events).join() === 'connect' && rest.equals(Buffer.from(data))
    }),
  )
  t.pass()
})

t.test('noise breaks nothing and is forgotten at the next line', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (noise) => {
      const quiet = Buffer.from(noise).filter((byte) => byte !== 0x4e)
      return kinds(read(Buffer.concat([Buffer.from(quiet), Buffer.from('\r\nOK\r\n')])).events).at(-1) === 'ok'
    }),
  )
  t.same(readLine('x'.repeat(100)), { kind: 'text', text: 'x'.repeat(100) })
})

t.test('who calls', async (t) => {
  for (const [fields, caller] of [
    [
      { NMBR: '5551234', NAME: 'SMITH JOHN' },
      { number: '5551234', name: 'SMITH JOHN' },
    ],
    [
      { NMBR: 'P', NAME: 'P' },
      { number: '', name: '' },
    ],
    [{ NMBR: 'O' }, { number: '', name: '' }],
    // A caller who withholds the number withholds the name.
    ...['P', 'p', '"P"', 'PRIVATE', 'Anonymous'].map(
      (NMBR) =>
        [
          { NMBR, NAME: 'SMITH JOHN' },
          { number: '', name: '' },
        ] as const,
    ),
    [
      { NMBR: 'O', NAME: 'SMITH JOHN' },
      { number: '', name: 'SMITH JOHN' },
    ],
    [
      { NMBR: '5551234', NAME: 'P' },
      { number: '5551234', name: '' },
    ],
    [
      { NMBR: '(555) 123-4', NAME: '"X"' },
      { number: '5551234', name: 'X' },
    ],
    [
      { DDN_NMBR: '01', NMBR: '' },
      { number: '01', name: '' },
    ],
  ] as const)
    t.same(callerOf(new Map(Object.entries(fields))), caller)
  for (const early of [true, false]) {
    const told: string[] = []
    const watch = new RingWatch(1, { rings: ({ number }) => told.push(number) > 0, quiet: () => undefined })
    if (!early) watch.ring()
    watch.caller('NMBR', '77')
    watch.caller('NAME', 'A')
    watch.ring()
    watch.ring()
    t.same(told, ['77'], 'once, with the number')
    watch.forget()
  }
})

t.test('lists and classes', async (t) => {
  t.same(readClasses(['0,1,1.0']), ['0', '1', '1.0'])
  t.same(readClasses(['+FCLASS: (0,1,2,2.0,8)']), ['0', '1', '2', '2.0', '8'])
  t.same(readClasses([]), [])
  t.same(readCarriers(['24,48,72,73,74']), [24, 48, 72, 73, 74])
  t.same(readCarriers(['+FTM: (3,24,(72-74))']), [3, 24, 72, 73, 74])
  t.equal(quirksOf(['www.soft-switch.org']).name, 'SpanDSP')
  t.equal(quirksOf(['U.S. Robotics 56K FAX USB V1.2.23']).name, 'USRobotics')
  t.equal(quirksOf(['CX93001-EIS_V0.2013-V92']).name, 'Conexant')
  t.equal(quirksOf(['LT V.90 Data+Fax Modem']).name, 'Lucent/Agere')
  t.equal(quirksOf(['OK', 'something else']).name, 'standard')
})

t.test('what an answer to dialling means', async (t) => {
  t.equal(dialResult('no-carrier', 5, 60), 'no-carrier')
  t.equal(dialResult('no-carrier', 60, 60), 'not-a-fax')
  t.equal(dialResult('voice', 5, 60), 'not-a-fax')
  t.equal(dialResult('ring', 5, 60), 'glare')
  t.equal(dialResult('timeout', 75, 60), 'modem-fault')
  t.match(dialText('delayed', 'DELAYED 00:01:30'), /00:01:30/)
})

t.test('a call that comes in before the number is dialled is not taken by dialling', async (t) => {
  const written: string[] = []
  const rings = new RingWatch(1, { rings: () => true, quiet: () => undefined })
  t.teardown(() => rings.forget())
  const session = new AtSession(
    {
      write: (bytes) => void written.push(String(bytes)),
      flush: async () => undefined,
      setDtr: async () => true,
      close: async () => undefined,
    },
    { ring: () => rings.ring(), caller: () => undefined, ringing: () => rings.ringing },
  )
  const before = session.command('AT+FCLASS=2', 1000)
  await new Promise(setImmediate)
  session.onData(Buffer.from('\r\nRING\r\n\r\nOK\r\n'))
  t.match(await before, { code: 'ok' })
  t.match(await session.command('ATDT5551234', 50, { ringEnds: true }), { code: 'ring' })
  t.same(written, ['AT+FCLASS=2\r'])
  rings.forget()
  const later = session.command('ATDT5551234', 1000, { ringEnds: true })
  await new Promise(setImmediate)
  session.onData(Buffer.from('\r\nBUSY\r\n'))
  t.match(await later, { code: 'busy' }, 'and is dialled once it rings no more')
})
