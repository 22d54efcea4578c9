/** The demonstration's display: one line an occurrence, with the seconds since the caller dialled. */
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

  result(ok: boolean, text: string): void {
    print(`${ok ? green('✓') : red('✗')} ${text}`)
  }

  #line(arrow: string, text: string): void {
    print(`${dim(seconds(performance.now() - this.#began).padStart(9))}  ${dim(arrow)}  ${text}`)
  }
}
