/** Access tokens, and the one with which a new box begins: a client that finds the box ready finds it. */
import type { Core } from '../core.ts'
import { tokenRoutes } from './routes.ts'
import type { Part } from '../part.ts'
import { Tokens, type FirstToken } from './tokens.ts'

export interface TokensPart extends Part {
  readonly tokens: Tokens
  /** Made at this start; null where there was one before. */
  first(): FirstToken | null
}

/** `terminal`: whether somebody there sees the first token; otherwise it is written to a file. */
export function tokensPart(core: Core, terminal: boolean): TokensPart {
  const tokens = new Tokens(core)
  let first: FirstToken | null = null
  return {
    name: 'tokens',
    tokens,
    routes: tokenRoutes(tokens),
    first: () => first,
    async start() {
      first = await tokens.first(terminal)
    },
  }
}
