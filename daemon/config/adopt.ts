/** Changes the configuration of a running daemon in place. */
import { isDeepStrictEqual } from 'node:util'
import { configChanged } from '../base/derived.ts'
import type { Config } from '../schema/config.ts'

type Tree = Record<string, unknown>

/**
 * `config` is as `next` from now on. Sections and lists stay the objects they were, so that code that keeps one sees the change. A changed
 * item of a list is another object, so that a call that began with the old one goes on with it.
 */
export function adopt(config: Config, next: Config): void {
  into(config as unknown as Tree, structuredClone(next) as unknown as Tree)
  configChanged(config)
}

function into(target: Tree, source: Tree): void {
  for (const key of Object.keys(target)) if (!(key in source)) delete target[key]
  for (const [key, value] of Object.entries(source)) {
    const own = target[key]
    if (isDeepStrictEqual(own, value)) continue
    if (Array.isArray(own) && Array.isArray(value)) own.splice(0, own.length, ...withSame(own, value))
    else if (isTree(own) && isTree(value)) into(own, value)
    else target[key] = value
  }
}

function withSame(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  return after.map((item) => before.find((one) => isDeepStrictEqual(one, item)) ?? item)
}

function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
