/** What people change about their mailbox at the phone: greetings, which they hear, record and delete, and the PIN. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { readWav } from '../../../drivers/wav.ts'
import type { Log } from '../../base/log.ts'
import type { Greetings, GreetingKind } from '../greetings.ts'
import type { Pins } from '../pins.ts'
import type { Dialogue, MenuPhrase } from './dialogue.ts'

export interface SettingsOptions {
  readonly greetings: Greetings
  readonly pins: Pick<Pins, 'set'>
  readonly log: Log
}

/** Who changes what. */
export interface SettingsVisit {
  readonly ext: string
  /** On the audit trail when it resolves. */
  readonly noted: (deed: 'mailbox.greeting') => Promise<void>
  /** Inside a transaction. */
  readonly record: (deed: 'mailbox.pin') => void
}

const keySeconds = 8
const digitSeconds = 5
const longestGreetingSeconds = 120
const leastGreetingMs = 1000
const mostPinDigits = 10

export class Settings {
  readonly #options: SettingsOptions

  constructor(options: SettingsOptions) {
    this.#options = options
  }

  /** Until the person at the phone goes back, says nothing, or hangs up. */
  async open(dialogue: Dialogue, visit: SettingsVisit): Promise<void> {
    while (!dialogue.over) {
      switch (await this.#ask(dialogue, 'settings')) {
        case '1':
          await this.#greeting(dialogue, visit, 'usual')
          break
        case '2':
          await this.#greeting(dialogue, visit, 'busy')
          break
        case '3':
          await this.#pin(dialogue, visit)
          break
        case '*':
        case '#':
        case null:
          return
      }
    }
  }

  async #greeting(dialogue: Dialogue, visit: SettingsVisit, kind: GreetingKind): Promise<void> {
    const { greetings } = this.#options
    while (!dialogue.over) {
      switch (await this.#ask(dialogue, 'greetingMenu')) {
        case '1':
          await this.#play(dialogue, greetings.file(visit.ext, kind))
          break
        case '2':
          await this.#record(dialogue, visit, kind)
          break
        case '3':
          await greetings.remove(visit.ext, kind)
          await visit.noted('mailbox.greeting')
          await dialogue.say(dialogue.phrase('greetingDeleted'))
          break
        case '*':
        case '#':
        case null:
          return
      }
    }
  }

  async #play(dialogue: Dialogue, file: string): Promise<void> {
    const { log } = this.#options
    try {
      const content = await readFile(file)
      await dialogue.play({ key: createHash('sha256').update(content).digest('hex'), samples: readWav(content).samples }, 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log.error({ err: error, file }, 'a greeting cannot be played')
      await dialogue.say(dialogue.phrase('noGreeting'))
    }
  }

  /** The greeting that was there stays until the new one is kept. */
  async #record(dialogue: Dialogue, visit: SettingsVisit, kind: GreetingKind): Promise<void> {
    const { greetings, log } = this.#options
    const draft = greetings.draft()
    try {
      for (let again = true; again && !dialogue.over;) {
        again = false
        await dialogue.say(dialogue.phrase('recordNow'))
        const { durationMs, reason } = await dialogue.record(draft, longestGreetingSeconds)
        if (dialogue.over) return
        if (reason === 'failed' || durationMs < leastGreetingMs)
          return await dialogue.say(dialogue.phrase(reason === 'failed' ? 'notKept' : 'tooShort'))
        await this.#play(dialogue, draft)
        const key = await this.#ask(dialogue, 'keepGreeting')
        again = key === '2'
        if (key !== '1') continue
        await greetings.keep(draft, visit.ext, kind)
        await visit.noted('mailbox.greeting')
        await dialogue.say(dialogue.phrase('greetingKept'))
      }
    } catch (error) {
      log.error({ err: error, ext: visit.ext }, 'a greeting could not be kept')
      await dialogue.say(dialogue.phrase('notKept'))
    } finally {
      await greetings
        .drop(draft)
        .catch((error: unknown) => log.warn({ err: error }, 'a greeting that was not kept stays until the next start'))
    }
  }

  async #pin(dialogue: Dialogue, visit: SettingsVisit): Promise<void> {
    const { pins, log } = this.#options
    const pin = await this.#digits(dialogue, 'newPin')
    if (dialogue.over || pin === '') return
    if (!/^\d{4,10}$/.test(pin)) return dialogue.say(dialogue.phrase('pinForm'))
    if (pin !== (await this.#digits(dialogue, 'newPinAgain'))) return dialogue.say(dialogue.phrase('pinDiffers'))
    try {
      await pins.set(visit.ext, pin, () => visit.record('mailbox.pin'))
      await dialogue.say(dialogue.phrase('pinSet'))
    } catch (error) {
      log.error({ err: error, ext: visit.ext }, 'a PIN could not be kept')
      await dialogue.say(dialogue.phrase('notKept'))
    }
  }

  async #digits(dialogue: Dialogue, name: MenuPhrase): Promise<string> {
    await dialogue.say(dialogue.phrase(name))
    return dialogue.number(digitSeconds, mostPinDigits)
  }

  async #ask(dialogue: Dialogue, name: MenuPhrase): Promise<string | null> {
    await dialogue.say(dialogue.phrase(name))
    return dialogue.key(keySeconds)
  }
}
