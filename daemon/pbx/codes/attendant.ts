/**
 * Speaks to the person who dialled a code: an application inside the daemon that says a phrase, asks for a key, and gives the call back.
 */
import type { Call } from '../../calls/call.ts'
import type { ApplicationRunner } from '../../routing/application.ts'
import type { Config } from '../../schema/config.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { CallEvent } from '../../schema/events.ts'
import { languagesOf } from '../../schema/config/pbx-extensions.ts'
import type { InternalApplication } from '../../voice/internal.ts'
import { fixedSentences, words, type Said, type Wording } from '../../words/words.ts'

export interface AttendantOptions {
  readonly config: Pick<Config, 'site' | 'extensions'>
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
}

interface Talk {
  readonly document: readonly unknown[]
  key: string
}

export type PhraseName = keyof Wording['codes']

const applicationName = 'codes'
const keySeconds = 6

export class Attendant implements InternalApplication {
  readonly name = applicationName
  readonly destinations = []
  readonly givesBack = true
  readonly #options: AttendantOptions
  readonly #talks = new Map<string, Talk>()

  constructor(options: AttendantOptions) {
    this.#options = options
  }

  /** Answers the call and says the phrase to its end. `number`: what it is about, read out key by key. */
  async say(call: Call, name: PhraseName, number = ''): Promise<void> {
    await this.#talk(call, [this.#spoken(call, name, number)])
  }

  /** The same, and waits for a key; '' where none came. */
  ask(call: Call, name: PhraseName, number = ''): Promise<string> {
    const gather = { input: 'dtmf', numDigits: 1, timeout: keySeconds, finishOnKey: '', bargeIn: 'dtmf' }
    return this.#talk(call, [this.#spoken(call, name, number), { gather }])
  }

  /** Has the sentences without numbers spoken ahead, so that nobody waits for a voice. */
  async warm(speaker: Pick<Speaker, 'prepare'>): Promise<void> {
    const { config } = this.#options
    const wordings = ['', ...config.extensions.map(({ number }) => number)].map((extension) => words(...languagesOf(config, extension)))
    for (const { language, codes } of new Map(wordings.map((one) => [one.language, one])).values())
      for (const text of fixedSentences(codes)) await speaker.prepare({ text, language, callId: applicationName }).late
  }

  async respond(event: CallEvent): Promise<readonly unknown[]> {
    const talk = this.#talks.get(event.callId)
    if (talk === undefined) return []
    if (event.event === 'call.inbound.pre_route') return talk.document
    if (event.event === 'gather.completed') talk.key = event.digits.slice(0, 1)
    return []
  }

  async #talk(call: Call, document: readonly unknown[]): Promise<string> {
    const talk: Talk = { document, key: '' }
    this.#talks.set(call.id, talk)
    try {
      await this.#options.applications.takeOver(call, applicationName, call.over, false)
    } finally {
      this.#talks.delete(call.id)
    }
    return talk.key
  }

  /** The phrase as it is said at the phones of that extension. */
  words(name: PhraseName, number: string, extension: string): Said {
    const { codes, language } = words(...languagesOf(this.#options.config, extension))
    const phrase = codes[name]
    return { text: typeof phrase === 'string' ? phrase : phrase([...number.replaceAll(/\D/g, '')].join(' ')), language }
  }

  #spoken({ row }: Call, name: PhraseName, number: string): unknown {
    return { say: this.words(name, number, row.extension) }
  }
}
