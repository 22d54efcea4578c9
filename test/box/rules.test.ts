/** Which events an alarm is about, when it notifies, what it sends next, in which words. */
import t from 'tap'
import { begun, newAlarm, settled, toldOne } from '../../daemon/alarms/alarms.ts'
import { addresseeOf, addresseesOf, fits, leftOf, tellsAt } from '../../daemon/alarms/desk.ts'
import { briefOf, spokenOf, subjectOf, textOf } from '../../daemon/alarms/words.ts'
import { conditionsOf } from '../../daemon/box-events/conditions.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import type { BoxEventRow } from '../../daemon/store/tables.ts'

const event: BoxEventRow = {
  eventId: '019a5b3c-4d5e-7f80-8192-a3b4c5d6e7f8',
  kind: 'line',
  code: 'line-main',
  severity: 'error',
  since: Date.parse('2026-03-02T02:05:00Z'),
  until: null,
  text: 'Trunk main: sip.example.net does not answer',
  fix: 'getent hosts sip.example.net',
  acknowledgedAt: null,
  acknowledgedBy: '',
  told: [],
}
const site = { name: 'Riverside Clinic', timeZone: 'America/New_York', language: 'en-US' }

function ruleOf(text: string) {
  const { config } = parseConfig(
    `mail: { server: "smtp.example.com:587", username: a, password: b, from: a@example.com }\nalarms: [ ${text} ]\n`,
    '/srv/pbx/pbxd.yaml',
  )
  return config.alarms[0]!
}

t.test('a rule fits by kind, by code, by beginning, from its severity on', async (t) => {
  const cases: readonly (readonly [events: string, severity: string, fits: boolean])[] = [
    ['["*"]', 'error', true],
    ['[line]', 'error', true],
    ['[line-main]', 'error', true],
    ['[line-*]', 'notice', true],
    ['[line-m]', 'error', false],
    ['[disk, clock]', 'error', false],
    ['[disk, "line-*"]', 'error', true],
  ]
  for (const [events, severity, wanted] of cases)
    t.equal(fits(ruleOf(`{ id: a, events: ${events}, severity: ${severity}, notify: { mail: [a@example.com] } }`), event), wanted, events)
  const rule = ruleOf('{ id: a, severity: warning, notify: { mail: [a@example.com] } }')
  t.same(
    (['notice', 'warning', 'error'] as const).map((severity) => fits(rule, { ...event, severity })),
    [false, true, true],
  )
})

t.test('hours are those of the clock on the wall of the site, over midnight and summer time too', async (t) => {
  const day = ruleOf('{ id: a, hours: { mon-fri: ["08:00-18:00"] }, notify: { mail: [a@example.com] } }')
  const night = ruleOf('{ id: a, hours: { mon-sun: ["22:00-06:00"] }, notify: { mail: [a@example.com] } }')
  const at = (time: string): [boolean, boolean] => [
    tellsAt(day, Date.parse(time), site.timeZone),
    tellsAt(night, Date.parse(time), site.timeZone),
  ]
  t.same(at('2026-03-02T12:59:00Z'), [false, false], 'Monday 07:59 in winter')
  t.same(at('2026-03-02T13:00:00Z'), [true, false], 'Monday 08:00 in winter')
  t.same(at('2026-03-09T12:00:00Z'), [true, false], 'Monday 08:00 in summer')
  t.same(at('2026-03-07T13:00:00Z'), [false, false], 'Saturday')
  t.same(at('2026-03-03T04:00:00Z'), [false, true], 'Monday 23:00')
  t.ok(tellsAt(ruleOf('{ id: a, notify: { mail: [a@example.com] } }'), 0, site.timeZone), 'always by default')
})

