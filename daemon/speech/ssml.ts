/**
 * The part of SSML 1.1 (W3C) that a telephone needs: break, p, s, sub, emphasis, prosody (rate, volume) and say-as.
 * Other elements are stripped and their text kept. Broken markup costs a warning, never the call.
 */
import { tokenise, type SsmlToken } from './ssml-tokens.ts'
import { sayAs } from './say-as.ts'
import { quoted } from '../base/for-log.ts'

export type Segment =
  | {
      readonly kind: 'text'
      readonly text: string
      /** Factor on the speed. */
      readonly rate: number
      /** Change of loudness; -Infinity is silence. */
      readonly gainDb: number
    }
  | { readonly kind: 'pause'; readonly ms: number }

export interface SsmlDocument {
  readonly segments: readonly Segment[]
  readonly warnings: readonly string[]
}

interface Scope {
  readonly name: string
  readonly rate: number
  readonly gainDb: number
  /** Text inside is replaced (sub) or read in a way of its own (say-as). */
  readonly alias: string | null
  readonly interpret: { readonly as: string; readonly format: string } | null
}

const understood = new Set(['speak', 'break', 'p', 's', 'sub', 'emphasis', 'prosody', 'say-as'])
const breakMs: Readonly<Record<string, number>> = { none: 0, 'x-weak': 100, weak: 200, medium: 400, strong: 700, 'x-strong': 1000 }
const rates: Readonly<Record<string, number>> = { 'x-slow': 0.5, slow: 0.75, medium: 1, default: 1, fast: 1.35, 'x-fast': 1.75 }
const volumes: Readonly<Record<string, number>> = {
  silent: -Infinity,
  'x-soft': -12,
  soft: -6,
  medium: 0,
  default: 0,
  loud: 4,
  'x-loud': 8,
}
const emphasis: Readonly<Record<string, { rate: number; gainDb: number }>> = {
  strong: { rate: 0.85, gainDb: 3 },
  moderate: { rate: 0.92, gainDb: 2 },
  reduced: { rate: 1.08, gainDb: -3 },
  none: { rate: 1, gainDb: 0 },
}
const paragraphMs = 500
const sentenceMs = 350
const longestBreakMs = 10_000
/** All the pauses of a document together. */
const longestSilenceMs = 60_000

export function isSsml(text: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?<speak[\s>/]/.test(text)
}

export function parseSsml(markup: string, language: string): SsmlDocument {
  const reader = new Reader(language)
  for (const token of tokenise(markup)) reader.take(token)
  return reader.finish()
}

class Reader {
  readonly #language: string
  readonly #warnings = new Set<string>()
  readonly #segments: Segment[] = []
  #scopes: Scope[] = [{ name: '', rate: 1, gainDb: 0, alias: null, interpret: null }]

  constructor(language: string) {
    this.#language = language
  }

  take(token: SsmlToken): void {
    switch (token.kind) {
      case 'text':
        this.#text(token.text)
        break
      case 'open':
        this.#open(token)
        break
      case 'close':
        this.#close(token.name)
        break
      case 'fault':
        this.#warnings.add(token.text)
        break
    }
  }

  finish(): SsmlDocument {
    const open = this.#scopes.slice(1).map((scope) => `<${scope.name}>`)
    if (open.length > 0) this.#warnings.add(`SSML: ${open.join(', ')} is never closed`)
    // Whole pauses at the very end say nothing.
    while (this.#segments.at(-1)?.kind === 'pause' && this.#trailing) this.#segments.pop()
    return { segments: this.#segments, warnings: [...this.#warnings] }
  }

  /** The last pause came from the end of a paragraph or sentence, not from a break that was asked for. */
  #trailing = false
  #silenceMs = 0

  get #scope(): Scope {
    return this.#scopes.at(-1)!
  }

  #text(text: string): void {
    const scope = this.#scope
    if (scope.alias !== null || text.trim() === '') return
    const spoken = scope.interpret === null ? text : sayAs(text, scope.interpret.as, scope.interpret.format, this.#language)
    if (spoken === null) this.#warnings.add(`SSML: say-as ${quoted(scope.interpret!.as)} is not understood`)
    this.#add(spoken ?? text)
  }

  #add(text: string): void {
    const { rate, gainDb } = this.#scope
    this.#trailing = false
    const last = this.#segments.at(-1)
    if (last?.kind === 'text' && last.rate === rate && last.gainDb === gainDb) {
      this.#segments[this.#segments.length - 1] = { ...last, text: `${last.text} ${text}`.replace(/\s+([,;:.!?])/g, '$1') }
    } else this.#segments.push({ kind: 'text', text, rate, gainDb })
  }

