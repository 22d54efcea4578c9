/** Progress of an installation on standard error: a bar on a terminal, a line now and then elsewhere. */
import type { Progress } from '../../../daemon/speech/models/models.ts'
import { bytes, duration } from '../output.ts'

const lineEveryMs = 5000
const steps: Readonly<Record<Progress['step'], string>> = {
  download: 'downloading',
  check: 'checking',
  unpack: 'unpacking',
  prepare: 'preparing',
  try: 'test loading',
}

export class ProgressDisplay {
  readonly #name: string
  readonly #terminal = process.stderr.isTTY === true
  #step: Progress['step'] | undefined
  #begun = { at: 0, bytes: 0 }
  #printed = 0

  constructor(name: string) {
    this.#name = name
  }

  show({ step, bytes: done, total }: Progress): void {
    const now = performance.now()
    const first = step !== this.#step
    if (first) {
      this.#step = step
      this.#begun = { at: now, bytes: done }
    }
    const measured = step === 'download' || step === 'check'
    if (!this.#terminal) {
      if (!first && now - this.#printed < lineEveryMs) return
      this.#printed = now
      process.stderr.write(`${this.#name}: ${steps[step]}${measured ? ` ${this.#figures(done, total, now)}` : ''}\n`)
      return
    }
    if (!first && now - this.#printed < 100 && done !== total) return
    this.#printed = now
    const share = total > 0 ? Math.min(1, done / total) : 0
    const width = 16
    const full = Math.round(share * width)
    const bar = measured ? ` [${'#'.repeat(full)}${'.'.repeat(width - full)}] ${this.#figures(done, total, now)}` : ''
    const line = `${this.#name}: ${steps[step]}${bar}`
    process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`)
  }

  #figures(done: number, total: number, now: number): string {
    const seconds = (now - this.#begun.at) / 1000
    const perSecond = seconds > 0.5 ? (done - this.#begun.bytes) / seconds : 0
    const of = total > 0 ? `${Math.floor((100 * Math.min(done, total)) / total)} %, ${bytes(done)} of ${bytes(total)}` : bytes(done)
    return perSecond > 0 && total > done ? `${of}, ${bytes(perSecond)}/s, ${duration((total - done) / perSecond)} left` : of
  }

  /** The terminal's line is free again. */
  end(): void {
    if (this.#terminal && this.#step !== undefined) process.stderr.write('\r\u001b[K')
    this.#step = undefined
  }
}
