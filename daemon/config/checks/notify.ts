/**
 * Checks, wherever the configuration names people, that those to be notified can be reached and that no setting of a notice is without
 * effect.
 */
import { addressees } from '../../base/notice-ways.ts'
import type { Config } from '../../schema/config.ts'
import { type MeaningContext, duplicates, type SectionCheck } from './context.ts'
import { notifyByText } from './sms.ts'
import type { Path } from '../source.ts'
import { accessSync, constants } from 'node:fs'
import { readAddress } from '../../base/mail-address.ts'
import { parseListen } from '../../schema/config/forms.ts'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { alarmWays } from '../../schema/alarm-ways.ts'
import { checkOpenTimes } from './hours.ts'

/** Of one way by which people are notified. */
export interface NotifyCheck {
  /** What is wrong with an address. */
  fault(to: string, config: Config): string | undefined
  /** What the configuration lacks for anything to be sent. */
  lacks(config: Config): string | undefined
}

type Notify = Readonly<Record<string, unknown>>

const notifyByMail: NotifyCheck = {
  fault(to) {
    const address = readAddress(to)
    return typeof address === 'string' ? address : undefined
  },
  lacks: ({ mail }) => (mail === undefined ? 'no mail is sent without the section mail' : undefined),
}

/** By their keys under `notify`. */
const notifyChecks: Readonly<Record<string, NotifyCheck>> = { mail: notifyByMail, sms: notifyByText }

export function checkNotify(path: Path, notify: Notify, config: Config, context: MeaningContext): void {
  for (const [way, check] of Object.entries(notifyChecks)) {
    const named = addressees({ [way]: notify[way] })
    const faults = named.map(({ to }) => check.fault(to, config))
    faults.forEach((fault, at) => {
      if (fault !== undefined) context.fault(Array.isArray(notify[way]) ? [...path, way, at] : [...path, way], fault)
    })
    const lacks = named.length === 0 ? undefined : check.lacks(config)
    if (lacks !== undefined && faults.every((fault) => fault === undefined)) context.warning([...path, way], lacks)
  }
}

interface Named {
  readonly path: Path
  readonly key: 'notify' | 'notifyMissed'
  readonly notify: Notify | undefined
  /** A further setting of what the mail holds. */
  readonly content?: { readonly key: string; readonly on: boolean }
}

function checkNotices(config: Config, context: MeaningContext): void {
  for (const { path, key, notify, content } of named(config)) {
    if (notify?.['mail'] === undefined) {
      if (notify?.['attach'] === true) context.warning([...path, key, 'attach'], 'nothing is attached without notify.mail')
      if (content?.on === true) context.warning([...path, content.key], 'no mail is sent without notify.mail')
    }
    checkNotify([...path, key], notify ?? {}, config, context)
  }
}

function named({ mailboxes, inbound, fax, sms, extensions, ringGroups, queues }: Config): Named[] {
  const missed = (section: string, all: readonly { readonly notifyMissed?: Notify }[]): Named[] =>
    all.map(({ notifyMissed: notify }, index) => ({ path: [section, index], key: 'notifyMissed', notify }))
  return [
    ...mailboxes.map(({ notify, transcriptInMail }, index): Named => ({
      path: ['mailboxes', index],
      key: 'notify',
      notify,
      content: { key: 'transcriptInMail', on: transcriptInMail },
    })),
    ...inbound.map(({ notify }, index): Named => ({ path: ['inbound', index], key: 'notify', notify })),
    { path: ['fax'], key: 'notify', notify: fax.notify },
    { path: ['sms'], key: 'notify', notify: sms.notify },
    ...sms.trunks.map(({ notify, textInMail }, index): Named => ({
      path: ['sms', 'trunks', index],
      key: 'notify',
      notify,
      content: { key: 'textInMail', on: textInMail && (sms.notify?.mail === undefined || addressees(notify ?? {}).length > 0) },
    })),
    ...missed('extensions', extensions),
    ...missed('ringGroups', ringGroups),
    ...missed('queues', queues),
  ]
}

// What the schema cannot say of the mail account.

/** What goes over the network without TLS, and what of the web port does. */
export interface Cleartext {
  /** Of the setting. */
  readonly path: Path
  readonly text: string
  /** What to write instead. */
  readonly fix: string
}

