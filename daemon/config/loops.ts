/**
 * Calls that would go round for ever without anybody's doing: from hours by what is open, from a menu by `onNothing`. Only what comes
 * to pass is a fault: hours that lead to each other, but are never open at the same time, are none.
 */
import type { Config } from '../schema/config.ts'
import { boundariesOn, isOpenOn, readCalendar, type Calendar } from '../schema/opening.ts'
import type { MeaningContext } from './checks/context.ts'
import type { Path } from './source.ts'

interface Node {
  readonly name: string
  /** Where it sends a call on to, with its place in the file, by whether it is open. */
  readonly calendar: Calendar | null
  readonly next: { readonly open: Step; readonly closed: Step }
}

interface Step {
  readonly to: string
  readonly path: Path
}

/** A week of which no file speaks, from a Monday on. */
const ordinaryDays = [4, 5, 6, 7, 8, 9, 10]

export function checkLoops(config: Config, { fault }: MeaningContext): void {
  const nodes = nodesOf(config)
  const known = new Map(nodes.map((node) => [node.name, node]))
  const calendars = nodes.flatMap(({ calendar }) => calendar ?? [])
  const days = [...ordinaryDays, ...calendars.flatMap(({ closedOn, special }) => [...closedOn, ...special].map(({ first }) => first))]
  const told = new Set<string>()
  for (const day of days) {
    for (const minute of new Set([0, ...calendars.flatMap((calendar) => boundariesOn(calendar, day))])) {
      const stepOf = ({ calendar, next }: Node): Step => (calendar === null || isOpenOn(calendar, day, minute) ? next.open : next.closed)
      for (const node of nodes) {
        const loop = loopFrom(node, known, stepOf)
        const key = loop
          .map(({ name }) => name)
          .toSorted()
          .join(' ')
        if (loop.length === 0 || told.has(key)) continue
        told.add(key)
        const names = [...loop, loop[0]!].map(({ name }) => name).join(' -> ')
        fault(stepOf(loop.at(-1)!).path, `calls would go round in a loop: ${names}`)
      }
    }
  }
}

/** The nodes that a call from `first` comes to again and again; empty where it does not. */
function loopFrom(first: Node, known: ReadonlyMap<string, Node>, stepOf: (node: Node) => Step): Node[] {
  const way: Node[] = []
  for (let node: Node | undefined = first; node !== undefined; node = known.get(stepOf(node).to)) {
    const seen = way.indexOf(node)
    if (seen >= 0) return way.slice(seen)
    way.push(node)
  }
  return []
}

function nodesOf({ hours, menus }: Config): Node[] {
  return [
    ...hours.map(({ id, open, closedOn, special, whenOpen, whenClosed }, index): Node => {
      const step = (key: string, to: string): Step => ({ to, path: ['hours', index, key] })
      const next = { open: step('whenOpen', whenOpen), closed: step('whenClosed', whenClosed) }
      return { name: `hours:${id}`, calendar: readCalendar(open, closedOn, special), next }
    }),
    ...menus.map(({ id, onNothing = '' }, index): Node => {
      const step = { to: onNothing, path: ['menus', index, 'onNothing'] }
      return { name: `menu:${id}`, calendar: null, next: { open: step, closed: step } }
    }),
  ]
}
