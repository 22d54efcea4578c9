/** One number, in each form in which people, programs and networks write it: whatever looks for it finds the same. */
import t from 'tap'
import fc from 'fast-check'
import { normaliseNumber, soughtNumber } from '../../daemon/numbers/numbers.ts'
import { readWritten } from '../../daemon/numbers/written-number.ts'

/** Forms of +1 202 555 0147 at a site in the United States, and of +44 7700 900123 there and in the United Kingdom. */
const forms: readonly [string, readonly string[]][] = [
  [
    '+12025550147',
    [
      '+12025550147',
      '(202) 555-0147',
      '202.555.0147',
      '1-202-555-0147',
      '202/555/0147',
      '%2B12025550147',
      ' 12025550147',
      '  1 202 555 0147',
      '011 1 202 555 0147',
      '0012025550147'.replace('001', '001'),
      'tel:+1-202-555-0147',
      'tel:202-555-0147;phone-context=+1',
      'sip:+12025550147@pbx.example',
      'sips:+12025550147@x;user=phone',
      'sip:+12025550147@',
      'callto:+12025550147',
      'sms:+12025550147',
      'fax:+12025550147',
      'whatsapp:+12025550147',
      'tel://+12025550147',
      '"Ann" <sip:+12025550147@pbx>',
      '\u202a+1 202 555 0147\u202c',
      '\u200e2025550147',
      '202\u00ad5550147',
      '202\u20115550147',
      '202\u00a0555\u00a00147',
      '２０２５５５０１４７',
      '٢٠٢٥٥٥٠١٤٧',
      '२०२५५५०१४७',
      '202-555-0147 x101',
      '2025550147x101',
      '+12025550147 ext. 5',
      '+12025550147 ext 5',
      '202-555-0147 extension 12',
      '202-555-0147, ext: 7',
      '+12025550147;ext=9',
      'tel:+12025550147;ext=9',
      '2025550147#101',
      '2025550147,,101',
      '202 555 0147 Ext.101',
      '+1 202 555 0147 int. 3',
      '+1 202 555 0147 poste 12',
    ],
  ],
  [
    '+447700900123',
    [
      '+447700900123',
      '+44 (0)7700 900123'.replace('(0)', ''),
      '00447700900123',
      '011447700900123',
      '0011447700900123',
      ' 447700900123',
      '447700900123',
      '44 7700 900123',
      'tel:+44-7700-900123',
      '+44/7700/900123',
      '\u200e+447700900123',
      '+４４７７００９００１２３',
      '+447700900123x2',
    ],
  ],
]

t.test('what somebody looks for is one number, however it is written', async (t) => {
  for (const [number, written] of forms) for (const form of written) t.equal(soughtNumber(form, 'US').e164, number, form)
  for (const form of [
    '07700 900123',
    '00447700900123',
    '+447700900123',
    ' 447700900123',
    '447700900123',
    '011447700900123',
    '(07700) 900123',
  ])
    t.equal(soughtNumber(form, 'GB').e164, '+447700900123', form)
  for (const [form, number] of [
    [' 33612345678', '+33612345678'],
    ['0033612345678', '+33612345678'],
    ['030 123456', '+4930123456'],
    [' 4930123456', '+4930123456'],
  ] as const)
    t.equal(soughtNumber(form, 'DE').e164, number, form)
})

t.test('what is to be dialled is not guessed: digits of another country need their +, and none behind a pause are taken', async (t) => {
  t.equal(normaliseNumber('447700900123', 'US').kind, 'invalid')
  t.equal(normaliseNumber(' 4792345678', 'US').e164, '+14792345678', 'a number of the own country with a space in front')
  t.equal(soughtNumber(' 4792345678', 'US').e164, '+4792345678', 'a + that an address lost')
  for (const text of ['00447700900123', '2025550147p9', '2025550147#9']) t.equal(normaliseNumber(text, 'US').kind, 'invalid', text)
  t.match(normaliseNumber('202-555-0147 x101', 'US'), { e164: '+12025550147', extension: '101' })
})

t.test('codes, emergency numbers and short ones stay what they are, and text is no number', async (t) => {
  for (const [text, kind] of [
    ['911', 'emergency'],
    [' 911', 'emergency'],
    ['*98#5', 'short'],
    ['*67', 'short'],
    ['31#2025550147', 'invalid'],
    ['12345', 'short'],
    ['x101', 'invalid'],
    ['call me', 'invalid'],
    ['202-555-0147 / 202-555-0148', 'invalid'],
    ['2025550147,2025550148', 'invalid'],
    ['Ext. 5', 'invalid'],
    ['', 'invalid'],
    ['202-555-0147; 202-555-0148', 'invalid'],
    ['202-555-0147 / 12', 'invalid'],
    ['1'.repeat(300), 'invalid'],
  ] as const)
    t.equal(soughtNumber(text, 'US').kind, kind, text.slice(0, 40))
})

t.test('separators, marks that cannot be seen, scripts and an extension change nothing of a number', async (t) => {
  const separator = fc.constantFrom('', '', ' ', '-', '.', '/', '\u00a0', '\u2011', '\u200e', '\u00ad', '(', ')', '\u2009')
  const zero = fc.constantFrom(0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x9e6, 0x1d7ce)
  const tail = fc.constantFrom('', ' x7', ' ext. 12', ';ext=5', '#3', ',,44', ' int 9')
  const head = fc.constantFrom('', 'tel:', 'callto:', '\u202a', '\ufeff')
  fc.assert(
    fc.property(fc.array(separator, { minLength: 12, maxLength: 12 }), zero, head, tail, (between, from, before, behind) => {
      const digits = [...'12025550147'].map((digit, at) => between[at]! + String.fromCodePoint(from + Number(digit))).join('')
      const written = `${before}+${digits}${behind}`
      t.equal(soughtNumber(written, 'US').e164, '+12025550147', written)
      t.match(readWritten(written), { number: '+12025550147', extension: behind.replaceAll(/\D/g, '') })
    }),
    { numRuns: 500 },
  )
})
