/** PDUs of 3GPP TS 23.040: vectors from phones and made by hand, and the driver's codec against that of the simulated network. */
import fc from 'fast-check'
import t from 'tap'
import { readError, judge } from '../../drivers/gsm/errors.ts'
import { decodePdu, encodeSubmit, PduError, type SubmitOptions } from '../../drivers/gsm/pdu.ts'
import { readSubmit, writeDeliver, writeReport } from '../../drivers/sim/gsm/pdu.ts'

const runs = Number(process.env['GSM_RUNS'] ?? 300)
const deliver = (hex: string): ReturnType<typeof decodePdu> => decodePdu(hex.replaceAll(' ', ''), 0)

function refused(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    return error instanceof PduError
  }
}

const code = (character: string): number => character.charCodeAt(0)

/** m-notification-ind of a phone (OMA MMS 1.0): transaction, version, sender, subject, class, size, expiry, place. */
const mmsNotice = [
  '01 06 22', // a push whose headers have 34 octets
  Buffer.from('application/vnd.wap.mms-message\0').toString('hex'),
  'AF84', // for the application of MMS
  '8C82 98 54313233 00 8D90',
  `89 18 80 ${Buffer.from('+15551230001/TYPE=PLMN\0').toString('hex')}`,
  `96 07 EA ${Buffer.from('Wound\0').toString('hex')}`,
  '8A80 8E 03 01E240 88 05 81 03 015180',
  `83 ${Buffer.from('http://mmsc/1\0').toString('hex')}`,
]
  .join('')
  .replaceAll(' ', '')
const hexLength = (hex: string): string => (7 + hex.length / 2).toString(16).padStart(2, '0').toUpperCase()

