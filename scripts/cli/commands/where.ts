/** pbx where: where a call would go, and why. */
import type { WhereStep } from '../../../daemon/schema/extensions.ts'
import type { Context } from '../context.ts'
import { print, printJson } from '../output.ts'

export async function where({ json, client }: Context, to: string, { from = '', at }: { from?: string; at?: string }): Promise<void> {
  const query = new URLSearchParams({ to, from, ...(at === undefined ? {} : { at }) })
  const steps = await (await client()).get<WhereStep[]>(`/api/where?${query}`)
  if (json) return printJson(steps)
  for (const { depth, text } of steps) print(`${'  '.repeat(depth)}${text}`)
}
