import fc from 'fast-check'
import t from 'tap'
import { afterStep, Alarm, systemClock } from '../../daemon/base/clock.ts'
import { ClockSteps } from '../../daemon/box/time/part.ts'
import { ClockTrust } from '../../daemon/box/time/clock-trust.ts'
import { forLog, placeOf } from '../../daemon/base/for-log.ts'
import { ApiError, errorTable, type ErrorCode } from '../../daemon/base/errors.ts'
import { callIdPattern, idPattern, newCallId, newId, newRequestId } from '../../daemon/base/ids.ts'
import { createLog, maskNumber } from '../../daemon/base/log.ts'
import { normaliseNumber } from '../../daemon/numbers/numbers.ts'
import { destinationText, parseDestination } from '../../daemon/schema/destination.ts'
import { sign, signatureHeader, signedHeaders, timestampHeader, verify } from '../../daemon/base/signing.ts'
import { openStore } from '../../daemon/store/store.ts'
import { FakeClock } from '../harness/fake-clock.ts'

t.test('signing', async (t) => {
  const secret = 'whsec_example'
  t.test('agrees with the published test vectors', async (t) => {
    t.equal(sign(secret, 1772460311, '{"event":"fax.sent"}'), 'sha256=918621c4cdfaff87b4c8b6c695bf31c0ef8e1e694cd6f56438eac27075207135')
    t.equal(sign(secret, 1772460311, ''), 'sha256=c5b7e390cb353e070ffb510af2e3c4a32de796bd115ecab263213864a5ebf96b')
    t.equal(sign(secret, 1772460311, Buffer.from('{"event":"fax.sent"}')), sign(secret, 1772460311, '{"event":"fax.sent"}'))
  })
  t.test('what it signs it accepts, and nothing that differs in a byte', async () => {
    const now = 1772460311_500
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ minLength: 1 }), fc.nat(), (body, key, at) => {
        const headers = signedHeaders(key, now, body)
        const given = { signature: headers[signatureHeader]!, timestamp: headers[timestampHeader]! }
        const changed = Uint8Array.from([...body, 1])
        if (body.length > 0) changed[at % body.length]! ^= 1
        return (
          verify(['other', key], given, body, now) === 'ok' &&
          verify([key], given, changed, now) === 'invalid' &&
          verify([`${key}x`], given, body, now) === 'invalid' &&
          verify([], given, body, now) === 'invalid'
        )
      }),
    )
  })
  t.test('tells a missing, a wrong and an old signature apart', async (t) => {
    const at = 1772460311
    const good = { signature: sign(secret, at, 'x'), timestamp: String(at) }
    t.equal(verify([secret], {}, 'x', at * 1000), 'missing')
    t.equal(verify([secret], { signature: good.signature }, 'x', at * 1000), 'missing')
    t.equal(verify([secret], { ...good, timestamp: 'soon' }, 'x', at * 1000), 'invalid')
    t.equal(verify([secret], { ...good, timestamp: `0${at}` }, 'x', at * 1000), 'invalid')
    t.equal(verify([secret], good, 'x', (at + 300) * 1000), 'ok')
    t.equal(verify([secret], good, 'x', (at + 301) * 1000), 'stale')
    t.equal(verify([secret], good, 'x', (at - 301) * 1000), 'stale')
    t.equal(verify(['wrong'], good, 'x', (at + 301) * 1000), 'invalid', 'a wrong signature learns nothing about the clock')
  })
})

t.test('ids are of their pattern, unique, and sort by order of creation', async (t) => {
  const ids = Array.from({ length: 20_000 }, newId)
  t.ok(ids.every((id) => idPattern.test(id)))
  t.equal(new Set(ids).size, ids.length)
  t.same(ids, ids.toSorted())
  const calls = Array.from({ length: 100 }, newCallId)
  t.ok(calls.every((id) => callIdPattern.test(id)))
  t.same(calls, calls.toSorted())
  const at = parseInt(calls[0]!.slice(2, 14), 16)
  t.ok(Math.abs(at - Date.now()) < 10_000, 'the first 48 bits are the time')
  t.match(newRequestId(), idPattern)
})

