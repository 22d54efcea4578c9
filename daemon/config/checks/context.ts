/** What every check of meaning gets, and the checks that several sections share. */
import { isIP } from 'node:net'
import type { Config } from '../../schema/config.ts'
import type { Path } from '../source.ts'

export interface MeaningContext {
  /** Sections whose shape is wrong: nothing that needs them is checked. */
  broken: ReadonlySet<string>
  fault(path: Path, text: string): void
  warning(path: Path, text: string): void
}

/** A check with the sections that it reads: it is left out where one of them is broken. */
export type SectionCheck = readonly [needs: readonly (keyof Config)[], check: (config: Config, context: MeaningContext) => void]

export function checkNetwork(path: Path, text: string, { fault }: MeaningContext): void {
  const [address = '', bits] = text.split('/')
  const family = isIP(address)
  const good = family !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  if (!good) fault(path, `"${text}" is not an address or network; write for example 192.0.2.7 or 10.0.0.0/8`)
}

export function duplicates<K extends string>(
  path: Path,
  key: K,
  items: readonly { readonly [key in K]?: string }[],
  { fault }: MeaningContext,
): void {
  const seen = new Set<string>()
  items.forEach(({ [key]: name }, index) => {
    if (name === undefined) return
    if (seen.has(name)) fault([...path, index, key], `"${name}" is given twice`)
    seen.add(name)
  })
}
