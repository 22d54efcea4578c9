/** What a schema cannot say of `box`: a box that has others next to it has an id of its own. */
import type { Config } from '../../schema/config.ts'
import type { MeaningContext, SectionCheck } from './context.ts'

function checkBox({ box }: Config, { fault }: MeaningContext): void {
  if (box.inbox !== undefined && box.id === undefined) fault(['box', 'inbox'], 'give this box an id, too: box.id')
}

export const checks: readonly SectionCheck[] = [[['box'], checkBox]]
