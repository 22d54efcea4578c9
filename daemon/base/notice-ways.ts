/** The ways in which people are notified. Each way belongs to a part, and has the name that the configuration gives it under `notify`. */
import { Registry } from './registry.ts'

export interface Notice {
  /** An address of that way. */
  readonly to: string
  /** One line, for ways that have one above the text. */
  readonly subject: string
  /** All there is to say, in lines. */
  readonly text: string
  /** The same in as few words as a telephone shows. */
  readonly brief: string
  /** What it belongs to, such as `emergency:<callId>`. */
  readonly about: string
  readonly attachment?: NoticeAttachment
}

export interface NoticeAttachment {
  readonly filename: string
  readonly content: Uint8Array<ArrayBuffer>
}

export interface NoticeWay {
  /** The largest attachment that it takes; 0 for none. */
  readonly mostAttachmentBytes: number
  /** Resolves when it is durable; `alongside` runs in the same transaction. Rejects with NoticeRefused where it is of no use to try again. */
  tell(notice: Notice, alongside?: () => void): Promise<void>
}

export type NoticeWays = Registry<Readonly<Record<string, NoticeWay>>>

/** @param names of the keys under `notify` */
export const createNoticeWays = (names: readonly string[]): NoticeWays => new Registry('way to notify people', names)

/** It will not be delivered, for this reason. */
export class NoticeRefused extends Error {}

const passing: readonly string[] = ['overloaded', 'storage_full', 'daily_limit']

/** What the refusal of a queue, with its code, means for a notice. */
export function refusalOf(code: string, message: string, cause?: unknown): Error {
  return passing.includes(code) ? new Error(message, { cause }) : new NoticeRefused(message, { cause })
}

/** The addresses and their ways in a `notify`: anything else in it is no address. */
export function addressees(notify: Readonly<Record<string, unknown>>): { readonly way: string; readonly to: string }[] {
  return Object.entries(notify).flatMap(([way, addresses]) =>
    (Array.isArray(addresses) ? addresses : [addresses]).flatMap((to: unknown) => (typeof to === 'string' ? [{ way, to }] : [])),
  )
}
