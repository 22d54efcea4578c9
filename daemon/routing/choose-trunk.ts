/** Which trunk an outbound call takes. */
import type { Config } from '../schema/config.ts'
import { callLines, type CallLine } from '../schema/call-lines.ts'

/** The named one, the one that owns `from`, the default, else the first. */
export function chooseTrunk(config: Config, trunkId: string | undefined, from: string | undefined): CallLine | undefined {
  if (trunkId !== undefined) return callLines(config).find((trunk) => trunk.id === trunkId)
  if (from !== undefined) return callLines(config).find((trunk) => trunk.numbers.includes(from))
  return callLines(config).find((trunk) => trunk.default) ?? callLines(config)[0]
}
