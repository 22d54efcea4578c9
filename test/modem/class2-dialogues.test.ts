/** Calls over modems of class 2, without a modem: recorded dialogues in both directions, and all that goes wrong. */
import t from 'tap'
import { isReadable, receiveCall } from '../../drivers/modem/class2/receive-call.ts'
import { sendCall } from '../../drivers/modem/class2/send-call.ts'
import { standardClass2 } from '../../drivers/modem/quirks.ts'
import { order, play, type Said } from './class2-script.ts'

const taken2: Said = [/^ATD/, '+FCON', '+FCSI:"         +1 555 200"', '+FDIS:1,3,0,2,0,0,0,0', 'OK']
const taken20: Said = [/^ATD/, '+FCO', '+FCI:"+1 555 200"', '+FIS:1,5,0,2,0,0,0,0', 'OK']
const page2: readonly Said[] = [
  [/FDT/, '+FDCS:1,3,0,2,0,0,0,0', 'CONNECT'],
  ['', 'OK'],
]

t.test('what is sent: recorded dialogues', async (t) => {
  const two = play(sendCall(order('2')), [
    taken2,
    ...page2,
    [/FET=0/, '+FPTS:1,282,0,0,0', 'OK'],
    ...page2,
    [/FET=2/, '+FPTS:1,282,0,0,0', '+FHNG:0', 'OK'],
  ])
  t.match(two.result, {
    code: 0,
    dial: 'connected',
    pages: 2,
    bitRate: 9600,
    ecm: false,
    resolution: 'fine',
    remoteId: '+1 555 200',
    heardFax: true,
  })
  t.same(two.commands, [
    'AT+FLID="+1555100"',
    'AT+FDCC=1,5,0,2,0,2,0,0',
    'AT+FBOR=0',
    'AT+FPHCTO=30',
    'AT+FCR=1',
    'ATDT200',
    'AT+FDIS=1,3,0,2,0,0,0,0',
    'AT+FDT',
    'AT+FET=0',
    'AT+FDT',
    'AT+FET=2',
  ])
  t.same(
    two.sent.map((bytes) => [...bytes]),
    [
      [0, 0x10, 0x10, 0x10, 3],
      [1, 0x10, 0x10, 0x10, 3],
    ],
  )
  t.same([...new Set(two.progress.map(({ phase }) => phase))], ['negotiating', 'training', 'page', 'confirmed'])

  const newer = play(sendCall(order('2.1', { ecm: false })), [
    taken20,
    [/FDT/, '+FCS:1,5,0,2,0,0,0,0', 'CONNECT'],
    ['', 'OK'],
    [/FDT/, 'CONNECT'],
    ['', '+FHS:00', 'OK'],
  ])
  t.match(newer.result, { code: 0, pages: 2, bitRate: 14_400 })
  t.ok(newer.commands.includes('AT+FCC=1,5,0,2,0,0,0,0') && newer.commands.includes('AT+FLO=2') && newer.commands.includes('AT+FCT=1E'))
  t.same(
    newer.sent.map((bytes) => String.fromCharCode(...bytes.slice(-2))),
    ['\x10,', '\x10.'],
  )
  t.notOk(
    newer.effects.some((effect) => effect.do === 'xon'),
    'nobody waits for an XON',
  )

  const later = play(sendCall(order('2', { firstPage: 1 })), [taken2, ...page2, [/FET=2/, '+FPTS:1', '+FHNG:000', 'OK']])
  t.match(later.result, { code: 0, pages: 1 }, 'from the first page that is not confirmed')
  t.equal(later.sent.length, 1)

  const quirks = { ...standardClass2, leadIn: 3 }
  const slow = play(sendCall(order('2', { quirks })), [taken2, ...page2, [/FET=2/, '+FPTS:1', 'OK']], { pages: 1 })
  t.same([...slow.sent[0]!].slice(0, 4), [0, 0, 0, 0])
})

