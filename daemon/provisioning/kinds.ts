/** The kinds of phones that are provisioned: a file of data each, which says what a phone asks for and what is written into it. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../base/root.ts'

/** A file of `kinds/`. */
export interface Kind {
  /** Name of the file. */
  readonly id: string
  readonly name: string
  /** Regular expression of its User-Agent. */
  readonly userAgent: string
  /** The first three octets of its MAC addresses, 6 digits in lower case. */
  readonly macs: readonly string[]
  /** How values are written so that they stay values. */
  readonly escape: 'line' | 'xml' | 'uri'
  /** The most keys with lamps that are filled in. */
  readonly keys: number
  /** Numbers that count with the keys: the first, and the step. */
  readonly counters: Readonly<Record<string, readonly [number, number]>>
  /** What it calls transports (udp, tcp, tls), SRTP (off, optional, required) and languages. */
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly files: readonly {
    /** Regular expression of the name it asks for, in any case; {mac} stands for its MAC address. */
    readonly name: string
    /** Media type. */
    readonly type: string
    /** Mustache. */
    readonly template: string
  }[]
}

export interface KindFile {
  readonly kind: Kind
  readonly type: string
  readonly template: string
}

const folder = join(root, 'daemon/provisioning/kinds')
let kept: ReadonlyMap<string, Kind> | undefined

/** By id, such as yealink. Read at the first use. */
export function kinds(): ReadonlyMap<string, Kind> {
  return (kept ??= new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .toSorted()
      .map((file) => [basename(file, '.yaml'), read(file)]),
  ))
}

function read(file: string): Kind {
  return { ...(parse(readFileSync(join(folder, file), 'utf8')) as Omit<Kind, 'id'>), id: basename(file, '.yaml') }
}

/** The file of that kind that bears this name; undefined where it has none. */
export function fileOf(kind: Kind, name: string): KindFile | undefined {
  const found = kind.files.find((file) => new RegExp(file.name.replaceAll('{mac}', '[0-9a-f]{12}'), 'i').test(name))
  return found && { kind, ...found }
}

/** The kind of a phone that sends this User-Agent; undefined where nothing identifies it. */
export function kindOf(userAgent: string, mac: string | null): Kind | undefined {
  const all = [...kinds().values()]
  return (
    all.find((kind) => new RegExp(kind.userAgent).test(userAgent)) ?? all.find(({ macs }) => mac !== null && macs.includes(mac.slice(0, 6)))
  )
}

/** The MAC address in the name of a file or in a User-Agent, 12 digits in lower case; null where there is none. */
export function macIn(text: string): string | null {
  const plain = /(?<![0-9a-f])(?!0{12})([0-9a-f]{12})(?![0-9a-f])/i.exec(text)?.[1]
  const pairs = /(?<![0-9a-f])([0-9a-f]{2}(?:[:-][0-9a-f]{2}){5})(?![0-9a-f])/i.exec(text)?.[1]
  return (plain ?? pairs?.replaceAll(/[:-]/g, ''))?.toLowerCase() ?? null
}