t.test('every error code has a status and a title, and an error carries them', async (t) => {
  for (const [code, { status, title }] of Object.entries(errorTable)) {
    t.match(code, /^[a-z]+(_[a-z]+)*$/)
    t.ok(status >= 400 && status < 600 && title.length > 0, code)
    t.equal(new ApiError(code as ErrorCode, 'x').status, status)
  }
  const cause = new Error('inner')
  const error = new ApiError('body_too_large', 'too large', {
    extra: { limitBytes: 5 },
    details: [{ path: '/a', message: 'b' }],
    retryAfterSeconds: 3,
    cause,
  })
  t.match(error, { code: 'body_too_large', status: 413, extra: { limitBytes: 5 }, retryAfterSeconds: 3 })
  t.equal(error.cause, cause)
})

t.test('numbers', async (t) => {
  const us = (raw: string) => normaliseNumber(raw, 'US', new Set(['101', '2000']))
  t.test('every way of writing a number is the same number', async (t) => {
    for (const raw of [
      '+12125550100',
      '212-555-0100',
      '(212) 555 0100',
      '212.555.0100',
      '212/555/0100',
      '%2B12125550100',
      '+1 (212) 555-0100',
      '0111 212 555 0100'.replace('0111', '1'),
    ]) {
      t.match(us(raw), { kind: 'e164', e164: '+12125550100', raw, dial: '+12125550100' })
    }
    t.match(normaliseNumber('0501234567', 'IL'), { kind: 'e164', e164: '+972501234567' })
  })
  t.test('short numbers are recognised before the numbering plan', async (t) => {
    t.match(us('911'), { kind: 'emergency', dial: '911', e164: null })
    t.match(us('1-1-2'), { kind: 'emergency', dial: '112' })
    t.match(normaliseNumber('999', 'GB'), { kind: 'emergency' })
    t.match(us('101'), { kind: 'extension', dial: '101' })
    t.match(us('102'), { kind: 'short', dial: '102' })
    t.match(us('*98'), { kind: 'short', dial: '*98' })
  })
  t.test('what is only possible is warned of, what is neither is refused', async (t) => {
    t.match(us('+15550001000'), { kind: 'e164', warning: /numbering plan/ })
    t.equal(us('+12125550100').warning, undefined)
    t.match(us('12125550100;ext=1'), { kind: 'e164', e164: '+12125550100' }, 'parameters are no part of a number')
    for (const raw of ['', 'abc', ';ext=1', '+', '+1', '1234567', 'sip:a@b', '+1212555010012345678'])
      t.match(us(raw), { kind: 'invalid', e164: null, dial: '' }, raw)
  })
  t.test('never throws, and E.164 stays E.164', async () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('US', 'GB', 'IL', 'XX'), (raw, country) => {
        const { e164 } = normaliseNumber(raw, country)
        return e164 === null || normaliseNumber(e164, 'DE').e164 === e164
      }),
    )
  })
})

t.test('numbers are masked in logs, extensions are not', async (t) => {
  t.equal(maskNumber('+1 212 555 0100'), '***0100')
  t.equal(maskNumber('101'), '101')
  t.equal(maskNumber('anonymous'), '***')
  t.equal(maskNumber(''), '')
  t.equal(createLog({ level: 'silent' }).level, 'silent')
})

