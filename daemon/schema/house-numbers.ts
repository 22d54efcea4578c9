/** Numbers that phones dial inside the house, and what each reaches. */
import type { Config } from './config.ts'
import { houseKinds } from './house-kinds.ts'

/**
 * Numbers by the kind of destination that takes their calls. A section of the configuration that has some exports them as `houseNumbers`. Such a
 * destination answers by itself; as text it is `KIND:NUMBER`, which rows of calls have and people do not write.
 */
export type HouseNumbers = Readonly<Record<string, (config: Config) => readonly string[]>>

export type HouseKind = keyof typeof houseKinds
type Reached = HouseKind | 'extension'
export type HouseDestination = { [K in Reached]: { kind: K; number: string } }[Reached]

/** Extensions come first: a number of theirs is that of no other. */
const numbersOf: HouseNumbers = { extension: ({ extensions }) => extensions.map(({ number }) => number), ...houseKinds }

export function houseNumbers(config: Config): readonly HouseDestination[] {
  return Object.entries(numbersOf).flatMap(([kind, of]) => of(config).map((number) => ({ kind: kind as Reached, number })))
}

/** What a phone reaches by one of these spellings; undefined where it is no number of the house. */
export function houseNumberIn(config: Config, dialled: readonly string[]): HouseDestination | undefined {
  return houseNumbers(config).find(({ number }) => dialled.includes(number))
}

export function isHouseKind(name: string): name is HouseKind {
  return Object.hasOwn(houseKinds, name)
}
