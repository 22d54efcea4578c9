/** The mailbox at the phone: who may open it, and what is played and done there as the machine of visits says. */
import { readFile } from 'node:fs/promises'
import { readWav } from '../../../drivers/wav.ts'
import type { Clip } from '../../../drivers/line.ts'
import type { Call } from '../../calls/call.ts'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/errors.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../schema/config.ts'
import { mailboxOf } from '../../schema/config/mailboxes.ts'
import { languagesOf } from '../../schema/config/pbx-extensions.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { InboxVoicemailRow } from '../../store/tables.ts'
import type { Boxes } from '../boxes.ts'
import type { Forwarder } from '../mailboxes.ts'
import type { Greetings } from '../greetings.ts'
import type { Pins } from '../pins.ts'
import { words, type Said } from '../../words/words.ts'
import { Dialogue, type MenuPhrase } from './dialogue.ts'
import type { Locks } from './locks.ts'
import { Settings, type SettingsVisit } from './settings.ts'
import { beginning, visitStep, type Visit, type VisitInput, type VisitStep } from './visit.ts'

/** What is done at a phone, for the audit trail. */
export interface MenuDeeds {
  /** On the trail when it resolves. */
  listened(extension: string, id: string): Promise<void>
  /** Inside a transaction. `id`: of the copy. */
  forwarded(extension: string, id: string): void
  settings(extension: string, ext: string): SettingsVisit
}

export interface MailboxMenuOptions {
  readonly config: Config
  readonly boxes: Boxes
  readonly locks: Locks
  readonly inbox: Pick<Inbox, 'media'>
  readonly speaker: Pick<Speaker, 'prepare'>
  readonly clock: Clock
  readonly log: Log
  readonly pins: Pick<Pins, 'needed' | 'opens' | 'set'>
  readonly greetings: Greetings
  readonly forwarder: Pick<Forwarder, 'forward'>
  readonly deeds: MenuDeeds
  /** Whether the caller who showed that number may be called back. */
  readonly canCallBack: (number: string) => boolean
  /** Removes a message for good. */
  readonly remove: (extension: string, id: string) => Promise<void>
}

const mostPins = 3
const mostBoxDigits = 15
const keySeconds = 8
const digitSeconds = 5
const samplesPerMs = 8

export class MailboxMenu {
  readonly #options: MailboxMenuOptions
  readonly #settings: Settings

  constructor(options: MailboxMenuOptions) {
    this.#options = options
    this.#settings = new Settings(options)
  }

  /** A phone opens a mailbox; '' asks which. Resolves with a number to call back, or null where the visit has ended. */
  async open(call: Call, ext: string): Promise<string | null> {
    const { clock, config, speaker } = this.#options
    // It listens before the answer: a phone that dials the PIN with the number sends its first key at once.
    const dialogue = new Dialogue(call, clock, speaker, words(...languagesOf(config, call.row.extension)))
    try {
      if (!(await call.answer())) return null
      const box = ext === '' ? await this.#askBox(dialogue) : ext
      call.note('state', `mailbox ${box}`)
      return (await this.#admitted(dialogue, call.row.extension, box)) ? await this.#visit(dialogue, call, box) : null
    } finally {
      dialogue.close()
    }
  }

  async #askBox(dialogue: Dialogue): Promise<string> {
    await dialogue.say(dialogue.phrase('enterBox'))
    return dialogue.number(digitSeconds, mostBoxDigits)
  }

