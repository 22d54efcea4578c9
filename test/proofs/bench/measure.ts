/** What a measurement answers: rows of a table, each with its target; and the arithmetic all of them share. */

export interface Row {
  readonly what: string
  /** Such as `<= 20 ms`; empty for a figure without a target. */
  readonly target: string
  readonly seen: string
  /** Undefined where there is no target. */
  readonly met?: boolean
  readonly note?: string
}

export interface Measurement {
  readonly name: string
  readonly title: string
  run(): Promise<Row[]>
}

export interface Spread {
  readonly n: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1))] ?? NaN
  return { n: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

/** A row whose target is an upper limit, in the target's own unit. */
export function atMost(what: string, limit: number, unit: string, seen: number, note = ''): Row {
  return { what, target: `<= ${limit} ${unit}`, seen: `${format(seen)} ${unit}`, met: seen <= limit, ...(note ? { note } : {}) }
}

export function atLeast(what: string, limit: number, unit: string, seen: number, note = ''): Row {
  return {
    what,
    target: `>= ${limit}${unit && ` ${unit}`}`,
    seen: `${format(seen)}${unit && ` ${unit}`}`,
    met: seen >= limit,
    ...(note ? { note } : {}),
  }
}

export function fact(what: string, seen: string, note = ''): Row {
  return { what, target: '', seen, ...(note ? { note } : {}) }
}

export function format(value: number): string {
  return Number.isNaN(value) ? 'nothing' : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** `n=40 p50 3.1 p95 5.0 max 7.2`. */
export function describe(s: Spread): string {
  return `n=${s.n} p50 ${format(s.p50)} p95 ${format(s.p95)} p99 ${format(s.p99)} max ${format(s.max)}`
}

export function table(rows: readonly Row[]): string {
  const cells = [
    ['', 'target', 'seen', '', ''],
    ...rows.map((r) => [r.what, r.target, r.seen, r.met === undefined ? '' : r.met ? 'met' : 'MISSED', r.note ?? '']),
  ]
  const widths = cells[0]?.map((_, i) => Math.max(...cells.map((c) => (c[i] ?? '').length))) ?? []
  return cells.map((c) => `  ${c.map((text, i) => (i === 4 ? text : text.padEnd(widths[i] ?? 0))).join('  ')}`.trimEnd()).join('\n')
}
