/** Which trunk an outbound call takes. */
import type { Config, TrunkConfig } from '../schema/config.ts'

/** The named one, the one that owns `from`, the default, else the first. */
export function chooseTrunk(config: Config, trunkId: string | undefined, from: string | undefined): TrunkConfig | undefined {
  if (trunkId !== undefined) return config.trunks.find((trunk) => trunk.id === trunkId)
  if (from !== undefined) return config.trunks.find((trunk) => trunk.numbers.includes(from))
  return config.trunks.find((trunk) => trunk.default) ?? config.trunks[0]
}