t.test('what is logged keeps no patient: foreign words are masked, what leads a technician on stays', async (t) => {
  const table: readonly (readonly [string, string])[] = [
    ['550 5.1.1 <pat.doe@example.org> unknown', '550 5.1.1 <***@***> unknown'],
    ['no mailbox pat@clinic here', 'no mailbox ***@*** here'],
    ['to +1 (555) 123-4567 failed', 'to ***4567 failed'],
    ['MRN4711234 and MRN-4711234', 'MRN***1234 and MRN-***1234'],
    ['5551234567', '***4567'],
    ['room 101, 123456', 'room 101, 123456'],
    ['https://me:pw@app.example/voice/5551234567?patient=Pat#x answered 500', 'https://app.example/voice/***4567 answered 500'],
    ['GET /voice?patient=Pat+Doe&mrn=1 failed', 'GET /voice failed'],
    ['must be a number, not "Pat \\" Doe"', 'must be a number, not "***"'],
    ['"Pat Doe is cut o', '"***"'],
    ["Unexpected token 'P', “Pat” «Doe» ‘x’", "Unexpected token '***', “***” «***» ‘***’"],
    ["the provider's list of the clinic's texts", "the provider's list of the clinic's texts"],
    ['call CA019a5b3c4d5e7f808192a3b4c5d6e7f8', 'call CA019a5b3c4d5e7f808192a3b4c5d6e7f8'],
    ['019a5b3c-4d5e-7f80-8192-123456789012', '019a5b3c-4d5e-7f80-8192-123456789012'],
    ['2026-03-02T14:05:19.410Z from 192.168.100.200:61234', '2026-03-02T14:05:19.410Z from 192.168.100.200:61234'],
    ['sip:101@127.0.0.1:5060', 'sip:101@127.0.0.1:5060'],
    ['sip:pat.doe@example.org', 'sip:***@***'],
  ]
  for (const [said, shown] of table) t.equal(forLog(said), shown)
  t.equal(placeOf('https://u:p@app.example:3000/calls/CA019a5b3c/pat%40x?mrn=1'), 'https://app.example:3000/calls/*/*')

  let line = ''
  const log = createLog({ to: { write: (text) => void (line = text) } })
  const secret = /doe|5551234567|4711234|example\.org/i
  const error = new Error('550 <doe@example.org>', { cause: new Error('not "Doe"') })
  const said = { any: { deep: ['"Doe" of +1 555 123 4567'] }, url: 'http://x/?n=Doe' }
  const ways: readonly (() => void)[] = [
    () => log.info(said, 'not "Doe", but doe@example.org'),
    () => log.error({ err: error }),
    () => log.error(error),
    () => log.error(error, 'for "Doe"'),
    () => log.warn('%s called', '5551234567'),
    () => log.info({ who: 'MRN4711234 "Doe"', callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8' }, 'x'),
  ]
  for (const write of ways) {
    write()
    t.notMatch(line, secret)
    t.match(JSON.parse(line), { level: String, msg: String })
  }
  t.match(line, 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8')
})

t.test('destinations', async (t) => {
  t.same(parseDestination('endpoint:reception'), { kind: 'endpoint', id: 'reception' })
  t.same(parseDestination('101'), { kind: 'extension', number: '101' })
  t.same(parseDestination('voicemail:101'), { kind: 'voicemail', extension: '101' })
  t.same(parseDestination('group:a.b'), { kind: 'group', id: 'a.b' })
  t.same(parseDestination('hangup'), { kind: 'hangup' })
  // Rows of calls have these.
  t.same(parseDestination('park:'), { kind: 'park', number: '' })
  t.same(parseDestination('park:701'), { kind: 'park', number: '701' })
  t.same(parseDestination('parked:701'), { kind: 'parked', number: '701' })
  for (const text of ['101', 'external:+15550001000', 'voicemail:101', 'group:a.b', 'fax', 'park:', 'park:701', 'parked:701'])
    t.equal(destinationText(parseDestination(text)!), text)
  for (const text of ['', 'endpoint:', 'endpoint:a b', 'nowhere', '+15550001000', 'queue:../x'])
    t.equal(parseDestination(text), undefined, text)
  for (const text of ['extension:101', 'parked:x', 'constructor:1']) t.equal(parseDestination(text), undefined, text)
})

t.test('clocks', async (t) => {
  t.test('the system clock calls once, later, and not after a cancel', async (t) => {
    let canceled = false
    systemClock.after(1, () => (canceled = true)).cancel()
    systemClock.after(2 ** 40, () => t.fail('a long timer fired at once')).cancel()
    const before = systemClock.now()
    await new Promise<void>((resolve) => systemClock.after(5, resolve))
    t.ok(systemClock.now() - before >= 4)
    t.equal(canceled, false)
  })
  t.test('the fake clock runs timers in order, also those set on the way', async (t) => {
    const clock = new FakeClock(1000)
    const seen: string[] = []
    clock.after(20, () => seen.push(`b${clock.now()}`))
    clock.after(10, () => {
      seen.push(`a${clock.now()}`)
      clock.after(5, () => seen.push(`c${clock.now()}`))
    })
    clock.after(15, () => seen.push('never')).cancel()
    t.equal(clock.next, 10)
    clock.advance(20)
    t.same(seen, ['a1010', 'c1015', 'b1020'])
    t.equal(clock.pending, 0)
  })
  t.test('an alarm rings when it was asked to, however the time of day is set', async (t) => {
    const clock = new FakeClock()
    let rung = 0
    const alarm = new Alarm(clock, () => void (rung += 1))
    alarm.within(3 * 3_600_000)
    clock.set(clock.now() + 4 * 3_600_000)
    alarm.within(0)
    clock.advance(0)
    t.equal(rung, 1, 'at once after a step forward')
    alarm.within(1000)
    clock.set(clock.now() - 3_600_000)
    clock.advance(1000)
    t.equal(rung, 2, 'in a second after a step back')
  })
  t.test('an alarm that was stopped rings no more, however it is asked; one that was canceled does', async (t) => {
    const clock = new FakeClock()
    let rung = 0
    const alarm = new Alarm(clock, () => void (rung += 1))
    alarm.within(5)
    alarm.cancel()
    clock.advance(10)
    t.equal(rung, 0)
    alarm.within(5)
    clock.advance(10)
    t.equal(rung, 1)
    alarm.within(5)
    alarm.stop()
    // As a line that ends while its part stops.
    alarm.within(5)
    clock.advance(10)
    t.same([rung, clock.pending], [1, 0])
  })
  t.test('a step is told once, with its size; drift is not', async (t) => {
    const clock = new FakeClock()
    const steps = new ClockSteps(clock, createLog({ level: 'silent' }))
    const seen: number[] = []
    steps.onStep((ms) => seen.push(ms))
    steps.start()
    clock.advance(5000)
    clock.set(clock.now() + 500)
    clock.advance(5000)
    clock.set(clock.now() - 3_600_000)
    clock.advance(5000)
    clock.set(clock.now() + 1_800_000_000_000)
    clock.advance(5000)
    steps.stop()
    t.same(seen, [-3_600_000, 1_800_000_000_000])
    t.equal(clock.pending, 0)
    t.equal(afterStep(9000, -8000, 1000, 60_000), 1000, 'as far away as it was')
    t.equal(afterStep(9000, 0, 1000, 5000), 6000, 'never further than the longest pause')
  })
  t.test('a clock is believed once it followed a time server, and as long as the machine runs', async (t) => {
    const store = await openStore(t.testdir(), createLog({ level: 'silent' }))
    t.teardown(() => store.close())
    const clock = new FakeClock()
    let answer: boolean | null = false
    const asked = (bootId: string, always = false) =>
      new ClockTrust({ store, clock, log: createLog({ level: 'silent' }), ask: async () => answer, bootId, always })
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    const trust = asked('one')
    trust.start()
    await turn()
    t.notOk(trust.trusted(), 'hours off, perhaps')
    answer = true
    clock.advance(15_000)
    await turn()
    t.ok(trust.trusted())
    t.equal(clock.pending, 0, 'not asked again')
    while (store.tables.meta.get('clockFollowedSince') === undefined) await turn()
    answer = false
    t.ok(asked('one').trusted(), 'the line to the outside fails after a restart of the daemon')
    t.notOk(asked('two').trusted(), 'the machine starts anew')
    t.ok(asked('two', true).trusted(), 'its administrator believes it')
    answer = null
    const silent = asked('two')
    silent.start()
    await turn()
    t.ok(silent.trusted(), 'it is not known')
    silent.stop()
  })
})
