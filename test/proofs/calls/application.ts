/** The application that people reach: asks each for what it came to do, is in a bad mood now and then, and remembers what it was sent. */
import type { Application } from '../../harness/app.ts'
import { pause } from '../../harness/scene.ts'
import type { Told } from './judge.ts'
import type { Person } from './people.ts'

export class Desk {
  readonly people = new Map<string, Person>()
  /** By the name of the person. */
  readonly told = new Map<string, Told[]>()
  /** The name of the person by the id of the call. */
  readonly calls = new Map<string, string>()
  /** Ids of `call.ended` by the id of the call. */
  readonly ended = new Map<string, Set<string>>()
  readonly #app: Application
  readonly #random: () => number
  readonly #refused = new Set<string>()

  constructor(app: Application, random: () => number) {
    this.#app = app
    this.#random = random
    app.script = (event, { path }) => this.#answer(event, path)
    app.status = (event) => {
      if (event.event === 'call.ended') this.ended.set(event.callId, (this.ended.get(event.callId) ?? new Set()).add(event.eventId))
      return { status: 204 }
    }
  }

  async #answer(event: any, path: string) {
    const person = this.people.get(event.callerName)
    if (person === undefined) return []
    this.calls.set(event.callId, person.name)
    if (event.event === 'call.inbound.pre_route') return this.#document(person, 0)
    const n = Number(path.split('/')[2])
    const mood = this.#random()
    // Refused once; an application that refuses everything gets nothing.
    if (mood < 0.08 && !this.#refused.has(event.eventId)) {
      this.#refused.add(event.eventId)
      return { status: 503 }
    }
    const { digits = '', reason, recordingId = '' } = event
    const told = { at: performance.now(), event: event.event, eventId: event.eventId, step: n, digits, reason, recordingId }
    if (mood > 0.08 && mood < 0.2) await pause(this.#random() * 900)
    const all = this.told.get(person.name)
    if (all === undefined) this.told.set(person.name, [told])
    else all.push(told)
    return reason === 'hangup' ? [] : this.#document(person, n + 1)
  }

  #document(person: Person, n: number): unknown[] {
    const step = person.steps[n]
    if (step === undefined || person.gone) return []
    step.asked = performance.now()
    person.ordered[n]!.resolve()
    const actionUrl = `${this.#app.url}/voice/${n}`
    if (step.kind === 'message') return [{ record: { playBeep: false, silenceTimeout: 0, initialTimeout: 0, maxSeconds: 20, actionUrl } }]
    return [{ gather: { numDigits: step.digits.length, timeout: 20, interDigitTimeout: 10, typeAhead: true, actionUrl } }]
  }
}