t.test('a page that the far end wants again is sent again, three times at most', async (t) => {
  const again: Said = [/FET=2/, '+FPTS:2,282,90,9,0', 'OK']
  const once = play(sendCall(order('2')), [taken2, ...page2, again, ...page2, [/FET=2/, '+FPTS:1', '+FHNG:0', 'OK']], { pages: 1 })
  t.match(once.result, { code: 0, pages: 1 })
  t.equal(once.sent.length, 2)
  const never = play(sendCall(order('2')), [taken2, ...page2, again, ...page2, again, ...page2, again], { pages: 1 })
  t.match(never.result, { code: 48, pages: 0, unconfirmedLastPage: false })
  t.equal(never.commands.at(-1), 'AT+FK')
  const newer = play(sendCall(order('2.0')), [taken20, [/FDT/, 'CONNECT'], ['', 'ERROR'], [/FDT/, 'CONNECT'], ['', '+FHS:0', 'OK']], {
    pages: 1,
  })
  t.match(newer.result, { code: 0, pages: 1 })
  t.equal(newer.sent.length, 2)
})

t.test('a far end without fine resolution gets standard, or is told so', async (t) => {
  const coarse: Said = [/^ATD/, '+FCON', '+FDIS:0,3,0,2,0,0,0,0', 'OK']
  const played = play(
    sendCall(order('2')),
    [
      coarse,
      ...page2.map((said): Said => [said[0], ...(said.slice(1) as string[]).map((line) => line.replace(':1', ':0'))]),
      [/FET=2/, '+FPTS:1', 'OK'],
    ],
    { pages: 1 },
  )
  t.match(played.result, { code: 0, resolution: 'standard' })
  t.ok(played.commands.includes('AT+FDIS=0,3,0,2,0,0,0,0'))
  t.ok(played.effects.every((effect) => effect.do !== 'encode' || !effect.fine))
  t.match(play(sendCall(order('2', { hasStandard: false })), [coarse]).result, { code: 11, heardFax: true })
})

t.test('calls that come to nothing', async (t) => {
  for (const [said, expected] of [
    [['BUSY'], { dial: 'busy' }],
    [['NO ANSWER'], { dial: 'no-answer' }],
    [['RING'], { dial: 'glare' }],
    [['NO CARRIER'], { dial: 'no-carrier' }],
    [['ERROR'], { dial: 'modem-fault' }],
    [['+FHNG:11', 'OK'], { dial: 'not-a-fax', code: 2 }],
    [['+FHNG: 4', 'NO CARRIER'], { dial: 'no-answer' }],
    [['+FHNG:3', 'ERROR'], { dial: 'no-dialtone' }],
    [['CONNECT'], { dial: 'not-a-fax' }],
    [['nonsense'], { dial: 'modem-fault' }],
    [['+FCON', '+FHNG:20', 'OK'], { dial: 'connected', code: 20, heardFax: true }],
  ] as const) {
    const { result } = play(sendCall(order('2')), [[/^ATD/, ...said]])
    t.match(result, { pages: 0, heardFax: false, text: /\w/, ...expected }, said.join(' '))
  }
  for (const [at, said, expected] of [
    [/FDT/, ['+FHNG:27', 'OK'], { code: 6 }],
    [/FDT/, ['+FHS:24', 'ERROR'], { code: 17 }],
    [/FDT/, ['ERROR'], { dial: 'modem-fault' }],
    [/FDT/, ['NO CARRIER'], { code: 49, dial: 'connected' }],
  ] as const) {
    const { result } = play(sendCall(order('2')), [taken2, [at, ...said]])
    t.match(result, { heardFax: true, pages: 0, ...expected }, said.join(' '))
  }
  const unknown = play(sendCall(order('2')), [taken2, ...page2, [/FET=2/, '+FHNG:54', 'OK']], { pages: 1 }).result
  t.match(unknown, { code: 21, unconfirmedLastPage: true }, 'the page may have arrived')
  const first = play(sendCall(order('2')), [taken2, ...page2, [/FET=0/, '+FHNG:52', 'OK']]).result
  t.match(first, { code: 21, unconfirmedLastPage: true, pages: 0 }, 'so may one with others behind it')
  const second = play(sendCall(order('2')), [taken2, ...page2, [/FET=0/, '+FPTS:1', '+FHNG:50', 'OK']]).result
  t.match(second, { code: 21, pages: 1 }, 'what was confirmed stays so')
})

t.test('a call that is stopped says goodbye where somebody hears it', async (t) => {
  const early = play(sendCall(order('2')), [[/^ATD/, 'NO CARRIER']], { stopAt: /ATD/ })
  t.match(early.result, { dial: 'canceled', code: 7 })
  t.notOk(early.commands.includes('AT+FK'))
  for (const [faxClass, taken, abort] of [
    ['2', taken2, 'AT+FK'],
    ['2.0', taken20, 'AT+FKS'],
  ] as const) {
    const late = play(sendCall(order(faxClass)), [taken], { stopAt: /FDT/ })
    t.match(late.result, { dial: 'canceled', code: 7, heardFax: true })
    t.equal(late.commands.at(-1), abort)
  }
})

