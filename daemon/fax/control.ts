/** What the technician's socket does with faxes. */
import { ApiError } from '../errors.ts'
import { idPattern } from '../ids.ts'
import type { Fax } from './fax.ts'
import { isOver } from './job.ts'
import type { FaxRequest } from './submit.ts'
import { faxSummary, faxView } from './view.ts'

type Summary = ReturnType<typeof faxSummary>
type View = ReturnType<typeof faxView>

export interface FaxControl {
  /** `alongside`, here and below, runs in the transaction of what is written. */
  send(request: FaxRequest, alongside: (faxId: string) => void): Promise<Summary>
  /** Newest first. */
  list(options: { state?: string; limit: number }): readonly Summary[]
  /** `idOrStart`: an id, its beginning where only one fax has it, or `last`. Throws ApiError `fax_unknown`. */
  show(idOrStart: string): View
  /** Makes a fax that waits due now; sends one that is over once more, as a new fax. */
  retry(idOrStart: string, alongside: (faxId: string) => void): Promise<Summary>
  /** Throws ApiError `already_finished`. */
  cancel(idOrStart: string, alongside: (faxId: string) => void): Promise<Summary>
  /** Every change until the fax is over or `signal` is aborted. */
  watch(idOrStart: string, onChange: (view: View) => void, signal: AbortSignal): Promise<void>
}

/** Rows looked at for the beginning of an id. */
const searched = 1000

export function faxControl({ queue, desk, hasLine }: Fax): FaxControl {
  const find = (text: string) => {
    const exact = idPattern.test(text) ? queue.find(text) : undefined
    const near = exact === undefined ? queue.list({ limit: text === 'last' ? 1 : searched }) : [exact]
    const found = exact === undefined && text !== 'last' ? near.filter(({ row }) => text.length >= 4 && row.faxId.includes(text)) : near
    if (found.length === 1) return found[0]!
    throw new ApiError(
      'fax_unknown',
      found.length === 0 ? `There is no fax ${text}: see "pbx fax list".` : `More than one fax has ${text} in its id.`,
    )
  }
  return {
    async send(request, alongside) {
      if (!hasLine()) throw new ApiError('no_fax_line', 'No line that can send faxes is configured.')
      return faxSummary(await desk.submit(request, ({ faxId }) => alongside(faxId)), null)
    },
    list: ({ state, limit }) =>
      queue.list({ limit, ...(state === undefined ? {} : { states: [state as never] }) }).map(({ row, live }) => faxSummary(row, live)),
    show(text) {
      const { row, live } = find(text)
      return faxView(row, live)
    },
    async retry(text, alongside) {
      const { row } = find(text)
      if (isOver(row.state)) return faxSummary(await desk.again(row, ({ faxId }) => alongside(faxId)), null)
      queue.hurry(row.faxId)
      return faxSummary(find(row.faxId).row, null)
    },
    async cancel(text, alongside) {
      const { row } = find(text)
      if (!(await queue.cancel(row.faxId, () => alongside(row.faxId))))
        throw new ApiError('already_finished', 'This fax is finished already.')
      return faxView(find(row.faxId).row, null)
    },
    async watch(text, onChange, signal) {
      const { faxId } = find(text).row
      const done = Promise.withResolvers<void>()
      const tell = (): void => {
        const { row, live } = find(faxId)
        onChange(faxView(row, live))
        if (isOver(row.state)) done.resolve()
      }
      signal.addEventListener('abort', () => done.resolve())
      const unwatch = queue.watch(faxId, tell)
      tell()
      await done.promise
      unwatch()
    },
  }
}
