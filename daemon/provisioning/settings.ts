/** The settings of a phone, as the templates of its kind name them. */
import mustache from 'mustache'
import { ApiError } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import { languagesOf } from '../schema/config/pbx-extensions.ts'
import { houseNumberIn } from '../schema/house-numbers.ts'
import { primarySubtag } from '../words/tag.ts'
import { words, type Wording } from '../words/words.ts'
import type { Kind, KindFile } from './kinds.ts'
import type { Phone } from './phones.ts'
import { zoneRule, type Change } from './zone.ts'

/** Ports of the SIP listeners; null for those that are off. */
export interface SipPorts {
  readonly udp: number | null
  readonly tcp: number | null
  readonly tls: number | null
}

export interface Surroundings {
  readonly config: Config
  readonly ports: SipPorts
  /** The name or address by which the phone reaches this box, without a port. */
  readonly server: string
  /** Of its own: where it comes again. */
  readonly url: string
  readonly adminPassword: string
  readonly mac: string | null
  /** Milliseconds since the epoch. */
  readonly now: number
}

const escapes: Readonly<Record<Kind['escape'], (text: string) => string>> = {
  line: (text) => text,
  xml: (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
  uri: (text) => text,
}

/** What cannot be said in a file of that way of writing. */
// oxlint-disable-next-line no-control-regex
const unsayable: Readonly<Record<Kind['escape'], RegExp>> = { line: /[\0-\x1f\x7f]/, xml: /[\0-\x1f\x7f]/, uri: /[\0-\x20\x7f";<>,]/ }

/** The text of a file. Throws ApiError not_supported. */
export function settingsFile({ kind, template }: KindFile, phone: Phone, around: Surroundings): string {
  return mustache.render(template, viewOf(kind, phone, around), undefined, {
    escape: (value: unknown) => escapes[kind.escape](String(value)),
  })
}

function viewOf(kind: Kind, { extension, keys }: Phone, { config, ports, server, url, adminPassword, mac, now }: Surroundings): object {
  const own = config.extensions.find(({ number }) => number === extension)
  if (own === undefined) throw new ApiError('extension_unknown', `There is no extension ${extension}.`)
  if (unsayable[kind.escape].test(own.password))
    throw new ApiError('not_supported', `The password of ${extension} has a character that phones of this kind do not accept.`)
  const transport = ports.tls === null ? (ports.udp === null ? 'tcp' : 'udp') : 'tls'
  const srtp = own.srtp === 'auto' ? (transport === 'tls' ? 'required' : 'off') : own.srtp
  const language = primarySubtag(own.language ?? config.site.language)
  const said: Readonly<Record<string, string>> = { transport, srtp, savp: srtp, srtpOffer: srtp, srtpRequire: srtp, language }
  const { pickup, ownMailbox } = config.featureCodes
  return {
    extension,
    name: plain(own.name === '' ? extension : own.name),
    password: own.password,
    server,
    host: server.includes(':') ? `[${server}]` : server,
    port: ports[transport],
    words: Object.fromEntries(Object.entries(kind.words).map(([name, words]) => [name, words[said[name] ?? ''] ?? ''])),
    voicemail: ownMailbox === false ? '' : ownMailbox,
    pickup: pickup === false ? '' : pickup,
    zone: zoneView(config.site.timeZone, now),
    keys: (keys ?? colleagues(config, extension)).slice(0, kind.keys).map((number, at) => ({
      number,
      text: plain(labelOf(config, number, words(...languagesOf(config, extension)))),
      ...Object.fromEntries(Object.entries(kind.counters).map(([name, [first, step]]) => [name, first + step * at])),
    })),
    adminPassword,
    mac: mac ?? '',
    url,
    secure: url.startsWith('https:'),
    path: url.replace(/^https?:\/\//, ''),
  }
}

/** Names go into many kinds of files: without what any of them takes for an end. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\0-\x1f\x7f"<>;\\\s]+/g, ' ').trim()
}

function colleagues({ extensions }: Config, own: string): string[] {
  return extensions.map(({ number }) => number).filter((number) => number !== own)
}

function labelOf(config: Config, number: string, { phones }: Wording): string {
  const extension = config.extensions.find((one) => one.number === number)
  if (extension !== undefined) return extension.name === '' ? number : extension.name
  const reached = number === config.featureCodes.queueLogin ? 'queue' : (houseNumberIn(config, [number])?.kind ?? '')
  const labels: Readonly<Record<string, (number: string) => string>> = phones
  return labels[reached]?.(number) ?? number
}

const two = (value: number): string => String(value).padStart(2, '0')

function zoneView(zone: string, now: number): object {
  const { posix, offsetMinutes, summer } = zoneRule(zone, now)
  const hours = offsetMinutes / 60
  return {
    posix,
    offsetSeconds: offsetMinutes * 60,
    quarters: offsetMinutes / 15,
    signedHours: `${hours < 0 ? '-' : '+'}${Math.trunc(Math.abs(hours))}${hours % 1 === 0 ? '' : `:${two(Math.abs(offsetMinutes) % 60)}`}`,
    summer: summer && {
      start: changeView(summer.start),
      end: changeView(summer.end),
      minutes: summer.minutes,
      seconds: summer.minutes * 60,
    },
  }
}

function changeView({ month, week, day, hour }: Change): object {
  const isoDay = day === 0 ? 7 : day
  return {
    month,
    week,
    day,
    hour,
    isoDay,
    sundayFirst: day + 1,
    last: week === 5 ? 1 : 0,
    weekOrLast: week === 5 ? -1 : week,
    firstDate: week === 5 ? 1 : (week - 1) * 7 + 1,
    month2: two(month),
    week2: two(week),
    isoDay2: two(isoDay),
    hour2: two(hour),
  }
}
