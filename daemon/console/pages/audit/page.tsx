/** The audit trail: who did what, when, and about which item; who saw an item; whether the trail was changed; and all of it as a file. */
import { useEffect, useState } from 'preact/hooks'
import type { AuditRowView, AuditVerdictView } from '../../../schema/audit.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Fault, follow, get, give } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { query, go } from '../../frame/router.ts'
import { may } from '../../frame/session.ts'
import { thing } from '../../frame/state.ts'
import { AtTheBox } from '../../pieces/AtTheBox.tsx'
import { Foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say, subjects } from './words.ts'

interface Filter {
  readonly since: string
  readonly actor: string
  readonly deed: string
  readonly object: string
}

const names = ['since', 'actor', 'deed', 'object'] as const
const pageSize = 50
/** A person who types is not finished with each letter. */
const typingMs = 250

export default function Audit() {
  const [typed, setTyped] = useState<Filter>(filterOf(query.value))
  const filter = useLater(typed)
  const [way, setWay] = useState<readonly number[]>([])
  const set = (changes: Partial<Filter>): void => {
    setTyped({ ...typed, ...changes })
    setWay([])
  }
  // Another page, or a row, asks who saw an item.
  useEffect(() => set(filterOf(query.value)), [query.value])
  const path = `/api/audit?${paramsOf(filter, { limit: String(pageSize), ...(way.length === 0 ? {} : { before: String(way.at(-1)) }) })}`
  const rows = thing<readonly AuditRowView[]>(path, [])
  return (
    <div class="columns wide audit">
      <Panel title={say(may('audit') ? 'title' : 'titleOwn')} thing={rows} aside={may('csv') ? <Export filter={filter} /> : null}>
        {(list) => (
          <>
            <Fields filter={typed} set={set} />
            {list.length === 0 ? <p class="empty">{say('empty')}</p> : <Rows rows={list} />}
            <p class="row">
              <button type="button" class="btn small" disabled={way.length === 0} onClick={() => setWay(way.slice(0, -1))}>
                {say('newer')}
              </button>
              <button
                type="button"
                class="btn small"
                disabled={list.length < pageSize}
                onClick={() => setWay([...way, list.at(-1)?.seq ?? 1])}
              >
                {say('older')}
              </button>
            </p>
          </>
        )}
      </Panel>
      {may('audit') ? <Verify /> : null}
      <AtTheBox page="audit" />
    </div>
  )
}

const filterOf = (from: URLSearchParams): Filter => {
  const [since, actor, deed, object] = names.map((name) => from.get(name) ?? '') as [string, string, string, string]
  return { since, actor, deed, object }
}

function paramsOf(filter: Filter, more: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '')
  return new URLSearchParams({ ...Object.fromEntries(given), ...more }).toString()
}

function useLater<T>(value: T): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), typingMs)
    return () => clearTimeout(timer)
  }, [JSON.stringify(value)])
  return later
}

function Fields({ filter, set }: { readonly filter: Filter; readonly set: (changes: Partial<Filter>) => void }) {
  const isAny = names.some((name) => filter[name] !== '')
  const input = (name: 'actor' | 'object', hint: string) => (
    <label class="field">
      <span>{say(name)}</span>
      <input
        class="box"
        type="search"
        value={filter[name]}
        placeholder={hint}
        maxLength={100}
        onInput={(event) => set({ [name]: event.currentTarget.value.trim() })}
      />
    </label>
  )
  return (
    <div class="fields" role="search">
      <label class="field">
        <span>{say('since')}</span>
        <input class="box" type="date" value={filter.since} onInput={(event) => set({ since: event.currentTarget.value })} />
      </label>
      {may('audit') ? input('actor', say('actorHint')) : null}
      <label class="field">
        <span>{say('deed')}</span>
        <select class="box" value={filter.deed} onChange={(event) => set({ deed: event.currentTarget.value })}>
          <option value="">{say('all')}</option>
          {Object.entries(subjects).map(([subject, name]) => (
            <option key={subject} value={subject}>
              {say(name)}
            </option>
          ))}
          {filter.deed === '' || Object.hasOwn(subjects, filter.deed) ? null : <option value={filter.deed}>{filter.deed}</option>}
        </select>
      </label>
      {input('object', say('objectHint'))}
      <button
        type="button"
        class="btn"
        disabled={!isAny}
        onClick={() => (go('/audit'), set({ since: '', actor: '', deed: '', object: '' }))}
      >
        {say('clear')}
      </button>
    </div>
  )
}

