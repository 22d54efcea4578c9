/** The conversation of a reminder call, as a table and as properties; its texts in four languages; who has answered, from sound. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { defaultConfig } from '../../daemon/config/default.ts'
import { BeepFinder } from '../../daemon/reminders/call/beep.ts'
import { firstName } from '../../daemon/base/person-name.ts'
import { localTime, scriptFacts } from '../../daemon/reminders/call/facts.ts'
import { Greeting } from '../../daemon/reminders/call/greeting.ts'
import { words } from '../../daemon/words/words.ts'
import { resultOf } from '../../daemon/reminders/call/result.ts'
import {
  beginning,
  converse,
  type ScriptEvent,
  type ScriptFacts,
  type ScriptState,
  type ScriptStep,
} from '../../daemon/reminders/call/script.ts'
import type { ReminderCallRequest } from '../../daemon/reminders/caller.ts'
import type { Config } from '../../daemon/schema/config.ts'
import { normalise } from '../../daemon/speech/speaker.ts'
import { parseDocument } from '../../daemon/voice/document.ts'
import { concat, keyTone, linearToUlaw, silence, speech, tone, ulawToLinear } from '../harness/audio.ts'

const folder = mkdtempSync(join(tmpdir(), 'pbxd-script-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const base = defaultConfig(folder)
const configWith = (reminders: Partial<Config['reminders']> = {}, site: Partial<Config['site']> = {}): Config => ({
  ...base,
  site: { ...base.site, name: 'Riverside Clinic', country: 'US', language: 'en-US', timeZone: 'America/New_York', ...site },
  reminders: { ...base.reminders, ...reminders },
})
const request: ReminderCallRequest = {
  reminderId: 'r',
  callId: 'CA0',
  number: '+15551230001',
  language: 'en-US',
  timeZone: 'America/New_York',
  customerName: 'Maria Lopez',
  appointmentAt: Date.parse('2026-03-09T18:30:00Z'),
  serviceName: 'Teeth cleaning',
  staffName: 'Dr. Wu',
  ringSeconds: 30,
  attempt: 1,
  token: '',
}
const facts = scriptFacts(configWith({ reception: '101' }), request, '+15550001000')
const human: ScriptEvent = { type: 'answered', by: 'human' }
const key = (name: string): ScriptEvent => ({ type: 'key', key: name })
const quiet: ScriptEvent = { type: 'silence' }

function run(events: readonly ScriptEvent[], given: ScriptFacts = facts, secondsLeft = Infinity): ScriptStep[] {
  let state: ScriptState = beginning
  return events.map((event) => {
    const step = converse(given, state, event, secondsLeft)
    state = step.state
    return step
  })
}
const verbsOf = (step: ScriptStep | undefined) => (step?.document ?? []).map((verb) => Object.keys(verb as object)[0])
const saidIn = (step: ScriptStep | undefined) =>
  (step?.document ?? []).map((verb) => (verb as { say?: { text: string } }).say?.text ?? '').join(' ')

t.test('what each course of keys and silences leads to', async (t) => {
  const table: [string, ScriptEvent[], string | null, RegExp][] = [
    ['1 confirms', [human, key('1')], 'confirmed', /is confirmed/],
    ['2 alone asks again', [human, key('2')], null, /press 2 again/],
    ['2, 2 cancels', [human, key('2'), key('2')], 'canceled', /you cancel/],
    ['2 and silence keeps it', [human, key('2'), quiet], null, /not cancelled.*press 1/],
    ['2, silence, silence', [human, key('2'), quiet, quiet], null, /^Goodbye/],
    ['2, then 1 confirms', [human, key('2'), key('1')], 'confirmed', /is confirmed/],
    ['2, a wrong key, 2 cancels', [human, key('2'), key('7'), key('2')], 'canceled', /you cancel/],
    ['2 and wrong keys keep it', [human, key('2'), key('7'), key('7')], null, /not cancelled.*Goodbye/],
    ['2, back to the menu, 2 asks again', [human, key('2'), key('9'), key('2')], null, /press 2 again/],
    ['3 asks for another time', [human, key('3')], 'reschedule', /another time/],
    ['* opts out', [human, key('*')], 'opted-out', /any more/],
    ['0 goes to the reception', [human, key('0')], null, /connect you/],
    ['9 repeats', [human, key('9')], null, /Riverside Clinic.*press 9/],
    ['9 twice is the last time', [human, key('9'), key('9')], null, /^(?!.*press 9).*Riverside Clinic/],
    ['9 three times is a wrong key', [human, key('9'), key('9'), key('9')], null, /no meaning.*press 1/],
    ['a wrong key is told', [human, key('5')], null, /no meaning here.*press 1/],
    ['a second wrong key ends it', [human, key('5'), key('#')], null, /^Goodbye/],
    ['silence repeats all', [human, quiet], null, /Riverside Clinic.*press 1/],
    ['silence twice ends it', [human, quiet, quiet], null, /^Goodbye/],
    ['the reception is away', [human, key('0'), { type: 'reception-away' }], null, /^(?!.*press 0)Nobody.*press 1/],
    ['the reception is not offered again', [human, key('0'), { type: 'reception-away' }, key('0')], null, /no meaning/],
    ['a machine gets a message', [{ type: 'answered', by: 'machine' }], null, /call us at \(555\) 000-1000/],
    ['a hang-up says nothing', [human, { type: 'hangup' }], null, /^$/],
  ]
  for (const [name, events, decision, said] of table) {
    const step = run(events).at(-1)!
    t.equal(step.decision, decision, name)
    t.match(saidIn(step), said, name)
    if (decision !== null) t.same(verbsOf(step), ['say', 'hangup'], name)
  }
  t.same(verbsOf(run([human, key('0')])[1]), ['say', 'route'])
  t.same(run([human, key('0')])[1]?.document[1], { route: { to: '101' } })
  const none = { ...facts, reception: null }
  t.notMatch(saidIn(run([human], none)[0]), /press 0/)
  t.match(saidIn(run([human, key('0')], none)[1]), /no meaning/)
})

t.test('any course ends, decides at most once, and runs as a document', async (t) => {
  const event = fc.oneof(
    fc.constantFrom<ScriptEvent>(quiet, quiet, { type: 'reception-away' }, { type: 'hangup' }, { type: 'answered', by: 'machine' }),
    fc.constantFrom(...'0123456789*#').map(key),
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 40 }),
        fc.boolean(),
        fc.option(fc.double({ min: -5, max: 60, noNaN: true })),
        (events, open, left) => {
          const given = open ? facts : { ...facts, reception: null }
          let state = beginning
          let decided = 0
          for (const [index, each] of [human, ...events].entries()) {
            // The session asks only while it has something to run: after a hang-up or an end there is nothing more.
            if (state.stage === 'over' || state.stage === 'message') break
            const step = converse(given, state, each, left ?? Infinity)
            const parsed = parseDocument(step.document, { destinations: new Set(open ? ['101'] : []) })
            if (!parsed.ok || parsed.warnings.length > 0) throw new Error(JSON.stringify(parsed))
            if (step.decision !== null) decided += 1
            if (step.decision === 'canceled' && (state.stage !== 'sure' || each.type !== 'key' || each.key !== '2')) return false
            state = step.state
            if (index > 30) return false
          }
          return decided <= 1
        },
      ),
      { numRuns: Number(process.env.REMINDER_SCRIPT_RUNS ?? 500) },
    ),
  )
})

t.test('nothing is begun that the limit of the call would cut', async (t) => {
  t.match(saidIn(run([human, quiet], facts, 20)[1]), /^Goodbye/)
  t.match(saidIn(run([human, quiet], facts, 60)[1]), /press 1/)
})

t.test('the callee hears first name, time and clinic, and no more unless details may be spoken', async (t) => {
  t.match(facts.opening, 'Hello Maria. This is Riverside Clinic with a reminder of your appointment on Monday, March 9, at 2:30 PM.')
  t.notMatch(facts.opening + facts.message, /Lopez|Teeth|Wu/)
  t.notMatch(facts.message, /Maria|March/)
  const open = scriptFacts(configWith({ speakDetails: true }), request, '+15550001000')
  t.match(open.opening, /Teeth cleaning.*Dr\. Wu/)
  t.notMatch(open.message, /Teeth|Wu|Maria/)
  const exempt = scriptFacts(configWith({ preset: 'us-health-exempt' }), request, '+15550001000')
  t.match(exempt.opening, /This is Riverside Clinic, \(555\) 000-1000, with/)
  t.match(exempt.message, /To stop these calls/)
  t.match(saidIn(run([human], exempt)[0]), /To stop these calls, press star/)
  // At 65 ms a letter the whole menu, once, and a key in its time, stay below a minute.
  t.ok(saidIn(run([human], exempt)[0]).length * 0.065 + 12 < 60)
  t.equal(scriptFacts(configWith({ reception: 'fax' }), request, '').reception, null, 'where no call is sent on')
  t.equal(
    scriptFacts(configWith(), { ...request, language: '' }, '').message,
    'Hello. This is Riverside Clinic, with a reminder of an appointment. Please call us. Thank you. Goodbye.',
  )
  t.throws(() => scriptFacts(configWith(), { ...request, timeZone: 'Mars/Olympus' }, ''))
  t.match(normalise(facts.opening, 'en-US'), /Monday, March ninth, at two thirty/i)
  t.match(normalise(facts.message, 'en-US'), /five five five, (zero|oh) (zero|oh) (zero|oh), one/i)
})

t.test('languages: the one asked for, that of the site, else English; times in the zone of the reminder', async (t) => {
  t.equal(words('es-MX', 'en-US').language, 'es-MX')
  t.equal(words('it', 'de').language, 'de-DE')
  t.equal(words('it', 'pt-BR').language, 'en-US')
  const when = (language: string, at: string, zone = 'Europe/Madrid') => words(language).reminderCall.when(localTime(Date.parse(at), zone))
  t.equal(when('es', '2026-03-09T13:30:00Z'), 'el lunes, 9 de marzo, a las 2 y 30 de la tarde')
  t.equal(when('es', '2026-03-09T12:00:00Z'), 'el lunes, 9 de marzo, a la 1 de la tarde')
  t.equal(when('fr', '2026-04-01T12:30:00Z', 'Europe/Paris'), 'le mercredi 1er avril, à 14 heures 30')
  t.equal(when('fr', '2026-04-01T10:00:00Z', 'Europe/Paris'), 'le mercredi 1er avril, à midi')
  t.equal(when('de', '2026-03-09T13:30:00Z', 'Europe/Berlin'), 'am Montag, dem 9. März, um 14 Uhr 30')
  t.equal(when('de', '2026-03-09T00:00:00Z', 'Europe/Berlin'), 'am Montag, dem 9. März, um ein Uhr')
  t.equal(when('en', '2026-03-09T17:00:00Z', 'Europe/London'), 'on Monday, March 9, at 5 PM')
  t.equal(when('en', '2026-03-09T16:00:00Z', 'America/New_York'), 'on Monday, March 9, at noon')
  t.equal(when('en', '2026-03-09T02:05:00Z', 'Pacific/Auckland'), 'on Monday, March 9, at 3:05 PM')
  // The night in which the clocks change: the same instant is an hour apart from the day before.
  t.equal(when('en', '2026-03-07T14:00:00Z', 'America/New_York'), 'on Saturday, March 7, at 9 AM')
  t.equal(when('en', '2026-03-08T13:00:00Z', 'America/New_York'), 'on Sunday, March 8, at 9 AM')
  for (const language of ['en', 'es', 'fr', 'de']) {
    const spoken = scriptFacts(configWith({ reception: '101' }, { language }), { ...request, language: '' }, '+15550001000')
    for (const events of [[human], [human, key('2')], [human, key('7')], [human, key('0'), { type: 'reception-away' } as const]])
      for (const step of run(events, spoken)) t.notMatch(saidIn(step), /undefined|\[object|  /, language)
    t.match(spoken.opening, /Maria/)
    t.match(spoken.message, 'Riverside Clinic')
  }
})

t.test('first names', async (t) => {
  const table = {
    'Maria Lopez': 'Maria',
    'Lopez, Maria': 'Maria',
    'Mrs. Lopez': 'Mrs. Lopez',
    'Dr. John Smith': 'John',
    'Lopez, Dr. Maria': 'Maria',
    Cher: 'Cher',
    '': '',
    ' Ann \n Lee ': 'Ann',
    'Frau Müller': 'Frau Müller',
    '<speak>x': 'speak',
  }
  for (const [name, first] of Object.entries(table)) t.equal(firstName(name), first, name)
})

t.test('how a call ended, in the words of the planner', async (t) => {
  const row = { answeredAt: 1, answeredBy: 'human', endReason: 'callee-hangup', endedBy: 'callee', sipCode: 200 } as const
  const result = (more: object, decision: null | 'confirmed' = null, stage: ScriptState['stage'] = 'menu') =>
    resultOf({ ...row, ...more } as never, { decision, stage, connected: 'endReason' in more && more.endReason === 'routed-ended' })
  const not = { answeredAt: null }
  t.same(result({}, 'confirmed', 'over'), { kind: 'answer', outcome: 'confirmed', reason: 'keypad' })
  t.match(result({}), { kind: 'no-input' })
  t.match(result({}, null, 'sure'), { kind: 'no-input' })
  t.match(result({ endReason: 'routed-ended' }, null, 'reception'), { kind: 'reception' })
  t.match(result({}, null, 'reception'), { kind: 'no-input' }, 'nobody had answered there yet')
  t.match(result({ answeredBy: 'machine', endReason: 'app-hangup', endedBy: 'app' }, null, 'message'), { kind: 'voicemail' })
  t.match(result({ answeredBy: 'machine' }, null, 'message'), { kind: 'no-answer' })
  t.match(result({ answeredBy: 'machine' }), { kind: 'no-answer' })
  for (const endReason of ['failed', 'media-timeout', 'shutdown', 'app-error', 'canceled', 'api'])
    t.match(result({ endReason }), { kind: 'failed', text: String }, endReason)
  t.match(result({ ...not, endReason: 'busy', sipCode: 486 }), { kind: 'busy' })
  t.match(result({ ...not, endReason: 'no-answer', sipCode: 480 }), { kind: 'no-answer' })
  t.match(result({ ...not, endReason: 'rejected', sipCode: 603 }), { kind: 'no-answer' })
  t.match(result({ ...not, endReason: 'failed', sipCode: 404 }), { kind: 'failed', text: 'the network answered 404' })
  t.match(result({ ...not, endReason: 'failed', endedBy: 'system', sipCode: 488 }), {
    kind: 'failed',
    text: 'the box ended the call with 488',
  })
  t.match(result({ ...not, endReason: 'failed', sipCode: 0 }), { kind: 'failed', text: 'the line was lost' })
  t.match(result({ ...not, endReason: 'unreachable', sipCode: 0 }), { kind: 'not-placed' }, 'an outage is no absent patient')
})

const onTheLine = (samples: Int16Array) => samples.map((sample) => ulawToLinear(linearToUlaw(sample)))
/** Hiss of a line, the same on every run. */
function hiss(ms: number, amplitude: number): Int16Array {
  let seed = 7
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648 - 0.5
  return Int16Array.from({ length: ms * 8 }, () => (random() + random() + random()) * amplitude)
}
function verdicts(samples: Int16Array, amplitude: number): { what: string; atMs: number }[] {
  const all = concat(samples, silence(5000))
  const noise = hiss(all.length / 8, amplitude)
  const heard = onTheLine(all.map((sample, at) => sample + noise[at]!))
  const greeting = new Greeting()
  const found: { what: string; atMs: number }[] = []
  for (let at = 0; at + 160 <= heard.length; at += 160) {
    const what = greeting.frame(heard.subarray(at, at + 160))
    if (what !== null) found.push({ what, atMs: greeting.heardMs })
    if (what === 'human' || what === 'recording') break
  }
  return found
}

