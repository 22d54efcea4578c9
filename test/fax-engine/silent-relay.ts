/** A gateway that sends no RTP while there is nothing to hear, as a program of its own: a test that reads a file must not hold up its packets. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { endWithUs } from '../harness/processes.ts'
import type { Order, Report } from './silent-gateway.ts'

export class SilentRelay {
  /** Where the first end finds the second, and the other way round. */
  readonly ports: readonly [number, number]
  /** RTP packets of both directions, when it was asked last. */
  passed = 0
  dropped = 0
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, ports: readonly [number, number]) {
    this.#child = child
    this.ports = ports
  }

  /** `comfort`: comfort noise packets in a silence. */
  static async open(comfort = false): Promise<SilentRelay> {
    const child = fork(join(import.meta.dirname, 'silent-gateway.ts'), comfort ? ['comfort'] : [], { execArgv: ['--no-warnings'] })
    endWithUs(child)
    const [report] = (await once(child, 'message')) as [Report]
    if (!('ports' in report)) throw new Error('the gateway did not say its ports')
    return new SilentRelay(child, report.ports)
  }

  /** Where the two ends listen for SIP. */
  between(first: number, second: number): void {
    this.#order({ between: [first, second] })
  }

  async count(): Promise<void> {
    const answer = once(this.#child, 'message')
    this.#order('count')
    const [report] = (await answer) as [Report]
    if ('passed' in report) Object.assign(this, report)
  }

  async close(): Promise<void> {
    const over = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await over
  }

  #order(order: Order): void {
    this.#child.send(order)
  }
}