export function webCleartext({ http, crm }: Pick<Config, 'http' | 'crm'>): Cleartext[] {
  const found: Cleartext[] = []
  if (http.tls === undefined && !isLoopback(http.listen)) {
    found.push({
      path: ['http', 'listen'],
      text: `The web port ${http.listen} is open to the network without TLS: others on the network can read access tokens, faxes and recordings`,
      fix: 'http: { tls: { cert: FILE, key: FILE } }, or http.listen on 127.0.0.1 behind a proxy with TLS',
    })
  }
  if (http.tls === undefined && !isLoopback(http.listen) && crm.secret !== '' && crm.auth === 'signed') {
    found.push({
      path: ['crm', 'auth'],
      text: 'A signature of the CRM is enough for /api/pbx, without TLS: anyone who intercepts a signed GET can send other requests for five minutes',
      fix: 'http.tls, crm: { auth: signed+bearer }, or crm: { allow: [ADDRESS] }',
    })
  }
  return found
}

/** True as well for what is no address: that has its own fault. */
function isLoopback(listen: string): boolean {
  const host = parseListen(listen)?.host
  return host === undefined || host === 'localhost' || host.startsWith('127.') || host === '::1'
}

function checkMail({ mail }: Config, { fault, warning }: MeaningContext): void {
  if (mail === undefined) return
  const server = parseListen(mail.server)
  if (server === undefined || server.port === 0)
    fault(['mail', 'server'], `"${mail.server}" is not a host and port; write for example smtp.example.com:587`)
  const from = readAddress(mail.from)
  if (typeof from === 'string') fault(['mail', 'from'], `the sender ${from}; write for example Riverside Clinic <office@example.com>`)
  if (mail.caFile !== undefined) {
    try {
      accessSync(mail.caFile, constants.R_OK)
    } catch {
      fault(['mail', 'caFile'], `the file ${mail.caFile} cannot be read by this user`)
    }
  }
  if (mail.username !== '' && mail.password === '') warning(['mail', 'password'], 'the password is missing')
}

export function mailCleartext({ mail }: Pick<Config, 'mail'>): Cleartext[] {
  if (mail?.tls !== 'off' || isLoopback(mail.server)) return []
  return [
    {
      path: ['mail', 'tls'],
      text: `Mail goes to ${mail.server} without TLS: others on the network can read the password and all mail`,
      fix: 'mail: { tls: starttls } or { tls: on }',
    },
  ]
}

/** What a schema cannot say of alarms: addresses that can be reached, hours that can be read. */
function checkAlarms(config: Config, context: MeaningContext): void {
  duplicates(['alarms'], 'id', config.alarms, context)
  config.alarms.forEach(({ notify, hours }, index) => {
    const path = ['alarms', index]
    const { call, webhook, ...written } = notify
    checkNotify([...path, 'notify'], written, config, context)
    if (hours !== undefined) checkOpenTimes([...path, 'hours'], hours, context)
    if (addressees(notify).length === 0)
      context.warning([...path, 'notify'], `this rule notifies no one; write ${alarmWays.slice(0, -1).join(', ')} or ${alarmWays.at(-1)}`)
    call.forEach((number, at) => checkCalled([...path, 'notify', 'call', at], number, config, context))
    webhook.forEach((text, at) => checkWebhook([...path, 'notify', 'webhook', at], text, config, context))
  })
}

function checkCalled(
  path: (string | number)[],
  number: string,
  { site, extensions, trunks }: Config,
  { fault, warning }: MeaningContext,
): void {
  const { kind } = normaliseNumber(number, site.country, new Set(extensions.map((extension) => extension.number)))
  if (kind === 'invalid') fault(path, `"${number}" is not a telephone number; write it as +15550001000`)
  else if (kind === 'emergency') fault(path, `${number} is an emergency number: programs must not call it`)
  else if (kind !== 'extension' && trunks.length === 0) warning(path, `${number} cannot be called without a trunk`)
}

function checkWebhook(path: (string | number)[], text: string, { callbacks }: Config, { fault, warning }: MeaningContext): void {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return fault(path, `"${text}" is not a URL; write for example https://monitor.example.com/pbx`)
  if (url.username !== '' || url.password !== '') return fault(path, 'the URL must not contain a user name or password')
  if (!callbacks.allowLoopback && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
    warning(path, 'requests to this machine itself are refused; write callbacks: { allowLoopback: true } to permit them')
}

export const checks: readonly SectionCheck[] = [
  [['mail'], checkMail],
  [['mailboxes', 'inbound', 'fax', 'sms', 'extensions', 'ringGroups', 'queues', 'mail', 'site'], checkNotices],
  [['alarms', 'site', 'extensions', 'trunks', 'callbacks'], checkAlarms],
]
