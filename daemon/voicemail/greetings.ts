/**
 * Greetings: a file of the configuration, or what people recorded at their phones. Each recorded one is a file that is whole or not there;
 * where a new one is cut off, the old one stays.
 */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../base/ids.ts'
import { placeMedia } from '../inbox/text-media.ts'
import type { MailboxConfig } from '../schema/config.ts'
import { madeFolder } from '../store/disk.ts'

/** `usual`: for an owner who does not answer or is not there. */
export const greetingKinds = ['usual', 'busy'] as const
export type GreetingKind = (typeof greetingKinds)[number]

const draftEnding = '.new.wav'

export class Greetings {
  readonly #dir: string
  readonly #mailboxes: readonly MailboxConfig[]

  constructor(storageDir: string, mailboxes: readonly MailboxConfig[]) {
    this.#dir = join(storageDir, 'greetings')
    this.#mailboxes = mailboxes
    madeFolder(this.#dir)
  }

  /** Where the recorded greeting is, if there is one. */
  file(ext: string, kind: GreetingKind): string {
    return join(this.#dir, `${ext}-${kind}.wav`)
  }

  async has(ext: string, kind: GreetingKind): Promise<boolean> {
    return exists(this.file(ext, kind))
  }

  /**
   * Name of the prompt that a caller hears who found the mailbox's people busy or not: what was recorded for that, else the usual one, else
   * the file of the configuration. null: the greeting is text.
   */
  async prompt(ext: string, kind: GreetingKind): Promise<string | null> {
    for (const recorded of kind === 'busy' ? (['busy', 'usual'] as const) : (['usual'] as const))
      if (await this.has(ext, recorded)) return `${ext}:${recorded}`
    return this.#configured(ext) === null ? null : `${ext}:file`
  }

  /** The file of a prompt of `prompt`; null where it is none. */
  fileOf(prompt: string): string | null {
    const [ext = '', what = ''] = prompt.split(':')
    if (what === 'file') return this.#configured(ext)
    const kind = greetingKinds.find((known) => known === what)
    return kind === undefined || !/^\d+$/.test(ext) ? null : this.file(ext, kind)
  }

  /** A name for what is to be recorded. */
  draft(): string {
    madeFolder(this.#dir)
    return join(this.#dir, `${newId()}${draftEnding}`)
  }

  /** The draft is the greeting from now on; on the disk when this resolves. */
  async keep(draft: string, ext: string, kind: GreetingKind): Promise<void> {
    await placeMedia(draft, this.file(ext, kind))
  }

  async drop(draft: string): Promise<void> {
    await Promise.all([draft, `${draft}.part`].map((file) => rm(file, { force: true })))
  }

  async remove(ext: string, kind: GreetingKind): Promise<void> {
    await rm(this.file(ext, kind), { force: true })
  }

  /** What the last run of the daemon left unfinished is dropped. */
  async start(): Promise<void> {
    const drafts = (await readdir(this.#dir).catch(() => [])).filter((name) => name.includes(draftEnding))
    await Promise.all(drafts.map((name) => rm(join(this.#dir, name), { force: true })))
  }

  #configured(ext: string): string | null {
    const greeting = this.#mailboxes.find((mailbox) => mailbox.ext === ext)?.greeting
    return typeof greeting === 'object' ? greeting.file : null
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null
}
