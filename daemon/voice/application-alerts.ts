/**
 * What is wrong with an application, as warnings: one for each place of an application and kind of fault, however many calls met it and
 * whatever its URLs carry for each call. A warning goes when the place answers well, or a day after the last call that met it.
 */
import { ours, placeOf, said } from '../base/for-log.ts'
import type { Health } from '../base/health.ts'
import type { Log } from '../base/log.ts'
import { applicationAlerts, type Alert } from './ask.ts'

type Code = (typeof applicationAlerts)[number]

const lastsMs = 86_400_000
/** Applications may have an address of its own for each call in ways that nobody foresees. */
const mostPlaces = 50

export class ApplicationAlerts {
  readonly #health: Health
  readonly #log: Log
  /** How many calls met it, by code and place, the longest unheard of first. */
  readonly #counts = new Map<string, number>()

  constructor(health: Health, log: Log) {
    this.#health = health
    this.#log = log
  }

  readonly raise: Alert = (code, text, { url, ...facts }) => {
    const place = placeOf(url)
    this.#log.error({ code, url: place, ...facts }, '%s', said`${ours(place)}: ${text}`)
    const key = keyOf(code, place)
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.delete(key)
    this.#counts.set(key, count)
    const often = count === 1 ? '' : ` (${count} times)`
    const warning = {
      severity: 'error',
      text: said`${ours(place)}: ${text}${ours(often)}`,
      fix: `pbx trace ${facts.callId}`,
      lastsMs,
    } as const
    this.#health.warn(key, warning)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > mostPlaces && oldest !== undefined) this.#drop(oldest)
  }

  /** It answered with a document that can run. */
  readonly recovered = (url: string): void => {
    if (this.#counts.size === 0) return
    const place = placeOf(url)
    for (const code of applicationAlerts) this.#drop(keyOf(code, place))
  }

  #drop(key: string): void {
    if (this.#counts.delete(key)) this.#health.clear(key)
  }
}

function keyOf(code: Code, place: string): string {
  return `${code} ${place}`
}