function Rows({ rows }: { readonly rows: readonly AuditRowView[] }) {
  return (
    <Table
      caption={say('title')}
      rows={rows}
      keyOf={({ seq }) => String(seq)}
      columns={[
        { head: say('time'), cell: ({ time }) => <Time at={time} />, class: 'nowrap' },
        { head: say('actor'), cell: ({ actor }) => <Foreign text={actorText(actor)} />, isHead: true },
        { head: say('deed'), cell: ({ deed }) => <Deed deed={deed} /> },
        { head: say('object'), cell: (row) => <About row={row} /> },
        { head: say('outcome'), cell: (row) => <Outcome row={row} /> },
        { head: say('address'), cell: ({ address }) => address, class: 'muted num' },
      ]}
    />
  )
}

function actorText(actor: string): string {
  const [, kind = '', name = ''] = /^(\w+):(.*)$/.exec(actor) ?? []
  if (kind === 'person') return name
  if (kind === 'token') return say('program', { name })
  if (kind === 'phone') return say('phone', { number: name })
  if (kind === 'user') return say('shell', { name })
  return actor === 'system' ? say('box') : actor === 'nobody' ? say('anybody') : actor
}

function Deed({ deed }: { readonly deed: string }) {
  const subject = deed.slice(0, deed.indexOf('.'))
  return (
    <span>
      {Object.hasOwn(subjects, subject) ? say(subjects[subject as keyof typeof subjects]) : null} <code class="faint small">{deed}</code>
    </span>
  )
}

const mostShown = 3

/** Each id leads to all that was done with it. A word, such as a topic, is none. */
function About({ row: { object, count } }: { readonly row: AuditRowView }) {
  const ids = object.split(' ').filter((id) => /\d/.test(id))
  if (ids.length === 0 && count < 2) return null
  return (
    <span class="about">
      {ids.slice(0, mostShown).map((id) => (
        <a key={id} href={`/audit?object=${encodeURIComponent(id)}`} title={say('whoSaw')}>
          <Foreign text={id} />
        </a>
      ))}
      {ids.length > mostShown || count > 1 ? <span class="faint"> {say('items', { n: Math.max(count, ids.length) })}</span> : null}
    </span>
  )
}

function Outcome({ row: { outcome } }: { readonly row: AuditRowView }) {
  return outcome === 'done' ? <span class="green">{say('done')}</span> : <code class="red">{outcome}</code>
}

/** A file as `pbx audit export` writes it. */
function Export({ filter }: { readonly filter: Filter }) {
  const [busy, setBusy] = useState(false)
  const run = async (): Promise<void> => {
    setBusy(true)
    const lines: string[] = []
    try {
      await follow<AuditRowView>('POST', `/api/audit/export?${paramsOf(filter)}`, undefined, (row) =>
        lines.push(`${JSON.stringify(row)}\n`),
      )
      give(new Blob(lines, { type: 'application/x-ndjson' }), 'audit.jsonl')
      done(say('exported', { n: lines.length }))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
    setBusy(false)
  }
  return (
    <button type="button" class="btn small" title={say('exportHint')} disabled={busy} onClick={() => void run()}>
      {say('export')}
    </button>
  )
}

function Verify() {
  const [known, setKnown] = useState('')
  const [verdict, setVerdict] = useState<AuditVerdictView>()
  const state = useSubmit()
  const verify = async (): Promise<void> => {
    const asked = known.trim() === '' ? '' : `?known=${encodeURIComponent(known.trim())}`
    setVerdict(await get<AuditVerdictView>(`/api/audit/verdict${asked}`))
  }
  return (
    <Panel title={say('verifyTitle')}>
      <Form state={state} button={say('verify')} onSubmit={verify}>
        <Field label={say('verifyKnown')} hint={say('verifyKnownHint')} value={known} onValue={setKnown} optional autocomplete="off" />
      </Form>
      {verdict === undefined ? null : <Verdict verdict={verdict} />}
    </Panel>
  )
}

function Verdict({ verdict: { ok, rows, last, faults } }: { readonly verdict: AuditVerdictView }) {
  return (
    <div class="form" role="status">
      <p class={ok ? 'green' : 'red'}>
        <b>{ok ? say('verifyGood', { n: rows }) : say('verifyBad', { n: faults.length })}</b>
      </p>
      <ul>
        {faults.map(({ seq, text }) => (
          <li key={`${seq} ${text}`}>
            <span class="num">{seq}</span> <bdi lang="en">{text}</bdi>
          </li>
        ))}
      </ul>
      {last === null ? null : (
        <p class="small">
          {say('verifyLast')}{' '}
          <code class="secret">
            {last.seq}:{last.hash}
          </code>
        </p>
      )}
    </div>
  )
}