t.test('the life of an alarm: after a while, again, in hand, over', async (t) => {
  const rule = ruleOf(
    '{ id: a, afterSeconds: 60, repeatMinutes: 30, notify: { mail: [a@example.com, b@example.com], call: ["+15551230000"] } }',
  )
  const [first, second, third] = addresseesOf(rule).map(leftOf) as [string, string, string]
  t.same(addresseeOf(third), { way: 'call', to: '+15551230000' })
  let row = newAlarm(event, rule, 1000, false)
  t.match(row, { dueAt: 61_000, news: 'lasts', left: [], toldAt: null })
  t.equal(settled(row, { ...event, until: 30_000 }, rule, 30_000), null, 'what is over before is told to nobody')
  row = begun(row, rule)
  t.same(row.left, [first, second, third])
  row = toldOne(toldOne(row, second, rule, 62_000), first, rule, 63_000)
  t.same(row.left, [third], 'one is still to be told')
  t.equal(settled(row, { ...event, until: 64_000 }, rule, 64_000), row, 'also when it is over meanwhile')
  row = toldOne(row, third, rule, 65_000)
  t.match(row, { left: [], toldAt: 65_000, dueAt: 65_000 + 30 * 60_000 }, 'and then again')
  const inHand = settled(row, { ...event, acknowledgedAt: 70_000 }, rule, 70_000)!
  t.equal(inHand.dueAt, null, 'not when somebody has it in hand')
  const over = settled(inHand, { ...event, acknowledgedAt: 70_000, until: 80_000 }, rule, 80_000)!
  t.match(over, { news: 'ended', dueAt: 80_000 })
  const telling = begun(over, rule)
  t.same(telling.left, [first, second], 'nobody is called for what is over')
  const told = toldOne(toldOne(telling, first, rule, 81_000), second, rule, 81_000)
  t.equal(settled(told, { ...event, until: 80_000 }, rule, 90_000), null)
  t.equal(settled(row, event, undefined, 0), null, 'a rule that is gone tells nobody')
  t.equal(settled(row, { ...event, until: 80_000 }, { ...rule, ended: false }, 80_000), null)
  const once = { ...rule, repeatMinutes: 0 }
  t.equal(toldOne({ ...row, left: [first] }, first, once, 1).dueAt, null)
  const moment = newAlarm({ ...event, until: event.since }, rule, 5, true)
  t.match(moment, { dueAt: 5, news: 'ended' })
  t.equal(begun(moment, rule).left.length, 3, 'what was over at once is told to everybody, once')
})

t.test('words', async (t) => {
  const told = { rule: 'office', news: 'lasts' as const, events: [event, { ...event, text: 'Another' }] }
  t.equal(subjectOf(told, site), '[Riverside Clinic] FAULT: Trunk main: sip.example.net does not answer (and 1 more)')
  t.match(textOf(told, site), /Since: {4}Sun 1 Mar.* 21:05/, 'the time of the site')
  t.match(textOf(told, site), /Fix: {6}getent hosts/)
  t.match(
    briefOf({ ...told, news: 'ended', events: [{ ...event, until: event.since + 60_000 }] }, site),
    /CLEARED: .*until Sun 1 Mar.* 21:06/,
  )
  t.ok(briefOf({ ...told, events: Array.from({ length: 20 }, () => event) }, site).length <= 300)
  t.match(spokenOf(told, site, 'Press 1.'), [
    { text: /Riverside Clinic\. There are 2 faults\. .* Another\. Press 1\.$/, language: 'en-US' },
  ])
  t.match(textOf({ rule: 'office', news: 'test', events: [] }, site), /There is no fault/)
})

t.test('an alarm is in the language of the site; the texts of faults are English, and an English voice says them', async (t) => {
  const told = { rule: 'office', news: 'lasts' as const, events: Array.from({ length: 4 }, () => event) }
  const fault = 'Trunk main: sip.example.net does not answer'
  for (const [language, subject, line, test, hello, more] of [
    [
      'de-AT',
      `[Riverside Clinic] STÖRUNG: ${fault} (und 3 weitere)`,
      /^ {2}Schwere: Fehler$/m,
      /keine Störung/,
      /4 Störungen/,
      /noch eine weitere\. Taste\.$/,
    ],
    [
      'es-US',
      `[Riverside Clinic] AVERÍA: ${fault} (y 3 más)`,
      /^ {2}Gravedad: error$/m,
      /ninguna avería/,
      /4 averías/,
      /otra más\. Taste\.$/,
    ],
    [
      'fr',
      `[Riverside Clinic] PANNE : ${fault} (et 3 de plus)`,
      /^ {2}Gravité : erreur$/m,
      /aucune panne/,
      /4 pannes/,
      /encore une\. Taste\.$/,
    ],
  ] as const) {
    const here = { ...site, language }
    t.equal(subjectOf(told, here), subject)
    t.match(textOf(told, here), line)
    t.notMatch(textOf({ ...told, events: [{ ...event, text: '', fix: '' }] }, here), /\b(?:Severity|Since|Telephone|Rule|the)\b/, language)
    t.match(textOf({ rule: 'office', news: 'test', events: [] }, here), test)
    t.match(briefOf({ rule: 'office', news: 'test', events: [] }, here), test)
    const [first, facts, last] = spokenOf(told, here, 'Taste.')
    t.match(first, { text: hello, language: language === 'fr' ? 'fr-FR' : language })
    t.match(facts, { text: `${fault}. ${fault}. ${fault}.`, language: 'en-US' })
    t.match(last, { text: more, language: first!.language })
    t.match(spokenOf({ ...told, events: [] }, here, 'Taste.'), [{ text: /Taste\.$/ }])
  }
})

