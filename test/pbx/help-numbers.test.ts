/** Numbers for help in every spelling, numbers in URIs, and which numbers of callers the house calls back. */
import fc from 'fast-check'
import t from 'tap'
import { numberOfUri } from '../../daemon/numbers/number-uri.ts'
import { normaliseNumber } from '../../daemon/numbers/numbers.ts'
import { canCallBack, isOutside } from '../../daemon/pbx/outside/outside.ts'
import { emergencyDialled, emergencyNumberIn } from '../../daemon/pbx/emergency/numbers.ts'
import { configOf } from '../routing/stage.ts'

const password = 'Pa55word-Pa55word'
const config = (country: string, more: Record<string, unknown> = {}) =>
  configOf('/tmp', { channels: 1, more: { site: { country, timeZone: 'UTC', outsidePrefix: '9' }, ...more } })
const us = config('US', {
  extensions: ['101', '1022', '1911'].map((number) => ({ number, password })),
  inbound: [
    { trunk: '*', to: '+15550001000', destination: '101' },
    { trunk: '*', to: '+1555777*', destination: '101' },
    { trunk: '*', to: '*', destination: '101' },
  ],
})

/** As telephones, address books and gateways write one number. */
const spellings = (number: string): string[] => [
  number,
  [...number].join('-'),
  ` ${number} `,
  `${number}#`,
  `tel:${number}`,
  `TEL:${number};phone-context=+1`,
  `sip:${number};phone-context=example.com@box;user=phone`,
  `sips:${number}@box?Subject=x`,
  `sip:${number}:secret@box`,
  `${number};phone-context=%2B1310555`,
  `${number};npdi;rn=+12125559999`,
]

t.test('a call for help is one in every spelling, and in every country by its own numbers', async (t) => {
  const rows: [string, readonly string[]][] = [
    ['US', ['911', '112']],
    ['CA', ['911']],
    ['DE', ['110', '112']],
    ['GB', ['999', '112']],
    ['FR', ['15', '17', '18', '112']],
    ['AU', ['000', '112']],
    ['ZA', ['10111', '10177']],
  ]
  for (const [country, numbers] of rows) {
    const of = config(country)
    for (const number of numbers)
      for (const dialled of [number, `9${number}`, `+${number}`, `*67${number}`, `*679${number}`])
        for (const spelt of spellings(dialled)) t.equal(emergencyNumberIn(of, spelt), number, `${country}: ${spelt}`)
  }
  t.equal(emergencyNumberIn(config('US'), '+1911'), '911')
  t.equal(emergencyNumberIn(config('US'), '1911'), '911')
  t.equal(emergencyNumberIn(us, '1911'), null, 'an extension')
  t.equal(emergencyNumberIn(config('GB'), '+44999'), '999')
  t.equal(emergencyNumberIn(config('US', { emergency: { numbers: ['5555'] } }), '9-5555'), '5555')
})

t.test('no number of the house stands in the way of a call for help; a further spelling that is such a number is that', async (t) => {
  const slots = (firstSlot: number, more: Record<string, unknown> = {}) => config('US', { parking: { firstSlot, slots: 100, ...more } })
  for (const house of [slots(900), slots(100), slots(9100, { number: '911' }), slots(9110, { number: '112' })])
    for (const dialled of ['911', '9911', '112', '9112', '911#', '+911', '*67911'])
      t.equal(emergencyNumberIn(house, dialled), dialled.includes('112') ? '112' : '911', dialled)
  t.equal(emergencyNumberIn(slots(1900), '1911'), null, 'a slot')
  t.equal(emergencyNumberIn(slots(701, { number: '1911' }), '1911'), null, 'where calls are parked')
  t.equal(emergencyNumberIn(slots(1800), '1911'), '911')
})

t.test('RFC 5031: the first number of the configuration, else that of the country; and no other service', async (t) => {
  const sos = ['urn:service:sos', 'URN:Service:SOS', 'urn:service:sos.ambulance', 'urn:service:sos.fire', 'urn:service:sos.none-such']
  for (const uri of sos) {
    t.equal(emergencyNumberIn(config('US'), uri), '911')
    t.equal(emergencyNumberIn(config('GB'), uri), '999')
    t.equal(emergencyNumberIn(config('IT'), uri), '112')
    t.equal(emergencyNumberIn(config('US', { emergency: { numbers: ['5555'] } }), uri), '5555')
  }
  for (const uri of ['urn:service:sosx', 'urn:service:counseling', 'mailto:911@x']) t.equal(emergencyNumberIn(us, uri), null)
  t.match(emergencyDialled(config('US'))[0], ['911', '911'])
  for (const [dialled, number] of emergencyDialled(us)) t.equal(emergencyNumberIn(us, dialled), number)
})

t.test('no other number is one, however it begins or ends', async () => {
  const help = new Set(emergencyDialled(us).map(([dialled]) => dialled))
  fc.assert(
    fc.property(fc.stringMatching(/^[+]?[0-9*#]{1,12}$/), (number) => (emergencyNumberIn(us, number) === null) === !help.has(number)),
    { numRuns: 2000 },
  )
})

t.test('a number in a URI is the number alone', async (t) => {
  for (const [written, number] of [
    ['tel:+1-310-555-0142;ext=5', '+13105550142'],
    ['tel:5550142;phone-context=+1310', '+13105550142'],
    ['tel:102;phone-context=+1310', '102'],
    ['sip:*72;phone-context=+1@box', '*72'],
    ['sip:%2B13105550142;npdi;rn=+12125559999@carrier;user=phone', '+13105550142'],
    ['+13105550142;isub=1', '+13105550142'],
    ['sip:alice;day=tuesday@x', 'sip:alice;day=tuesday@x'],
    ['(310) 555-0142', '(310) 555-0142'],
    ['Dr. Lee; 5 pm', 'Dr. Lee; 5 pm'],
    ['', ''],
  ] as const)
    t.equal(numberOfUri(written), number, written)
  t.equal(normaliseNumber('tel:(310)555-0142;phone-context=+1', 'US').e164, '+13105550142')
})

t.test('nobody calls back help, the house itself, a code, or one who withheld the number', async (t) => {
  const never = [
    '',
    ...spellings('911'),
    ...spellings('9911'),
    '+1911',
    '112',
    'urn:service:sos',
    '*72',
    '*69',
    '700',
    '701',
    '411',
    'anonymous',
  ]
  const own = ['+15550001000', '15550001000', '(555) 000-1000', '+15550002000', '+15557770001', '5557770001']
  for (const number of [...never, ...own]) {
    t.equal(canCallBack(us, number), false, number)
    t.equal(isOutside(us, number), false, number)
  }
  for (const number of ['101', '1022']) {
    t.equal(canCallBack(us, number), true, number)
    t.equal(isOutside(us, number), false, 'a queue promises no call-back to the house')
  }
  for (const number of ['+13105550142', '3105550142', '+442079460123']) t.ok(canCallBack(us, number) && isOutside(us, number), number)
})
