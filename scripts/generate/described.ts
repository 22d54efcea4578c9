/** What routes there are, and of what kinds: found in the files of routes, without anything behind them, to describe them and never to serve them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../daemon/base/root.ts'
import { tags } from '../../daemon/description/tags.ts'
import type { Route } from '../../daemon/http/route.ts'

/** What a file of routes gives: each function whose name ends so is a table. */
const isTable = (name: string): boolean => name.endsWith('Routes')
/** Routes touch their services when they are served, never when they are defined: none is needed to describe them. */
const none = {}
const order = Object.keys(tags)
const place = ([first]: readonly Route[]): number => (order.indexOf(first?.tag ?? '') + order.length + 1) % (order.length + 1)

const key = (name: string): string => name.replace(/(^|\/)routes\.ts$/, '$1')

const files = readdirSync(join(root, 'daemon'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /(^|[/-])routes\.ts$/.test(name))
  // The main file of a folder first.
  .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
const modules = await Promise.all(files.map((name) => import(join(root, 'daemon', name)) as Promise<Record<string, unknown>>))
const tables = modules.flatMap((module) =>
  Object.entries(module).flatMap(([name, table]) => (isTable(name) && typeof table === 'function' ? [table(none, none) as Route[]] : [])),
)

/** By their tags, in the order in which the description shows these. */
export function describedRoutes(): Route[] {
  return tables.toSorted((a, b) => place(a) - place(b)).flat()
}