t.test('each fault is one condition: a trunk that is down is not its part as well', async (t) => {
  const line = {
    id: 'main',
    kind: 'trunk',
    ok: false,
    state: 'unreachable',
    reason: 'gone',
    since: '2026-03-02T02:05:00Z',
    activeCalls: 0,
    channels: 1,
  } as const
  const text = 'Trunk main: gone; tried again in 5 s'
  const warning = { kind: 'line', code: 'line-main', severity: 'error', text, fix: 'ping', since: 5 } as const
  const part = { name: 'trunks', ok: false, reason: 'a trunk is down', detail: 'main: gone', required: false }
  const all = { warnings: [warning], parts: [part], lines: [line], now: 7 }
  t.same(
    conditionsOf(all).map(({ kind, code, text }) => ({ kind, code, text: String(text) })),
    [{ kind: 'line', code: 'line-main', text: 'Trunk main: gone' }],
  )
  const phone = { ...line, id: '101', kind: 'extension' } as const
  const others = conditionsOf({
    ...all,
    warnings: [],
    lines: [phone],
    parts: [part, { ...part, name: 'stopping' }, { ...part, name: 'store', required: true }],
  })
  t.same(
    others.map(({ code, severity }) => `${code} ${severity}`),
    ['part-trunks warning', 'part-store error', 'phone-101 notice'],
  )
  const told = conditionsOf({
    ...all,
    lines: [],
    warnings: [{ ...warning, kind: 'warning', code: 'mail' }],
    parts: [{ ...part, name: 'mail' }],
  })
  t.same(
    told.map(({ code }) => code),
    ['mail'],
    'a part whose own warning says so',
  )
  const warnings = [{ ...warning, kind: 'disk' } as const, { ...warning, kind: 'warning', code: 'disk-low' } as const]
  const kinds = conditionsOf({ ...all, parts: [], lines: [], warnings })
  t.same(
    kinds.map(({ kind }) => kind),
    ['disk', 'warning'],
    'the kind is what the part says, whatever the code is',
  )
})

t.test('what is wrong with a rule is told with its place', async (t) => {
  const faults = (text: string): string[] => {
    try {
      return parseConfig(`alarms: ${text}\n`, '/srv/pbx/pbxd.yaml').warnings.map((warning) => `${warning.path}: ${warning.text}`)
    } catch (error) {
      return (error as { faults: { path: string; text: string }[] }).faults.map((fault) => `${fault.path}: ${fault.text}`)
    }
  }
  const cases: readonly (readonly [text: string, said: RegExp])[] = [
    ['[ { id: a } ]', /notify: this rule notifies no one/],
    ['[ { id: a, notify: { mail: [nobody] } } ]', /notify\/mail\/0/],
    ['[ { id: a, notify: { mail: [a@example.com] } } ]', /without the section mail/],
    ['[ { id: a, notify: { call: ["911"] } } ]', /emergency number/],
    ['[ { id: a, notify: { call: ["+15551230000"] } } ]', /without a trunk/],
    ['[ { id: a, notify: { webhook: ["ftp://example.com"] } } ]', /is not a URL/],
    ['[ { id: a, notify: { webhook: ["http://127.0.0.1:9000/x"] } } ]', /allowLoopback/],
    ['[ { id: a, hours: { monday: ["8-12"] }, notify: { webhook: ["https://example.com/x"] } } ]', /"monday" is not a day/],
    [
      '[ { id: a, notify: { webhook: ["https://example.com/x"] } }, { id: a, notify: { webhook: ["https://example.com/x"] } } ]',
      /given twice/,
    ],
    ['[ { id: a, event: [line], notify: { webhook: ["https://example.com/x"] } } ]', /events/],
  ]
  for (const [text, said] of cases) t.match(faults(text).join('\n'), said, text)
})
