/** What is checked of a mail before it is accepted, and how it becomes a message and a row. */
import { basename } from 'node:path'
import { decodeBase64, type Base64Fault } from '../base/base64.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { KeptClass } from '../store/store.ts'
import type { MailRow } from '../store/tables.ts'
import { readAddress, type MailAddress } from '../base/mail-address.ts'
import type { MailFiles } from './files.ts'
import type { MailQueue } from './queue.ts'

export interface MailRequest {
  readonly to: string
  readonly subject: string
  readonly html?: string
  readonly text?: string
  /** What it notifies somebody of. */
  readonly about?: string
  readonly attachment?: {
    readonly filename: string
    readonly base64: string
    /** The content where it was decoded already, or what is wrong with the text: base64 is not looked at then. */
    readonly decoded?: Uint8Array<ArrayBuffer> | Base64Fault
  }
}

export interface MailDeskOptions {
  readonly queue: MailQueue
  readonly files: MailFiles
  readonly clock: Clock
  /** Sender, as configured. */
  readonly from: string
  readonly validityMs: number
  readonly answerMs: number
}

export const mostAttachmentBytes = 10 * 1024 * 1024
const longestName = 150

export class MailDesk {
  readonly #options: MailDeskOptions

  constructor(options: MailDeskOptions) {
    this.#options = options
  }

  /**
   * Resolves with the row as it is when the server answered, or after some seconds; the mail is durable before. `alongside`
   * runs in the transaction of its row, which is kept as rows of `as` are. Throws ApiError: validation_failed, attachment_too_large, overloaded, storage_full.
   */
  async submit(request: MailRequest, alongside: (row: MailRow) => void = () => undefined, as?: KeptClass): Promise<MailRow> {
    const { queue, files, clock, answerMs } = this.#options
    const to = checkedAddress(request.to)
    const attachment = request.attachment === undefined ? undefined : checkedAttachment(request.attachment)
    if (request.html === undefined && request.text === undefined) {
      throw refused('/text', 'is required where html is not given')
    }
    queue.checkRoom()
    const { about } = request
    const row = { ...this.#rowFor(to.address, request.subject), ...(about === undefined ? {} : { about }) }
    const message = await this.#compose(row, to, request, attachment)
    row.bytes = message.length
    try {
      await files.keep(row.mailId, message)
      await queue.add(row, () => alongside(row), as)
    } catch (error) {
      await files.drop(row.mailId)
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      throw new ApiError('storage_full', 'The storage is full: free some space on the disk.', { retryAfterSeconds: 30, cause: error })
    }
    await queue.attempted(row.mailId, clock, answerMs)
    return queue.find(row.mailId) ?? row
  }

  #rowFor(to: string, subject: string): MailRow {
    const { clock, from, validityMs } = this.#options
    const sender = readAddress(from)
    const now = clock.now()
    return {
      mailId: newId(),
      from: typeof sender === 'string' ? from : sender.address,
      to,
      subject,
      bytes: 0,
      state: 'queued',
      attempts: 0,
      nextAttemptAt: now,
      createdAt: now,
      expiresAt: now + validityMs,
      completedAt: null,
      reply: '',
      error: '',
      accountFault: false,
    }
  }

  /** The same bytes on every attempt: a server that got it twice knows it by its Message-ID. */
  async #compose(row: MailRow, to: MailAddress, request: MailRequest, attachment?: { filename: string; content: Buffer }): Promise<Buffer> {
    // Loaded with the first mail: few boxes have an account.
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
    const { subject, html, text } = request
    return new MailComposer({
      from: this.#options.from,
      to: { name: to.name, address: to.address },
      subject,
      ...(html === undefined ? {} : { html }),
      ...(text === undefined ? {} : { text }),
      messageId: `<${row.mailId}@${row.from.slice(row.from.lastIndexOf('@') + 1)}>`,
      date: new Date(row.createdAt),
      // A reply to a machine's mail by a machine is nobody's wish (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(attachment === undefined ? {} : { attachments: [attachment] }),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build()
  }
}

function refused(path: string, message: string): ApiError {
  return new ApiError('validation_failed', `"${path.slice(1).replaceAll('/', '.')}" ${message}.`, { details: [{ path, message }] })
}

function checkedAddress(text: string): MailAddress {
  const address = readAddress(text)
  if (typeof address === 'string') throw refused('/to', address)
  return address
}

function checkedAttachment({ filename, base64, decoded }: NonNullable<MailRequest['attachment']>): { filename: string; content: Buffer } {
  // oxlint-disable-next-line no-control-regex -- names of files that hold control characters are no names
  const clean = basename(filename.replaceAll('\\', '/').replaceAll(/[\u0000-\u001f\u007f]/g, '')).trim()
  if (clean === '' || clean === '.' || clean === '..') throw refused('/attachment/filename', 'must be the name of a file')
  const content = decoded ?? decodeBase64(base64, mostAttachmentBytes)
  if (content === 'empty') throw refused('/attachment/base64', 'must not be empty')
  if (content === 'not-base64') throw refused('/attachment/base64', 'must be Base64')
  if (content === 'too-large') {
    throw new ApiError('attachment_too_large', `The attachment is larger than the ${mostAttachmentBytes} bytes allowed.`, {
      extra: { limitBytes: mostAttachmentBytes },
    })
  }
  return { filename: [...clean].slice(-longestName).join(''), content: Buffer.from(content.buffer) }
}
