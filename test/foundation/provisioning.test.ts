/** What phones get: time zones, and the data of each kind. */
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { kindOf, kinds, macIn } from '../../daemon/provisioning/kinds.ts'
import { sheetOf } from '../../scripts/cli/setup/sheet.ts'
import { ruleOf, zoneRule } from '../../daemon/provisioning/zone.ts'

const now = Date.parse('2026-11-24T12:00:00Z')

t.test('offset and summer time of zones of all sorts', async (t) => {
  t.match(zoneRule('America/New_York', now), {
    posix: 'EST5EDT,M3.2.0,M11.1.0',
    offsetMinutes: -300,
    summer: { start: { month: 3, week: 2, day: 0, hour: 2 }, end: { month: 11, week: 1, day: 0, hour: 2 }, minutes: 60 },
  })
  t.match(zoneRule('Europe/Berlin', now), { offsetMinutes: 60, summer: { end: { month: 10, week: 5, day: 0, hour: 3 } } })
  t.match(zoneRule('Australia/Lord_Howe', now), { offsetMinutes: 630, summer: { minutes: 30 } })
  t.match(zoneRule('Asia/Kathmandu', now), { offsetMinutes: 345, summer: null })
  t.match(zoneRule('America/Phoenix', now), { offsetMinutes: -420, summer: null })
  t.match(zoneRule('UTC', now), { offsetMinutes: 0, summer: null })
})

t.test('every zone of the system has a rule that a phone can be told', async (t) => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const { offsetMinutes, summer } = zoneRule(zone, now)
    t.ok(Math.abs(offsetMinutes) <= 14 * 60 && offsetMinutes % 15 === 0, `${zone} ${offsetMinutes}`)
    for (const { month, week, day, hour } of summer === null ? [] : [summer.start, summer.end])
      t.ok(month >= 1 && month <= 12 && week >= 1 && week <= 5 && day <= 6 && hour >= 0 && hour <= 23, zone)
  }
})

t.test('what is no such string is told apart', async (t) => {
  for (const text of ['', 'EST', 'EST5EDT', 'x5', 'EST5EDT,J60,J300']) t.equal(ruleOf(text), undefined, text)
})

t.test('each kind of phone says all that is needed, and counts no further than its keys', async (t) => {
  const kind = Type.Object(
    {
      id: Type.String({ pattern: '^[a-z]+$' }),
      name: Type.String({ minLength: 1 }),
      userAgent: Type.String({ minLength: 1 }),
      macs: Type.Array(Type.String({ pattern: '^[0-9a-f]{6}$' })),
      escape: Type.Union([Type.Literal('line'), Type.Literal('xml'), Type.Literal('uri')]),
      keys: Type.Integer({ minimum: 0 }),
      counters: Type.Record(Type.String(), Type.Tuple([Type.Integer(), Type.Integer()])),
      words: Type.Record(Type.String(), Type.Record(Type.String(), Type.String())),
      files: Type.Array(
        Type.Object({ name: Type.String(), type: Type.String(), template: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
        { minItems: 1 },
      ),
    },
    { additionalProperties: false },
  )
  for (const [id, one] of kinds()) {
    t.same(
      [...Value.Errors(kind, one)].map(({ path, message }) => `${path} ${message}`),
      [],
      id,
    )
    for (const word of ['transport', 'srtp'])
      t.ok(
        Object.keys(one.words).some((name) => name.startsWith(word)),
        `${id}: ${word}`,
      )
  }
  t.equal(kindOf('Yealink SIP-T46U 108.86.0.20 80:5e:c0:12:34:56', null)?.id, 'yealink')
  t.equal(kindOf('Mozilla/4.0 (compatible; snomD785-SIP 10.1.54.13 000413AABBCC)', null)?.id, 'snom', 'not a browser')
  t.equal(kindOf('', '0004f2112233')?.id, 'polycom')
  t.equal(kindOf('', null), undefined)
  t.equal(macIn('snomD785-000413AABBCC.htm'), '000413aabbcc')
  t.equal(macIn('80:5e:c0:12:34:56'), '805ec0123456')
  t.equal(macIn('000000000000.cfg'), null)
})

t.test('the sheet of a new house has a code for a softphone of each extension', async (t) => {
  const answers = { site: { name: 'Clinic', country: 'US', timeZone: 'UTC' }, extensions: [{ number: '101', name: 'Desk' }] }
  const made = { passwords: new Map([['101', 'secret-of-101']]), address: '192.0.2.10', certificate: null, recoveryKey: null }
  const softphones = new Map([['101', 'https://192.0.2.10:8443/provision/abcdefgh/']])
  const besides = { web: 'https://192.0.2.10:8443', trust: null, invitation: null }
  const sheet = sheetOf(answers as never, made, { ...besides, softphones })
  t.match(sheet, /<figure><svg .*<\/svg><figcaption>101<\/figcaption>/s)
  const without = sheetOf(answers as never, made, { ...besides, softphones: new Map() })
  t.notMatch(without, /<svg|authority\.crt|First sign-in/)
  const code = { code: 'H7QK', url: 'https://192.0.2.10:8443/setup#H7QK', until: '2026-12-03T15:00:00.000Z' }
  const trust = { fingerprint: 'AB:CD', isAuthority: true }
  const trusted = sheetOf(answers as never, made, { ...besides, trust, invitation: code, softphones: new Map() })
  for (const part of [
    'https://192.0.2.10:8443/setup#H7QK',
    'AB:CD',
    'https://192.0.2.10:8443/authority.crt',
    'Windows',
    'macOS',
    'iPhone',
    'Android',
  ])
    t.ok(trusted.includes(part), part)
})
