/** What a mailbox says, event by event. */
import t from 'tap'
import type { CallEvent } from '../../daemon/schema/events.ts'
import { words } from '../../daemon/words/words.ts'
import { greetingOf, leastMs, next, type Mailbox, type Stage } from '../../daemon/voicemail/script.ts'

const box: Mailbox = {
  words: words('en-US'),
  ext: '101',
  owner: 'Front desk',
  maxSeconds: 60,
  prompt: null,
  transcribe: true,
  transcriptInMail: false,
  operator: '102',
  full: false,
}

/** An event of the call with the members that the script reads. */
const event = (name: string, fields: Record<string, unknown> = {}): CallEvent => ({ event: name, ...fields }) as unknown as CallEvent
const gathered = (digits: string, reason = 'digits') => event('gather.completed', { digits, reason })
const recorded = (reason: string, durationMs: number, recordingId = 'r1') => event('record.completed', { reason, durationMs, recordingId })

const verbsOf = (document: readonly unknown[]): string[] => document.flatMap((verb) => Object.keys(verb as object))

t.test('each step: what is heard next, and what is kept', async (t) => {
  const rows: [what: string, stage: Stage, event: CallEvent, to: Stage, effect: string | undefined, verbs: string[]][] = [
    ['a call arrives', 'greeting', event('call.inbound.pre_route'), 'greeting', undefined, ['say', 'gather']],
    ['the greeting is over', 'greeting', gathered('', 'timeout'), 'recording', 'begin', ['record']],
    ['a key cuts it', 'greeting', gathered('5'), 'recording', 'begin', ['record']],
    ['0 is for the operator', 'greeting', gathered('0'), 'operator', undefined, ['route']],
    ['who is not there', 'operator', event('route.completed'), 'recording', 'begin', ['say', 'record']],
    ['the caller leaves during the greeting', 'greeting', gathered('', 'hangup'), 'end', undefined, []],
    ['a message, ended by #', 'recording', recorded('finish-key', leastMs), 'end', 'keep', ['say', 'say']],
    ['a message, ended by hanging up', 'recording', recorded('hangup', 9000), 'end', 'keep', ['say', 'say']],
    ['too short, once more', 'recording', recorded('finish-key', leastMs - 1), 'second', 'begin', ['say', 'record']],
    ['too short again', 'second', recorded('silence', 100), 'end', undefined, ['say']],
    ['nothing was said', 'recording', recorded('timeout', 10_000), 'second', 'begin', ['say', 'record']],
    ['hung up at once', 'recording', recorded('hangup', 500), 'end', undefined, ['say']],
    ['nothing was written', 'recording', recorded('hangup', 0, ''), 'end', undefined, ['say']],
    ['a full disk', 'recording', recorded('error', 0, ''), 'end', undefined, ['say']],
    ['a disk that filled up', 'recording', recorded('error', 7000), 'end', 'keep', ['say']],
  ]
  for (const [what, stage, happened, to, effect, verbs] of rows) {
    const step = next(box, stage, happened)
    t.match(step, { stage: to }, what)
    t.equal(step?.effect?.kind, effect, what)
    t.same(verbsOf(step?.document ?? []), verbs, what)
  }
  const full = next({ ...box, full: true }, 'greeting', event('call.inbound.pre_route'))
  t.match(full, { stage: 'end', effect: null }, 'no room on the disk')
  t.same(verbsOf(full?.document ?? []), ['say'], 'the caller is told, and asked for nothing')
  t.equal(next(box, 'recording', event('record.transcribed')), null, 'what is no concern of it')
  t.match(next({ ...box, operator: undefined } as unknown as Mailbox, 'greeting', gathered('0')), { stage: 'recording' }, 'no operator')
})

t.test('the greeting is that of the mailbox, or names whose it is', async (t) => {
  t.match(greetingOf(box), /^Front desk cannot take your call/)
  t.equal(greetingOf({ ...box, greeting: 'Leave a word.' }), 'Leave a word.')
})

t.test('callers are spoken to in the language of the site, and in English where the box has no words for it', async (t) => {
  const heard = (language: string) => next({ ...box, words: words(language) }, 'recording', recorded('finish-key', leastMs))?.document
  t.match(heard('de-AT'), [
    { say: { text: 'Ihre Nachricht wurde gespeichert.', language: 'de-AT' } },
    { say: { text: 'Auf Wiederhören.' } },
  ])
  t.match(heard('fi-FI'), [{ say: { text: 'Your message was saved.', language: 'en-US' } }, {}])
  t.match(greetingOf({ ...box, words: words('es-MX') }), /^Front desk no puede atender/)
})