  /** A box without a PIN opens at the phone of its extension; one of no extension at every phone. */
  async #admitted(dialogue: Dialogue, extension: string, ext: string): Promise<boolean> {
    const { config, locks, pins } = this.#options
    const closed = await pins.needed(ext)
    const personal = config.extensions.some(({ number }) => number === ext)
    if (mailboxOf(config, ext) === undefined || (!closed && personal && ext !== extension)) return this.#refuse(dialogue, 'closed')
    if (!closed) return true
    for (let tries = 0; tries < mostPins && !dialogue.over; tries += 1) {
      if (locks.isLocked(ext, extension)) return this.#refuse(dialogue, 'locked')
      await dialogue.say(...(tries === 0 ? [] : [dialogue.phrase('wrongPin')]), dialogue.phrase('enterPin'))
      const pin = await dialogue.number(digitSeconds, 10)
      if (dialogue.over) return false
      if (await pins.opens(ext, pin)) return true
      await locks.wrong(ext, extension)
    }
    return this.#refuse(dialogue, locks.isLocked(ext, extension) ? 'locked' : 'goodbye')
  }

  async #refuse(dialogue: Dialogue, name: MenuPhrase): Promise<false> {
    await dialogue.say(dialogue.phrase(name))
    return false
  }

  async #visit(dialogue: Dialogue, call: Call, ext: string): Promise<string | null> {
    const { boxes, remove, log, canCallBack } = this.#options
    const rows = new Map(boxes.messages(ext).map(({ message }) => [message.id, message]))
    let visit: Visit = beginning(
      boxes.messages(ext).map(({ message: { id, from }, heard }) => ({ id, heard, from, callable: canCallBack(from) })),
    )
    let input: VisitInput | null = { type: 'begin' }
    let dial: string | null = null
    while (input !== null && !dialogue.over) {
      const step: VisitStep = visitStep(visit, input)
      visit = step.visit
      if (step.heard !== null && !visit.deleted.has(step.heard)) await this.#heard(ext, step.heard)
      dial = step.end?.dial ?? null
      input = await this.#carryOut(dialogue, call, ext, step, rows)
    }
    for (const id of visit.deleted)
      await remove(call.row.extension, id).catch((error: unknown) =>
        log.warn({ err: error, ext, voicemail: id }, 'a message could not be deleted'),
      )
    return dial
  }

  /** What happened meanwhile; null: the visit has ended. */
  async #carryOut(
    dialogue: Dialogue,
    call: Call,
    ext: string,
    { said, play, aside, end }: VisitStep,
    rows: ReadonlyMap<string, InboxVoicemailRow>,
  ): Promise<VisitInput | null> {
    for (const name of said) await dialogue.say(name === 'counts' ? this.#counts(dialogue, ext) : dialogue.phrase(name))
    if (end !== null) return null
    if (aside !== null) {
      if (aside.kind === 'settings') await this.#settings.open(dialogue, this.#options.deeds.settings(call.row.extension, ext))
      else await this.#forward(dialogue, call, rows.get(aside.message.id)!)
      return dialogue.over ? null : { type: 'back' }
    }
    let atMs: number | null = null
    if (play !== null) {
      const row = rows.get(play.message.id)!
      if (play.introduced) await dialogue.say(this.#introduction(dialogue, row))
      const clip = await this.#clip(row.id)
      await this.#options.deeds.listened(call.row.extension, row.id)
      atMs = clip === null ? null : await dialogue.play(clip, Math.min(play.fromMs, clip.samples.length / samplesPerMs))
      if (atMs === null && !dialogue.over) return { type: 'played' }
    }
    const key = await dialogue.key(keySeconds)
    return key === null ? null : { type: 'key', key, atMs }
  }

  async #forward(dialogue: Dialogue, call: Call, message: InboxVoicemailRow): Promise<void> {
    const { forwarder, deeds, log } = this.#options
    await dialogue.say(dialogue.phrase('enterForward'))
    const to = await dialogue.number(digitSeconds, mostBoxDigits)
    if (to === '') return
    if (to === message.ext) return dialogue.say(dialogue.phrase('noSuchBox'))
    try {
      await forwarder.forward(message, to, (id) => deeds.forwarded(call.row.extension, id))
      await dialogue.say(dialogue.phrase('forwarded'))
    } catch (error) {
      const unknown = error instanceof ApiError && error.code === 'mailbox_unknown'
      if (!unknown) log.error({ err: error, voicemail: message.id, to }, 'a message could not be forwarded')
      await dialogue.say(dialogue.phrase(unknown ? 'noSuchBox' : 'notKept'))
    }
  }

  async #heard(ext: string, id: string): Promise<void> {
    const { boxes, log } = this.#options
    // Somebody else has deleted it meanwhile.
    await boxes.mark(ext, id, true).catch((error: unknown) => log.info({ err: error, ext, voicemail: id }, 'a message is gone'))
  }

  async #clip(id: string): Promise<Clip | null> {
    const { inbox, log } = this.#options
    const media = inbox.media('voicemails', id)
    if (media === undefined || media === 'purged') return null
    try {
      return { key: `voicemail ${id}`, samples: readWav(await readFile(media.file)).samples }
    } catch (error) {
      log.error({ err: error, voicemail: id }, 'a message cannot be played')
      return null
    }
  }

  #counts(dialogue: Dialogue, ext: string): Said {
    const { fresh, old } = this.#options.boxes.counts(ext)
    return dialogue.said(dialogue.words.mailboxMenu.counts(fresh, old))
  }

  #introduction(dialogue: Dialogue, { from, callerName, receivedAt }: InboxVoicemailRow): Said {
    const { timeZone } = this.#options.config.site
    const digits = [...from.replaceAll(/\D/g, '')].join(' ')
    const who = [callerName, digits].filter((text) => text !== '').join(', ')
    const form = { timeZone, weekday: 'long', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const
    const { language, mailboxMenu } = dialogue.words
    const at = new Intl.DateTimeFormat(language, form).format(receivedAt)
    return dialogue.said(mailboxMenu.from(who === '' ? mailboxMenu.withheld : who, at))
  }
}
