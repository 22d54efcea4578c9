/** The account at the mail server: one connection, kept open while there is something to send; and what its answers mean. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import type { MailRow } from '../store/tables.ts'
import { replyCode, type MailResult } from './job.ts'

type MailConfig = NonNullable<Config['mail']>

interface SmtpError extends Error {
  readonly code?: string
  /** Of the reply, where there was one. */
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

export interface MailAccountOptions {
  readonly log: Log
  /** Name of the site, for EHLO's sake where it is a host name. */
  readonly name: string
  readonly socketTimeoutMs?: number
}

const connectMs = 10_000

export class MailAccount {
  readonly server: string
  readonly #transport: ReturnType<typeof transportOf>

  constructor(config: MailConfig, { socketTimeoutMs = 60_000 }: MailAccountOptions) {
    this.server = config.server
    this.#transport = transportOf(config, socketTimeoutMs)
  }

  /** Never rejects. */
  async deliver(row: MailRow, message: Readable): Promise<MailResult> {
    try {
      const { response } = await this.#transport.sendMail({ envelope: { from: row.from, to: [row.to] }, raw: message })
      return { kind: 'delivered', reply: oneLine(response) }
    } catch (error) {
      return judge(error as SmtpError, this.server)
    } finally {
      message.destroy()
    }
  }

  /** Connects and logs in, without a mail. A sentence where that fails, undefined where it works. */
  async probe(): Promise<string | undefined> {
    try {
      await this.#transport.verify()
      return undefined
    } catch (error) {
      const result = judge(error as SmtpError, this.server)
      return result.kind === 'delivered' ? undefined : result.text
    }
  }

  close(): void {
    this.#transport.close()
  }
}

function transportOf(config: MailConfig, socketTimeoutMs: number) {
  const { server, tls, username, password, caFile } = config
  const at = server.lastIndexOf(':')
  const host = server.slice(0, at).replace(/^\[|\]$/g, '')
  // Where no account is configured, it is not loaded.
  const { createTransport } = createRequire(import.meta.url)('nodemailer') as typeof import('nodemailer')
  return createTransport({
    host,
    port: Number(server.slice(at + 1)),
    secure: tls === 'on',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    tls: { minVersion: 'TLSv1.2', ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }) },
    ...(username === '' ? {} : { auth: { user: username, pass: password } }),
    pool: true,
    maxConnections: 1,
    // What a lost connection means for a mail is decided by the queue.
    maxRequeues: 0,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: socketTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Replies that are about the account although they come as the answer to a mail: log in first, encrypt first (RFC 4954 6). */
const accountReplies: ReadonlySet<number> = new Set([421, 454, 530, 534, 535, 538])
/** Commands before any mail: what fails there is no mail's fault. */
const opening = /^(CONN|EHLO|HELO|LHLO|STARTTLS|AUTH\b.*|QUIT)$/

function judge(error: SmtpError, server: string): MailResult {
  const { code = '', responseCode, command = '' } = error
  const reply = oneLine(error.response ?? '')
  const account = (text: string): MailResult => ({ kind: 'temporary', text, reply, account: true })
  if (responseCode !== undefined && responseCode > 0) {
    if (code === 'EAUTH' || responseCode === 535 || responseCode === 534)
      return account(`The mail server refuses the login: ${codeAndWords(reply)}`)
    if (accountReplies.has(responseCode) || opening.test(command)) return account(`The mail server says: ${codeAndWords(reply)}`)
    if (responseCode >= 500) return { kind: 'refused', text: `The mail server refused the mail: ${reply}`, reply }
    return { kind: 'temporary', text: `The mail server deferred the mail: ${reply}`, reply, account: false }
  }
  if (code === 'EMESSAGE') return { kind: 'refused', text: 'The mail is larger than the mail server accepts.', reply }
  if (code === 'EENVELOPE')
    return { kind: 'refused', text: `The mail server does not accept this address: ${oneLine(error.message)}`, reply }
  if (code === 'EAUTH') return account(`The mail server ${server} refuses the login: ${oneLine(error.message)}`)
  return account(`The mail server ${server} cannot be reached: ${oneLine(error.message)}`)
}

/** What a fault of the account says goes to the log and to `/readyz`, which show the codes and not what is quoted. */
function codeAndWords(reply: string): string {
  const code = replyCode(reply)
  const words = reply.slice(code.length).trim().replaceAll('"', "'")
  return [code, ...(words === '' ? [] : [`"${words}"`])].filter((part) => part !== '').join(' ')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}