t.test('texts from the network', async (t) => {
  for (const [name, hex, wanted] of [
    [
      'an international sender',
      '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07',
      { from: '+31641600986', body: 'How are you?', encoding: 'GSM-7', sentAt: Date.UTC(2002, 7, 26, 19, 37, 41) },
    ],
    [
      'a subscriber number is given as it is',
      '07917283010010F5040BC87238880900F10000993092516195800AE8329BFD4697D9EC37',
      { from: '27838890001', body: 'hellohello', sentAt: Date.UTC(1999, 2, 29, 15, 16, 59) - 2 * 3_600_000 },
    ],
    ['a name', '0791447758100650040DD0F334FC1CA6970100008080312170224008D4F29CDE0EA7D9', { from: 'sipgate', body: 'Testmail' }],
    ['a name whose eighth septet is empty', '00 04 0E D0 F334FC1CA69701 00 00 99309251619580 01 21', { from: 'sipgate', body: '!' }],
    ['a name of eight letters', '00 04 0E D0 507458DE0E8FF3 00 00 99309251619580 01 21', { from: 'Pharmacy' }],
    ['signs in a number', '00 04 05 A1 1A32FB 00 00 99309251619580 01 21', { from: '*123#' }],
    [
      'west of Greenwich',
      '00 04 04 81 2143 00 00 6220103254952A 01 21',
      { from: '1234', sentAt: Date.UTC(2026, 1, 1, 23, 45, 59) + 22 * 900_000 },
    ],
    ['second 67', '00 04 04 81 2143 00 00 62201032547600 01 21', { sentAt: null }],
    ['no time', '00 04 04 81 2143 00 00 00000000000000 01 21', { sentAt: null }],
    ['UCS-2 with a pair of surrogates', '00 04 04 81 2143 00 08 99309251619580 06 0416D83DDE00', { body: 'Ж😀', encoding: 'UCS-2' }],
    [
      'an 8-bit reference and fill bits',
      '00 44 04 81 2143 00 00 99309251619580 0F 050003220201 E061391D44BFBF01',
      { body: 'part two', part: { reference: 34, total: 2, index: 1 } },
    ],
    [
      'a 16-bit reference',
      '00 44 04 81 2143 00 00 99309251619580 0E 06080412340302 F3F2F8ED2603',
      { body: 'second', part: { reference: 0x1234, total: 3, index: 2 } },
    ],
    [
      'the extension table, and beyond it',
      `00 04 04 81 2143 00 00 99309251619580 06 ${packed([27, 0x3c, 27, 0x65, 27, 0x41])}`,
      { body: '[€A' },
    ],
    [
      'message waiting, stored: the default alphabet',
      '00 04 04 81 2143 00 D8 99309251619580 0A E8329BFD4697D9EC37',
      { body: 'hellohello', encoding: 'GSM-7' },
    ],
    ['message waiting in UCS-2', '00 04 04 81 2143 00 E0 99309251619580 02 0416', { body: 'Ж', encoding: 'UCS-2' }],
    ['a reserved alphabet is the default one', '00 04 04 81 2143 00 0C 99309251619580 0A E8329BFD4697D9EC37', { body: 'hellohello' }],
    ['shown at once (class 0)', '00 04 04 81 2143 00 F0 99309251619580 0A E8329BFD4697D9EC37', { body: 'hellohello' }],
    ['8-bit data', '00 04 04 81 2143 00 04 99309251619580 02 0001', { body: '[data, no text: 0001]' }],
    [
      'a push to a port',
      '00 44 04 81 2143 00 04 99309251619580 08 0605040B8423F0 01',
      { from: '1234', body: '[data for a program, port 2948, no text: 01]', part: undefined },
    ],
    [
      'a contact to its port',
      `00 44 04 81 2143 00 04 99309251619580 12 06050423F40000 ${Buffer.from('BEGIN:VCARD').toString('hex')}`,
      { body: '[a contact (vCard)]\nBEGIN:VCARD' },
    ],
    ['a text to a port', `00 44 04 81 2143 00 08 99309251619580 09 0605041F900000 0416`, { body: 'Ж', encoding: 'UCS-2' }],
    [
      'the notice of a picture message',
      `00 44 04 81 2143 00 04 99309251619580 ${hexLength(mmsNotice)} 0605040B8423F0 ${mmsNotice}`,
      { from: '+15551230001', body: '[A picture message (MMS) came from +15551230001. This line cannot fetch it. Its subject: "Wound".]' },
    ],
    [
      'Turkish, locking shift',
      `00 44 04 81 2143 00 00 99309251619580 ${headed('03250101', [0x61, 0x0c, 0x72, 0x07, 0x20, 0x1d])}`,
      { body: 'ağrı ş' },
    ],
    [
      'Portuguese, locking shift',
      `00 44 04 81 2143 00 00 99309251619580 ${headed('03250103', [...'amanh'].map(code).concat(0x7b))}`,
      { body: 'amanhã' },
    ],
    [
      'Spanish, single shift',
      `00 44 04 81 2143 00 00 99309251619580 ${headed('03240102', [0x1b, 0x41, 0x1b, 0x6f, 0x1b, 0x65])}`,
      { body: 'Áó€' },
    ],
    ['Hindi, both', `00 44 04 81 2143 00 00 99309251619580 ${headed('06240106250106', [0x28, 0x50, 0x1b, 0x1c])}`, { body: ')ा०' }],
    [
      'a language that nobody knows',
      `00 44 04 81 2143 00 00 99309251619580 ${headed('0325017F', [...'ok'].map(code))}`,
      { body: '[alphabet not known] ok' },
    ],
    ['part 3 of 2 is a text of its own', '00 44 04 81 2143 00 08 99309251619580 08 050003220203 0416', { body: 'Ж', part: undefined }],
    [
      'class 1 in UCS-2, from a name, part 3 of 5',
      '07919730071111F1400DD0C272999D7697010019718012214472218B06080463D00503043D0435043D043804380020044104470451044204300020043D043000200032003000300020044004430431002E002004370432043E043D043A04380020043D0430002004110438043B04300439043D002004320430044804350433043E00200440043504330438043E043D04300020044104420430043D043E0432044F04420441044F',
      { from: 'Beeline', body: /^нении счёта на 200 руб\. звонки.*становятся$/, part: { reference: 25_552, total: 5, index: 3 } },
    ],
    [
      'class 0 of an operator in Italy, from a short code',
      '07919333851805320409D034186C360300F0713040214084408849A7F1099A36A72018ED059BB14031990E46D38186EF39FD0D1AA3D3E176981E06155D20182B177381926CD0585E26A7E96F10015474816839960CE70241CB7250DA6D7E83E67550D95E76D3EB61761AF486EBD36F771A14A6D3D3F632A80C12BFDDF539485E9EA7C9F534688C4E87DB61100D968BD95C',
      { from: '40033', body: /^INFO SMS 04\/03, 12:04: .*credito è E\. 49,28\..*chiama 40916\.$/ },
    ],
    ['an empty text', '00 04 04 81 2143 00 00 99309251619580 00', { body: '', besides: undefined }],
    [
      'message waiting, no words',
      '00 04 04 81 2143 00 C8 99309251619580 00',
      { body: '', besides: ['the network says: a voicemail message waits for this number'] },
    ],
    [
      'nothing waits any more',
      '00 04 04 81 2143 00 C0 99309251619580 00',
      { besides: ['the network says: no voicemail message waits for this number any more'] },
    ],
    ['a fax waits', '00 04 04 81 2143 00 D9 99309251619580 00', { besides: ['the network says: a fax waits for this number'] }],
    [
      'message waiting in the header',
      '00 44 04 81 2143 00 00 99309251619580 06 0401020003 00',
      { body: '', besides: ['the network says: 3 voicemail messages wait for this number'] },
    ],
    ['message waiting with words says those', '00 04 04 81 2143 00 C8 99309251619580 01 21', { body: '!', besides: undefined }],
  ] as const) {
    t.match(deliver(hex), { kind: 'deliver', ...wanted }, name)
  }
})