t.test('a short hello is a person, long unbroken speech or a beep is a machine, on a quiet and on a noisy line', async (t) => {
  const greeting = concat(
    silence(300),
    speech('You have reached Maria Lopez. I cannot take your call. Please leave a message after the tone.'),
  )
  const spokenMs = greeting.length / 8
  for (const noise of [0, 120, 600]) {
    const hello = concat(silence(400), speech('Hello?'))
    const [person] = verdicts(hello, noise)
    t.equal(person?.what, 'human')
    t.ok(
      person!.atMs - hello.length / 8 < 900 && person!.atMs > hello.length / 8,
      `spoken to ${person!.atMs - hello.length / 8} ms after hello`,
    )
    t.match(verdicts(concat(silence(200), speech('Hello, this is Maria, who is calling?')), noise), [{ what: 'human' }])
    t.same(verdicts(silence(100), noise), [{ what: 'human', atMs: 1500 }], 'nobody says a word')
    const beeped = verdicts(concat(greeting, silence(700), tone(1000, 500)), noise)
    t.match(beeped, [{ what: 'machine' }, { what: 'recording' }])
    t.ok(Math.abs(beeped[1]!.atMs - (spokenMs + 1200)) <= 60, `${beeped[1]!.atMs} of ${spokenMs + 1200}`)
    const unbeeped = verdicts(greeting, noise)
    t.match(unbeeped, [{ what: 'machine' }, { what: 'recording' }])
    t.ok(Math.abs(unbeeped[1]!.atMs - (spokenMs + 2000)) < 300, `${unbeeped[1]!.atMs} of ${spokenMs + 2000}`)
  }
  const endless = concat(...Array.from({ length: 12 }, () => greeting))
  t.match(verdicts(endless, 0).at(-1), { what: 'recording', atMs: 30_000 }, 'a greeting without an end')
})

