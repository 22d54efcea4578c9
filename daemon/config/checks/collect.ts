/** What a schema cannot say of `collect`: a box collects other boxes, each once, and is the one that programs poll. */
import { readFileSync } from 'node:fs'
import { systemWords } from '../../base/errors.ts'
import type { Config } from '../../schema/config.ts'
import { duplicates, type MeaningContext, type SectionCheck } from './context.ts'

function checkCollect({ collect: { boxes }, box }: Config, context: MeaningContext): void {
  const { fault } = context
  if (boxes.length === 0) return
  if (box.id === undefined) fault(['collect', 'boxes'], 'give this box an id, too: box.id')
  else if (box.inbox !== undefined && box.inbox !== box.id)
    fault(['collect', 'boxes'], `programs poll box ${box.inbox} (box.inbox), so that box has to collect`)
  duplicates(['collect', 'boxes'], 'id', boxes, context)
  duplicates(['collect', 'boxes'], 'api', boxes, context)
  boxes.forEach(({ id, ca }, index) => {
    if (id === box.id) fault(['collect', 'boxes', index, 'id'], `"${id}" is this box`)
    if (ca === undefined) return
    try {
      readFileSync(ca)
    } catch (error) {
      fault(['collect', 'boxes', index, 'ca'], `${ca} cannot be read: ${systemWords(error)}`)
    }
  })
}

export const checks: readonly SectionCheck[] = [[['collect', 'box'], checkCollect]]