/** TP-UDL and TP-UD of septets behind a header whose first octet is its length. */
function headed(header: string, septets: readonly number[]): string {
  const octets = header.length / 2
  const before = Math.ceil((octets * 8) / 7)
  const bits = packed([...Array<number>(before).fill(0), ...septets])
  const length = (before + septets.length).toString(16).padStart(2, '0')
  // The fill bits in front of the septets are zero, as the header's own bits are here.
  return `${length} ${header}${bits.slice(header.length)}`
}

/** Septets into hexadecimal octets, by strings of bits. */
function packed(septets: readonly number[]): string {
  const bits = septets.map((septet) => [...septet.toString(2).padStart(7, '0')].toReversed().join('')).join('')
  return (bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [])
    .map((octet) =>
      Number.parseInt([...octet].toReversed().join(''), 2)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')
    .toUpperCase()
}

t.test('texts to the network', async (t) => {
  const hex = (options: Partial<SubmitOptions>): string =>
    encodeSubmit({ to: '+46708251358', text: 'hellohello', encoding: 'GSM-7', validitySeconds: 4 * 86_400, report: false, ...options }).hex
  t.equal(hex({}), '0011000B916407281553F80000AA0AE8329BFD4697D9EC37')
  t.equal(
    encodeSubmit({ to: '+46708251358', text: 'hellohello', encoding: 'GSM-7', validitySeconds: 4 * 86_400, report: false }).length,
    23,
  )
  t.equal(hex({ report: true, to: '10012' }), '0031000581' + '0110F2' + '0000AA0AE8329BFD4697D9EC37', 'a short code with 00 in it')
  t.equal(hex({ to: '*100#' }), '0011000581' + '1A00FB' + '0000AA0AE8329BFD4697D9EC37')
  t.equal(hex({ text: 'Ж😀', encoding: 'UCS-2' }), '0011000B916407281553F80008AA060416D83DDE00')
  t.equal(
    hex({ text: '[€]', part: { reference: 0x1222, total: 2, index: 1 } }),
    '0051000B916407281553F80000AA0D050003220201' + '36BC4D79E303',
    'fill bits behind the header',
  )
  t.equal(hex({ text: '§' }).slice(-4), '015F', 'a section sign, which is not in every table')
  t.equal(hex({ text: 'Ü'.repeat(160) }).length, 2 * (1 + 14 + 140))
  for (const [seconds, octet] of [
    [60, '00'],
    [300, '00'],
    [3600, '0B'],
    [43_200, '8F'],
    [86_400, 'A7'],
    [3 * 86_400, 'A9'],
  ] as const)
    t.equal(hex({ validitySeconds: seconds }).slice(26, 28), octet, `${seconds} s`)
  t.ok(refused(() => hex({ text: 'x'.repeat(161) })))
  t.ok(refused(() => hex({ text: 'x'.repeat(154), part: { reference: 1, total: 2, index: 1 } })))
  t.ok(refused(() => hex({ text: 'Ж'.repeat(71), encoding: 'UCS-2' })))
})

t.test('status reports', async (t) => {
  t.match(decodePdu('0006D60B911326880736F4111011719551401110117195714000', 0), {
    kind: 'report',
    report: { reference: '214', to: '+31628870634', state: 'delivered', text: '', at: Date.UTC(2011, 0, 11, 17, 59, 17) - 3_600_000 },
  })
  for (const [status, state] of [
    [0x00, 'delivered'],
    [0x01, 'buffered'],
    [0x02, 'delivered'],
    [0x25, 'buffered'],
    [0x30, 'buffered'],
    [0x41, 'failed'],
    [0x46, 'expired'],
    [0x48, 'failed'],
    [0x65, 'failed'],
    [0x80, 'failed'],
  ] as const) {
    const read = decodePdu(writeReport(7, '1234', 0, 1_700_000_000_000, status), 0)
    t.match(read, { report: { reference: '7', to: '1234', state, at: 1_700_000_000_000 } }, `status ${status}`)
    t.equal(read.kind === 'report' && read.report.text === '', state === 'delivered')
  }
})

t.test('what is no PDU is refused, and nothing else is ever thrown', async (t) => {
  for (const hex of ['', 'xyz', '00', '0', '0001AABB', '07911326040000F0', '000404812143000099309251619580FF21', '0006D60B9113'])
    t.ok(
      refused(() => decodePdu(hex, 0)),
      hex,
    )
  const good = [
    '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07',
    '0006D60B911326880736F4111011719551401110117195714000',
  ]
  fc.assert(
    fc.property(fc.constantFrom(...good), fc.nat(), fc.nat(255), fc.nat(80), (hex, at, value, length) => {
      const bytes = Buffer.from(hex, 'hex')
      bytes[at % bytes.length] = value
      try {
        decodePdu(bytes.subarray(0, length).toString('hex'), 0)
      } catch (error) {
        if (!(error instanceof PduError)) throw error
      }
    }),
    { numRuns: runs * 10 },
  )
})

const gsmText = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà'), maxLength: most })
const extended = fc.string({ unit: fc.constantFrom(...'a^{}\\[~]|€'), maxLength: 76 })
const wideText = fc.string({ unit: 'binary', maxLength: 33 })
const part = fc.option(fc.record({ reference: fc.nat(0xffff), index: fc.integer({ min: 1, max: 9 }), narrow: fc.boolean() }), {
  nil: undefined,
})
const number = fc.string({ unit: fc.constantFrom(...'0123456789*#'), minLength: 1, maxLength: 15 })

t.test('both codecs agree', async () => {
  const body = fc.oneof(gsmText(152), extended).map((text) => ({ text, encoding: 'GSM-7' as const }))
  const any = fc.oneof(
    body,
    wideText.map((text) => ({ text, encoding: 'UCS-2' as const })),
  )
  fc.assert(
    fc.property(any, part, number, fc.boolean(), (text, piece, digits, international) => {
      const to = international ? `+${digits}` : digits
      const whole = piece === undefined ? {} : { part: { reference: piece.reference, total: 9, index: piece.index } }
      const { hex, length } = encodeSubmit({ to, ...text, ...whole, validitySeconds: 86_400, report: true })
      const read = readSubmit(hex, length)
      const wanted = piece === undefined ? null : { reference: piece.reference & 255, total: 9, index: piece.index, narrow: true }
      if (JSON.stringify(read) !== JSON.stringify({ to, ...text, part: wanted, wantsReport: true, validitySeconds: 86_400 }))
        throw new Error(`${JSON.stringify(read)} of ${hex}`)

      const at = 1_700_000_000_000
      const came = decodePdu(writeDeliver({ from: to, ...text, at, ...(piece === undefined ? {} : { part: { ...piece, total: 9 } }) }), 0)
      const reference = piece?.narrow === true ? piece.reference & 255 : piece?.reference
      if (
        came.kind !== 'deliver' ||
        came.from !== to ||
        came.body !== text.text ||
        came.sentAt !== at ||
        came.part?.reference !== reference
      )
        throw new Error(JSON.stringify(came))
    }),
    { numRuns: runs },
  )
})

t.test('errors in numbers and in words', async (t) => {
  t.equal(readError('+CMGS: 4'), null)
  for (const [line, verdict] of [
    ['+CMS ERROR: 38', 'temporary'],
    ['+CMS ERROR: 41', 'temporary'],
    ['+CMS ERROR: 42', 'temporary'],
    ['+CMS ERROR: Congestion', 'temporary'],
    ['+CMS ERROR: 47', 'temporary'],
    ['+CMS ERROR: 500', 'temporary'],
    ['+CMS ERROR: 513', 'temporary'],
    ['+CME ERROR: SIM busy', 'temporary'],
    ['ERROR', 'temporary'],
    ['+CMS ERROR: 1', 'refused'],
    ['+CMS ERROR: 21', 'refused'],
    ['+CMS ERROR: short message transfer rejected', 'refused'],
    ['+CMS ERROR: 28', 'refused'],
    ['+CMS ERROR: 332', 'unknown'],
    ['+CMS ERROR: network timeout', 'unknown'],
  ] as const) {
    const error = readError(line)
    t.equal(error === null ? null : judge(error).verdict, verdict, line)
  }
})
