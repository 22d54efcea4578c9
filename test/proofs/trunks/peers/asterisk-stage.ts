/** What the cells with Asterisk play on: boxes with registered accounts, and calls both ways. */
import { NameServer, noDnsmasq } from '../../../harness/dns.ts'
import { Box, trunk } from '../box.ts'
import { check, Skipped, type Kept } from '../cell.ts'
import { host, type Asterisk } from './asterisk.ts'
import { accountPassword, type AccountName } from './asterisk-settings.ts'

type Settings = Record<string, unknown>

/** Names the calls, so that their recordings differ by name. */
let calls = 0

export class Stage {
  readonly asterisk: Asterisk
  readonly kept: Kept

  constructor(asterisk: Asterisk, kept: Kept) {
    this.asterisk = asterisk
    this.kept = kept
  }

  get server(): string {
    return `${host}:${this.asterisk.places.udp}`
  }

  /** A box with these accounts registered. */
  async box(names: AccountName | readonly AccountName[], more: Settings = {}, configuration: object = {}): Promise<Box> {
    const box = this.kept.keep(await Box.open({ ...configuration }))
    const trunks = [names].flat().map((id, at) => {
      const account = { id, username: id, password: accountPassword, register: true, numbers: [`+1555000100${at}`] }
      return trunk(String(more['server'] ?? this.server), { ...account, ...more })
    })
    await box.engine.configure({ trunks })
    for (const { id } of trunks) await box.trunk(id, 'registered', 60_000)
    return box
  }

  /** Both ways by the box's call and by Asterisk's; `plan` is the part of the dial plan that the box calls. */
  async bothWays(box: Box, id: AccountName, { plan = 'talk', codec = 'PCMU', secure = false } = {}): Promise<string> {
    const [out, inwards] = [String(++calls), String(++calls)]
    const placed = await box.call({ trunk: id, to: `${plan}${out}` })
    const judged = (answered: Record<string, unknown>) =>
      check(answered['codec'] === codec && answered['secure'] === secure, `${answered['codec']}, secure: ${answered['secure']}`)
    judged(placed.answered)
    const there = await box.bothWays(placed.leg, this.asterisk.ear(out))
    await this.asterisk.call(id, `talk${inwards}`)
    const taken = await box.answer()
    judged(taken.answered)
    check(taken.invite['trunk'] === id, `the call belongs to ${taken.invite['trunk']}`)
    return `out: ${there}; in: ${await box.bothWays(taken.leg, this.asterisk.ear(inwards))}`
  }

  /** A name for one more call. */
  next(): string {
    return String(++calls)
  }

  async names(records: readonly string[]): Promise<string> {
    if (noDnsmasq !== false) throw new Skipped(noDnsmasq)
    const server = await NameServer.open(records)
    this.kept.keep({ close: () => server.stop() })
    return server.address
  }
}

/** How often a pattern is in what Asterisk wrote down since a place of it. */
export const count = (log: string, pattern: RegExp): number => log.match(new RegExp(pattern, 'g'))?.length ?? 0
