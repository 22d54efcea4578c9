/** A list of people from other software: what it would change is shown before anything is written. */
import { useSignal } from '@preact/signals'
import type { ImportAnswer } from '../../../schema/crm.ts'
import { Fault, ownFault, upload } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { foreign } from '../../pieces/Number.tsx'
import { FaultNote, Panel } from '../../pieces/Panel.tsx'
import { rowText, unreadText } from './sentences.ts'
import { say } from './words.ts'

/** By the ending of its name: browsers differ in what they call a table. */
const types: Readonly<Record<string, string>> = {
  ...{ csv: 'text/csv', tsv: 'text/csv', txt: 'text/csv', vcf: 'text/vcard', vcard: 'text/vcard', json: 'application/json' },
}
const mostBytes = 32 * 1024 * 1024
/** Rows of faults in the document. */
const mostRows = 20

interface Tried {
  readonly file: File
  readonly replaces: boolean
  /** Of the dry run. */
  readonly answer: ImportAnswer
}

function send(file: File, replaces: boolean, dryRun: boolean): Promise<ImportAnswer> {
  const type = types[/\.(\w+)$/.exec(file.name.toLowerCase())?.[1] ?? '']
  if (type === undefined) throw ownFault(say('wrongFile'))
  if (file.size > mostBytes) throw ownFault(say('tooLarge'))
  const query = new URLSearchParams({ dryRun: String(dryRun), ...(replaces ? { mode: 'replace' } : {}) })
  return upload<ImportAnswer>(`/api/pbx/import/pbx-export?${query}`, file, type)
}

export function Import({ imported }: { readonly imported: () => void }) {
  const tried = useSignal<Tried | undefined>(undefined)
  const fault = useSignal<Fault | undefined>(undefined)
  const busy = useSignal(false)
  const during = async (work: () => Promise<void>): Promise<void> => {
    busy.value = true
    fault.value = undefined
    try {
      await work()
    } catch (error) {
      const why = error instanceof Fault ? unreadText(error.message) : undefined
      fault.value = why !== undefined ? ownFault(why) : error instanceof Fault ? error : new Fault(0, { error: String(error) })
    } finally {
      busy.value = false
    }
  }
  const look = (file: File, replaces: boolean): Promise<void> =>
    during(async () => {
      tried.value = undefined
      tried.value = { file, replaces, answer: await send(file, replaces, true) }
    })
  const write = async ({ file, replaces, answer: { deleted } }: Tried): Promise<void> => {
    const question = { title: say('replaceTitle', { n: deleted }), lost: say('replaceLost'), button: say('doReplace') }
    if (replaces && deleted > 0 && !(await ask(question))) return
    await during(async () => {
      const { created, updated } = await send(file, replaces, false)
      tried.value = undefined
      done(say('importedDone', { created, updated }))
      imported()
    })
  }
  return (
    <Panel title={say('import')} class="import">
      <div class="form">
        <p class="muted">{say('importWhat')}</p>
        <label class="btn file">
          {say('chooseFile')}
          <input
            class="vh"
            type="file"
            accept=".csv,.tsv,.txt,.vcf,.vcard,.json"
            disabled={busy.value}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              event.currentTarget.value = ''
              if (file !== undefined) void look(file, false)
            }}
          />
        </label>
        <p role="status">{busy.value ? say('reading') : ''}</p>
        {fault.value === undefined ? null : <FaultNote fault={fault.value} />}
        {tried.value === undefined ? null : (
          <Outcome
            tried={tried.value}
            busy={busy.value}
            replace={(replaces) => void look(tried.value!.file, replaces)}
            write={() => void write(tried.value!)}
            drop={() => (tried.value = undefined)}
          />
        )}
      </div>
    </Panel>
  )
}

interface OutcomeProps {
  readonly tried: Tried
  readonly busy: boolean
  readonly replace: (replaces: boolean) => void
  readonly write: () => void
  readonly drop: () => void
}

function Outcome({ tried: { file, replaces, answer }, busy, replace, write, drop }: OutcomeProps) {
  const { rows, created, updated, skipped, deleted, errors, errorCount, warnings, warningCount } = answer
  const changes = created + updated + deleted
  return (
    <>
      <p>
        <b>
          <bdi>{foreign(file.name)}</bdi>
        </b>
        : {say('wouldBe', { rows, created, updated, skipped, deleted })}
      </p>
      {errorCount === 0 ? null : (
        <Faults title={say('leftOut', { n: errorCount })} rows={errors.map(({ row, error }) => [row, error])} kind="red" open />
      )}
      {warningCount === 0 ? null : (
        <Faults title={say('readOtherwise', { n: warningCount })} rows={warnings.map(({ row, warning }) => [row, warning])} kind="muted" />
      )}
      <label class="check">
        <input type="checkbox" checked={replaces} disabled={busy} onChange={(event) => replace(event.currentTarget.checked)} />
        {say('replaces')}
      </label>
      <div class="acts">
        <button type="button" class="btn main" disabled={busy || changes === 0 || (replaces && errorCount > 0)} onClick={write}>
          {say('doImport', { n: created + updated })}
        </button>
        <button type="button" class="btn quiet" disabled={busy} onClick={drop}>
          {say('drop')}
        </button>
      </div>
      {replaces && errorCount > 0 ? <p class="red">{say('replaceNeedsAll')}</p> : null}
    </>
  )
}

interface FaultsProps {
  readonly title: string
  readonly rows: readonly (readonly [row: number, text: string])[]
  readonly kind: 'red' | 'muted'
  readonly open?: boolean
}

function Faults({ title, rows, kind, open = false }: FaultsProps) {
  return (
    <details open={open}>
      <summary class={kind}>{title}</summary>
      <ul class="small">
        {rows.slice(0, mostRows).map(([row, text]) => (
          <li key={`${row} ${text}`}>
            {say('row', { n: row })}: <bdi>{foreign(rowText(text))}</bdi>
          </li>
        ))}
        {rows.length > mostRows ? <li class="muted">{say('moreRows', { n: rows.length - mostRows })}</li> : null}
      </ul>
    </details>
  )
}