t.test('beeps of many pitches are found; keys, ringback and speech are none', async (t) => {
  const found = (samples: Int16Array) => {
    const finder = new BeepFinder()
    const heard = onTheLine(concat(samples, silence(100)))
    for (let at = 0; at + 160 <= heard.length; at += 160) if (finder.frame(heard.subarray(at, at + 160)) === 'over') return true
    return false
  }
  for (const hz of [400, 425, 440, 600, 800, 1000, 1200, 1400, 2000, 2500])
    for (const amplitude of [2000, 8000, 24_000]) t.ok(found(concat(silence(53), tone(hz, 250, amplitude))), `${hz} Hz ${amplitude}`)
  t.notOk(found(tone(1000, 100)), 'a blip')
  t.notOk(found(tone(1000, 400, 200)), 'far away')
  for (const name of '1590*') t.notOk(found(keyTone(name, 600)), `key ${name}`)
  t.notOk(found(tone([440, 480], 2000)), 'ringback')
  t.notOk(found(tone([350, 440], 2000)), 'dial tone')
  for (const text of [
    'You too? Who moved to the moon so soon?',
    'Aaaah. Hmmmm. Eeeeh.',
    'One two three four five six seven eight nine ten',
  ])
    t.notOk(found(speech(text)), text)
})