const answered: Said = [/^ATA/, '+FCON', '+FTSI:"+1 555 300"', '+FDCS:1,5,0,2,0,0,0,0', 'OK']
const take: Said = [/FDR/, '+FDCS:1,5,0,2,0,0,0,0', 'CONNECT']

t.test('what is received: recorded dialogues', async (t) => {
  const two = play(receiveCall(order('2')), [
    answered,
    take,
    ['', '+FPTS:1,282,0,0,0', '+FET:0', 'OK'],
    take,
    ['', '+FPTS:1,282,0,0,0', '+FET:2', 'OK'],
    [/FDR/, '+FHNG:0', 'OK'],
  ])
  t.match(two.result, { code: 0, pages: 2, badRows: 0, bitRate: 14_400, resolution: 'fine', remoteId: '+1 555 300', dial: 'connected' })
  t.ok(two.effects.every((effect) => effect.do !== 'read' || (effect.reversed && effect.coding === 'mh')))
  t.equal(two.effects.find((effect) => effect.do === 'receive')?.start, 0x12)
  t.notOk(
    two.commands.some((command) => command.startsWith('AT+FPTS')),
    'nothing is said where the modem thinks as we do',
  )
  const newer = play(receiveCall(order('2.0')), [
    [/^ATA/, '+FCO', '+FTI:"+1 555 300"', '+FCS:0,5,0,2,1,0,0,0', 'OK'],
    [/FDR/, '+FCS:0,5,0,2,1,0,0,0', 'CONNECT'],
    ['', '+FPS:1,282,0,0,0', '+FET:2', 'OK'],
    [/FDR/, '+FHS:00', 'OK'],
  ])
  t.match(newer.result, { code: 0, pages: 1, resolution: 'standard' })
  t.match(
    newer.effects.find((effect) => effect.do === 'read'),
    { coding: 'mr', fine: false, reversed: false },
  )
})

t.test('a page with too many bad rows is refused, kept at the third time, and kept when it does not come again', async (t) => {
  t.ok(isReadable({ rows: 100, badRows: 5 }))
  t.notOk(isReadable({ rows: 100, badRows: 6 }))
  t.notOk(isReadable({ rows: 0, badRows: 0 }))
  const end: Said = ['', '+FPTS:1,282,0,0,0', '+FET:2', 'OK']
  const over: Said = [/FDR/, '+FHNG:0', 'OK']
  const once = play(receiveCall(order('2')), [answered, take, end, take, end, over], {
    looks: [
      [1000, 200],
      [1000, 3],
    ],
  })
  t.match(once.result, { code: 0, pages: 1, badRows: 3 })
  t.equal(once.commands.filter((command) => command === 'AT+FPTS=2').length, 1)
  const bad: [number, number][] = [
    [1000, 200],
    [1000, 200],
    [1000, 300],
  ]
  t.match(play(receiveCall(order('2')), [answered, take, end, take, end, take, end, over], { looks: bad }).result, {
    code: 0,
    pages: 1,
    badRows: 300,
  })
  t.match(play(receiveCall(order('2')), [answered, take, end, [/FDR/, '+FHNG:101', 'OK']], { looks: bad }).result, {
    code: 30,
    pages: 1,
    badRows: 200,
  })
  const stubborn = play(receiveCall(order('2')), [answered, take, end, [/FPTS=2/, 'ERROR'], over], { looks: bad })
  t.match(stubborn.result, { code: 0, pages: 1, badRows: 200 }, 'the modem accepts what we would not')
  const strict = play(receiveCall(order('2')), [answered, take, ['', '+FPTS:2,282,20,3,0', '+FET:2', 'OK'], over])
  t.ok(strict.commands.includes('AT+FPTS=1'), 'and a page that is good enough is accepted against the modem')
  const cut = play(receiveCall(order('2')), [answered, take, ['', '+FPTS:1', '+FET:0', 'OK'], take, ['', '+FHNG:91', 'OK']])
  t.match(cut.result, { code: 27, pages: 1, dial: 'connected' })
  t.match(play(receiveCall(order('2')), [[/^ATA/, '+FHNG:1', 'OK']]).result, { dial: 'not-a-fax', pages: 0, heardFax: false })
})
