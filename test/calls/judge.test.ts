/** The judge of the study of calls: what it excuses, it excuses by what the daemon wrote, and nothing else. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Judge, type Told } from '../proofs/calls/judge.ts'
import { newPerson, type Kind, type Person, type Step } from '../proofs/calls/people.ts'
import { Witness } from '../proofs/calls/witness.ts'

const daemon = 7
const killedAt = 1000

/** Came for one thing, whose last key was acknowledged at `done`. */
function someone(number: number, kind: Kind, done: number, ending: Step['ending'] = 'finish'): Person {
  const digits = kind === 'message' ? '#' : kind === 'key' ? '5' : '123'
  const step: Step = { kind, ending, digits, afterMs: 0, asked: 1, done }
  return { ...newPerson(number, () => 0), steps: [step], pressed: [...digits].map(() => done - 1) }
}

function verdict(
  t: Test,
  people: readonly Person[],
  account: readonly [string, string, string][],
  told: readonly Partial<Told>[] = [],
  killed = true,
) {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-judge-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'witness')
  const lines = account.map(([callId, what, text]) => JSON.stringify({ pid: daemon, callId, what, text }))
  // The last line was cut by the kill.
  writeFileSync(file, `${lines.join('\n')}\n{"pid":7,"cal`)
  const judge = new Judge({
    witness: new Witness(file),
    blows: [{ kind: killed ? 'daemon' : 'engine', at: killedAt, pid: daemon }],
    calls: new Map(people.map(({ name }) => [name, name])),
    people: new Map(people.map((person) => [person.name, person])),
    empty: new Set(['R0']),
  })
  const events = told.map((event) => ({
    at: 0,
    event: 'gather.completed',
    eventId: 'e',
    step: 0,
    digits: '',
    reason: '',
    recordingId: '',
    ...event,
  }))
  return judge.judge(people[0]!, events)[0]!.verdict
}

t.test('a key that nothing says the daemon had read is excused by its kill, not by that of the engine', async (t) => {
  const person = someone(1, 'key', killedAt - 1)
  const begun = [['P1', 'verb', 'gather']] as [string, string, string][]
  t.equal(verdict(t, [person], begun), 'the daemon was killed before it had read of it')
  t.equal(verdict(t, [person], begun, [], false), 'lost')
})

t.test('a key is lost when another that left after it was acknowledged had been read, however shortly before the kill', async (t) => {
  const early = someone(1, 'key', killedAt - 3)
  const late = someone(2, 'key', killedAt - 1)
  const account = [
    ['P1', 'verb', 'gather'],
    ['P2', 'verb', 'gather'],
    ['P2', 'heard', '5'],
  ] as [string, string, string][]
  t.equal(verdict(t, [early, late], account), 'lost')
  t.equal(verdict(t, [late, early], account), 'the daemon was killed before it was on the disk', 'it had just heard of the later one')
  t.equal(verdict(t, [late, early], [...account, ['P1', 'begun', 'R1']]), 'lost', 'and had time for something else')
})

t.test('an input that was finished is lost once it, or a later one, was on the disk', async (t) => {
  const person = someone(1, 'key', 10)
  const account = [
    ['P1', 'verb', 'gather'],
    ['P1', 'heard', '5'],
    ['P1', 'finished', 'e1 http://app/voice/0'],
    ['P2', 'finished', 'e2 http://app/voice/0'],
  ] as [string, string, string][]
  t.equal(verdict(t, [person], account), 'the daemon was killed before it was on the disk')
  t.equal(verdict(t, [person], [...account, ['P1', 'stored', 'e1']]), 'lost')
  t.equal(verdict(t, [person], [...account, ['P2', 'stored', 'e2']]), 'lost')
  t.equal(verdict(t, [person], account, [], false), 'lost', 'the daemon lived')
})

t.test('a message with a row is to be told, unless it had no sample yet', async (t) => {
  const begun = (id: string) =>
    [
      ['P1', 'verb', 'record'],
      ['P1', 'begun', id],
    ] as [string, string, string][]
  t.equal(verdict(t, [someone(1, 'message', 0)], begun('R1')), 'lost')
  t.equal(verdict(t, [someone(1, 'message', 0)], begun('R0')), 'the recording had no sample yet when its daemon was killed')
  t.equal(verdict(t, [someone(1, 'message', 900)], begun('R0')), 'lost', 'whose end was acknowledged had samples')
  t.equal(verdict(t, [someone(1, 'message', 0)], [['P1', 'verb', 'record']]), 'gone before the box listened')
})

t.test('what was told is held against what was pressed, and told once', async (t) => {
  const person = someone(1, 'keys', 10)
  const account = [
    ['P1', 'verb', 'gather'],
    ['P1', 'heard', '1'],
    ['P1', 'heard', '2'],
    ['P1', 'heard', '3'],
  ] as [string, string, string][]
  t.equal(verdict(t, [person], account, [{ digits: '123' }]), 'told')
  t.equal(verdict(t, [person], account, [{ digits: '12' }]), 'wrong')
  t.equal(verdict(t, [person], account.slice(0, 3), [{ digits: '12' }], false), 'wrong', 'the engine has told of what it acknowledged')
  t.equal(verdict(t, [person], account, [{ digits: '123' }, { digits: '123', eventId: 'f' }]), 'twice')
})
