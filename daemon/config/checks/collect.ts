/** What a schema cannot say of `collect`: a box collects other boxes and sites, each once, and is the one that programs poll. */
import { readFileSync } from 'node:fs'
import { systemWords } from '../../base/errors.ts'
import type { Config } from '../../schema/config.ts'
import { duplicates, type MeaningContext, type SectionCheck } from './context.ts'

function checkCollect(config: Config, context: MeaningContext): void {
  const { collect, box } = config
  const { boxes } = collect
  const { fault } = context
  for (const one of ['boxes', 'from'] as const) {
    if (collect[one].length > 0 && box.inbox !== undefined && box.inbox !== box.id)
      fault(['collect', one], `programs poll box ${box.inbox} (box.inbox), so that box has to collect`)
  }
  checkSites(config, context)
  if (boxes.length > 0 && box.id === undefined) fault(['collect', 'boxes'], 'give this box an id, too: box.id')
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

function checkSites({ collect: { from }, sites }: Config, { fault }: MeaningContext): void {
  from.forEach((id, index) => {
    const path = ['collect', 'from', index]
    const site = sites.find((one) => one.id === id)
    if (from.indexOf(id) < index) fault(path, `"${id}" is given twice`)
    else if (site === undefined) fault(path, `there is no site "${id}"; add it to sites`)
    else if (site.api === undefined || site.token === '') fault(path, `the site "${id}" needs api and token`)
  })
}

export const checks: readonly SectionCheck[] = [[['collect', 'box', 'sites'], checkCollect]]
