/** Phones that take each other's calls. */
import type { Config } from '../../schema/config.ts'

/** The others of the pickup group of this extension. */
export function pickupGroupOf({ extensions }: Pick<Config, 'extensions'>, extension: string): readonly string[] {
  const group = extensions.find(({ number }) => number === extension)?.pickupGroup
  if (group === undefined) return []
  return extensions.filter(({ number, pickupGroup }) => number !== extension && pickupGroup === group).map(({ number }) => number)
}
