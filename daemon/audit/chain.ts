/**
 * The hash chain of the audit trail: each row carries the SHA-256 of itself and of the row before, numbers have no gaps. Pruning the old
 * end leaves an anchor, the number and hash of the last row removed; the row that records the pruning names it too.
 */
import { hash } from 'node:crypto'
import type { Table } from '../store/store.ts'
import type { AuditRow, MetaRow } from '../store/tables.ts'

/** A place in the chain: the row of that number has that hash. */
export interface Link {
  readonly seq: number
  readonly hash: string
}

export type LinkName = 'audit:head' | 'audit:anchor'

export const origin: Link = { seq: 0, hash: '0'.repeat(64) }

/** As a key, in the meta table and on the command line: `<seq>:<hash>`. */
export function linkText({ seq, hash: text }: Link): string {
  return `${seq}:${text}`
}

export function parseLink(text: string): Link | undefined {
  const parts = /^(\d{1,16}):([0-9a-f]{64})$/.exec(text)
  return parts === null ? undefined : { seq: Number(parts[1]), hash: parts[2]! }
}

export function readLink(meta: Table<MetaRow>, name: LinkName): Link {
  return parseLink(String(meta.get(name) ?? '')) ?? origin
}

export function auditKey(seq: number): string {
  return String(seq).padStart(16, '0')
}

/** The `hash` of a row, and the JSON of both; the order of the members is part of what is hashed. */
export function seal(row: Omit<AuditRow, 'hash'>): { own: string; text: string } {
  const text = JSON.stringify(row)
  const own = hash('sha256', text)
  return { own, text: `${text.slice(0, -1)},"hash":"${own}"}` }
}

export function hashOf({ hash: _, ...row }: AuditRow): string {
  return hash('sha256', JSON.stringify(row))
}
