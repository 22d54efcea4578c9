/** The demonstration's display: one line an occurrence, with the seconds since the caller dialled. */
import { existsSync, readFileSync } from 'node:fs'
import { blue, bold, dim, green, print, red, seconds } from '../cli/output.ts'
import type { Json } from './relay.ts'

export class Show {
  #began = performance.now()

  /** The clock counts from here. */
  start(): void {
    this.#began = performance.now()
  }

  step(text: string): void {
    print(dim(`  ${text}`))
  }

  caller(kind: 'caller' | 'hears' | 'key', text: string): void {
    if (kind === 'hears') this.#line('caller ◀──', dim(`hears ${text}`))
    else this.#line('caller ──▶', kind === 'key' ? bold(`presses ${text}`) : text)
  }

  event(event: Json): void {
    const facts = ['digits', 'reason', 'url', 'state', 'endReason', 'talkSeconds', 'recordingId']
      .filter((name) => event[name] !== undefined && event[name] !== '')
      .map((name) => `${name}=${String(event[name])}`)
    this.#line('──▶ app   ', blue(`${String(event['event'])}  ${dim(facts.join(' '))}`))
  }

  answer(status: number, body: unknown, tookMs: number): void {
    const verbs = Array.isArray(body) ? body : [body]
    this.#line('app ──▶   ', `${status === 200 ? green('200') : red(String(status))} in ${tookMs.toFixed(1)} ms, ${verbs.length} verbs`)
    for (const verb of verbs) print(`${' '.repeat(23)}${green(JSON.stringify(verb))}`)
  }

  /** What the daemon said last, where it had anything to say. */
  log(file: string): void {
    if (existsSync(file)) print(dim(`\npbxd's log ends with:\n${readFileSync(file, 'utf8').split('\n').slice(-15).join('\n')}`))
  }

  result(ok: boolean, text: string): void {
    print(`${ok ? green('✓') : red('✗')} ${text}`)
  }

  #line(arrow: string, text: string): void {
    print(`${dim(seconds(performance.now() - this.#began).padStart(9))}  ${dim(arrow)}  ${text}`)
  }
}

/** Root mean square of the samples of a 16-bit WAV. */
export function loudness(wav: Buffer): number {
  let sum = 0
  const count = Math.floor((wav.length - 44) / 2)
  for (let i = 0; i < count; i++) sum += wav.readInt16LE(44 + i * 2) ** 2
  return count > 0 ? Math.sqrt(sum / count) : 0
}