  #pause(wantedMs: number, trailing: boolean): void {
    const ms = Math.min(wantedMs, longestSilenceMs - this.#silenceMs)
    if (ms < wantedMs) this.#warnings.add('SSML: pauses are at most 60 s together')
    if (ms <= 0 || (this.#segments.length === 0 && trailing)) return
    const last = this.#segments.at(-1)
    this.#trailing = trailing
    this.#silenceMs += ms
    // The longer of two neighbours counts: </s></p> is one pause.
    if (last?.kind === 'pause' && trailing) this.#segments[this.#segments.length - 1] = { kind: 'pause', ms: Math.max(last.ms, ms) }
    else this.#segments.push({ kind: 'pause', ms })
  }

  #open(token: SsmlToken & { kind: 'open' }): void {
    const { name, attributes, empty } = token
    if (!understood.has(name)) this.#warnings.add(`SSML: <${name}> is not understood; its text is spoken`)
    if (name === 'break') {
      this.#pause(this.#breakLength(attributes), false)
      return
    }
    const outer = this.#scope
    const scope = { ...outer, name }
    if (name === 'sub') {
      if (outer.alias === null && (attributes['alias'] ?? '') !== '') this.#add(attributes['alias']!)
      this.#push({ ...scope, alias: outer.alias ?? attributes['alias'] ?? null }, empty)
    } else if (name === 'emphasis') {
      const change = emphasis[attributes['level'] ?? 'moderate'] ?? emphasis['moderate']!
      this.#push({ ...scope, rate: outer.rate * change.rate, gainDb: outer.gainDb + change.gainDb }, empty)
    } else if (name === 'prosody') {
      this.#push(
        { ...scope, rate: limited(outer.rate * this.#rate(attributes['rate'])), gainDb: outer.gainDb + this.#volume(attributes['volume']) },
        empty,
      )
      for (const other of ['pitch', 'contour', 'range', 'duration']) {
        if (attributes[other] !== undefined) this.#warnings.add(`SSML: prosody ${other} is not understood`)
      }
    } else if (name === 'say-as') {
      this.#push(
        { ...scope, interpret: { as: (attributes['interpret-as'] ?? '').toLowerCase(), format: attributes['format'] ?? '' } },
        empty,
      )
    } else this.#push(scope, empty)
  }

  #push(scope: Scope, empty: boolean): void {
    if (!empty) this.#scopes.push(scope)
  }

  #close(name: string): void {
    if (name === 'p') this.#pause(paragraphMs, true)
    if (name === 's') this.#pause(sentenceMs, true)
    if (name === 'break') return
    const index = this.#scopes.findLastIndex((scope) => scope.name === name)
    if (index <= 0) {
      this.#warnings.add(`SSML: </${name}> closes nothing`)
      return
    }
    if (index < this.#scopes.length - 1) this.#warnings.add(`SSML: <${this.#scope.name}> is not closed before </${name}>`)
    this.#scopes = this.#scopes.slice(0, index)
  }

  #breakLength(attributes: Readonly<Record<string, string>>): number {
    const { time, strength } = attributes
    if (time !== undefined) {
      const match = /^\+?(\d+(?:\.\d+)?)(ms|s)$/.exec(time.trim())
      if (match !== null) {
        const ms = Math.round(Number(match[1]) * (match[2] === 's' ? 1000 : 1))
        if (ms > longestBreakMs) this.#warnings.add('SSML: a break is at most 10 s')
        return Math.min(longestBreakMs, ms)
      }
      this.#warnings.add(`SSML: break time ${quoted(time)} is not understood`)
    }
    return breakMs[strength ?? 'medium'] ?? breakMs['medium']!
  }

  #rate(value: string | undefined): number {
    if (value === undefined) return 1
    const named = rates[value.trim()]
    if (named !== undefined) return named
    const match = /^([+-]?)(\d+(?:\.\d+)?)(%?)$/.exec(value.trim())
    if (match === null || Number(match[2]) === 0) {
      this.#warnings.add(`SSML: prosody rate ${quoted(value)} is not understood`)
      return 1
    }
    const number = Number(match[2])
    if (match[3] === '') return limited(number)
    return limited(match[1] === '' ? number / 100 : 1 + (match[1] === '-' ? -number : number) / 100)
  }

  #volume(value: string | undefined): number {
    if (value === undefined) return 0
    const named = volumes[value.trim()]
    if (named !== undefined) return named
    const match = /^([+-]?\d+(?:\.\d+)?)dB$/i.exec(value.trim())
    if (match !== null) return Math.max(-40, Math.min(12, Number(match[1])))
    this.#warnings.add(`SSML: prosody volume ${quoted(value)} is not understood`)
    return 0
  }
}

function limited(rate: number): number {
  return Math.max(0.5, Math.min(2, rate))
}
