/** Access tokens of programs: which there are, what each may do, and when it was last used; a new one is shown once. */
import { useSignal, type Signal } from '@preact/signals'
import type { LimitView } from '../../../schema/limits.ts'
import type { Scope } from '../../../schema/states.ts'
import type { TokenView } from '../../../schema/tokens.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { Fault, ownFault, send } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { locale } from '../../frame/site.ts'
import { thing } from '../../frame/state.ts'
import { language, sentencesIn } from '../../frame/words.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { say } from './words.ts'

const scopes = ['send', 'inbox', 'voice', 'crm', 'admin'] as const satisfies readonly Scope[]

const limits = thing<readonly LimitView[]>('/api/limits', [])
const tokens = thing<readonly TokenView[]>('/api/tokens', [])

interface Made {
  readonly token: string
  readonly view: TokenView
}

export default function Tokens() {
  const made = useSignal<Made | undefined>(undefined)
  return (
    <div class="columns wide">
      {made.value === undefined ? null : <Once made={made.value} close={() => (made.value = undefined)} />}
      <Panel
        title={say('tokens')}
        count={tokens.data.value?.length ?? ''}
        thing={tokens}
        isEmpty={(list) => list.length === 0}
        empty={say('empty')}
      >
        {(list) => (
          <Table
            caption={say('tokens')}
            rows={list}
            keyOf={({ name }) => name}
            columns={[
              { head: say('name'), cell: ({ name }) => <bdi>{name}</bdi>, isHead: true },
              { head: say('may'), cell: ({ scopes: all }) => all.map((scope) => scopeText(scope)).join(', ') },
              { head: say('only'), cell: reachText },
              { head: say('used'), cell: (token) => <Used token={token} /> },
              { head: say('ends'), cell: ({ expiresAt }) => (expiresAt === null ? say('never') : <Time at={expiresAt} />) },
              { head: say('made'), cell: (token) => <MadeAt token={token} /> },
              { head: say('deeds'), cell: (token) => <Revoke token={token} />, class: 'r' },
            ]}
          />
        )}
      </Panel>
      <Today />
      <NewToken onMade={(one) => (made.value = one)} />
    </div>
  )
}

/** What the box and each token used of the day: beyond the limit a text, a fax or a call is refused. */
function Today() {
  const again = async (): Promise<void> => {
    if (!(await ask({ title: say('zeroTitle'), lost: say('zeroLost'), button: say('zero') }))) return
    try {
      const now = await send<readonly LimitView[]>('POST', '/api/limits/reset', {})
      limits.set(() => now)
      done(say('zeroDone'))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
  }
  return (
    <Panel
      title={say('today')}
      thing={limits}
      aside={
        <button type="button" class="btn small" onClick={() => void again()}>
          {say('zero')}
        </button>
      }
    >
      {(list) => (
        <Table
          caption={say('today')}
          rows={list}
          keyOf={({ of, name, what }) => `${of} ${name} ${what}`}
          columns={[
            { head: say('whose'), cell: ({ of, name }) => (of === 'box' ? say('wholeBox') : <bdi>{name}</bdi>), isHead: true },
            { head: say('what'), cell: ({ what }) => say(what) },
            { head: say('usedToday'), cell: ({ used }) => numberOf(used), class: 'r num' },
            { head: say('limit'), cell: ({ most }) => numberOf(most), class: 'r num' },
            {
              ...{ head: say('state') },
              cell: ({ used, most }) => {
                const [kind, word] =
                  used >= most
                    ? (['red', 'reached'] as const)
                    : used * 2 >= most
                      ? (['amber', 'half'] as const)
                      : (['green', 'well'] as const)
                return <span class={`tag ${kind}`}>{say(word)}</span>
              },
            },
          ]}
        />
      )}
    </Panel>
  )
}

const numberOf = (count: number): string => new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(count)

const isScope = (name: string): name is Scope => (scopes as readonly string[]).includes(name)
const scopeText = (name: string): string => (isScope(name) ? say(`scope_${name}`) : name)

function reachText({ endpoints, mailboxes }: TokenView): string {
  if (endpoints === null && mailboxes === null) return say('all')
  return [...(endpoints ?? []), ...(mailboxes ?? []).map((ext) => say('mailbox', { ext }))].join(', ')
}

function Used({ token: { lastUsedAt, lastAddress } }: { readonly token: TokenView }) {
  if (lastUsedAt === null) return <span class="faint">{say('unused')}</span>
  return (
    <>
      <Time at={lastUsedAt} /> <span class="faint num">{lastAddress}</span>
    </>
  )
}

function MadeAt({ token: { createdAt, source } }: { readonly token: TokenView }) {
  if (source === 'config') return <span class="tag">{say('fromConfig')}</span>
  return createdAt === null ? null : <Time at={createdAt} />
}

function Revoke({ token: { name, source } }: { readonly token: TokenView }) {
  if (source === 'config') return <span class="small muted">{say('configHow')}</span>
  const revoke = async (): Promise<void> => {
    if (!(await ask({ title: say('revokeTitle', { name }), lost: say('revokeLost'), button: say('revoke') }))) return
    try {
      await send('DELETE', `/api/tokens/${encodeURIComponent(name)}`)
      done(say('revoked', { name }))
    } catch (error) {
      done(error instanceof Fault ? sentence(error) : String(error))
    }
    await tokens.reload()
  }
  return (
    <button type="button" class="btn small" aria-label={say('revokeOf', { name })} onClick={() => void revoke()}>
      {say('revoke')}
    </button>
  )
}

/** It is kept nowhere but here, and gone with the page. */
function Once({ made: { token, view }, close }: { readonly made: Made; readonly close: () => void }) {
  const copy = (): void =>
    void navigator.clipboard?.writeText(token).then(
      () => done(say('copied')),
      () => undefined,
    )
  return (
    <Panel title={say('once', { name: view.name })}>
      <div class="form" role="status">
        <p>{say('onceWhy')}</p>
        <p>
          <code class="secret">{token}</code>
        </p>
        <div class="acts">
          <button type="button" class="btn main" onClick={copy}>
            {say('copy')}
          </button>
          <button type="button" class="btn" onClick={close}>
            <Icon name="check" />
            {say('kept')}
          </button>
        </div>
      </div>
    </Panel>
  )
}

const spanish = sentencesIn([
  [
    'a token with the scope <a> cannot be restricted: the scope allows everything',
    'una clave que puede <a> no se puede limitar: eso lo permite todo',
  ],
  ['there is no voice endpoint <a>; known are <b>', 'no existe la aplicación <a>; existen <b>'],
  ['there is no mailbox <a>; known are <b>', 'no existe el buzón <a>; existen <b>'],
])

/** What is wrong with a wanted token, in the language of the person. */
function said(error: unknown): never {
  const text = error instanceof Fault && language.value === 'es' ? spanish(error.message) : undefined
  throw text === undefined ? error : ownFault(text)
}

const blank = { name: '', days: '', endpoints: '', mailboxes: '' }
const listOf = (text: string): string[] => text.split(/[,\s]+/).filter((one) => one !== '')

function NewToken({ onMade }: { readonly onMade: (made: Made) => void }) {
  const fields = useSignal(blank)
  const chosen = useSignal<readonly Scope[]>([])
  const state = useSubmit()
  const set = (name: keyof typeof blank) => (value: string) => void (fields.value = { ...fields.value, [name]: value })
  const make = async (): Promise<void> => {
    const { name, days, endpoints, mailboxes } = fields.value
    if (tokens.data.value?.some((one) => one.name === name.trim()) === true) throw ownFault(say('taken', { name: name.trim() }))
    const [reached, boxes] = [listOf(endpoints), listOf(mailboxes)]
    const body = {
      ...{ name: name.trim(), scopes: chosen.value },
      ...(days.trim() === '' ? {} : { expiresInDays: Number(days) }),
      ...(reached.length === 0 ? {} : { endpoints: reached }),
      ...(boxes.length === 0 ? {} : { mailboxes: boxes }),
    }
    onMade(await send<Made>('POST', '/api/tokens', body).catch(said))
    fields.value = blank
    chosen.value = []
    scrollTo(0, 0)
    await tokens.reload()
  }
  return (
    <Panel title={say('new')}>
      <Form state={state} button={say('make')} onSubmit={make}>
        <Field
          label={say('name')}
          hint={say('nameHint')}
          value={fields.value.name}
          onValue={set('name')}
          autocomplete="off"
          maxLength={64}
        />
        <Scopes chosen={chosen} />
        <Field label={say('days')} hint={say('daysHint')} value={fields.value.days} onValue={set('days')} inputMode="numeric" optional />
        <Field label={say('endpoints')} hint={say('reachHint')} value={fields.value.endpoints} onValue={set('endpoints')} optional />
        <Field label={say('mailboxes')} value={fields.value.mailboxes} onValue={set('mailboxes')} optional />
      </Form>
    </Panel>
  )
}

function Scopes({ chosen }: { readonly chosen: Signal<readonly Scope[]> }) {
  return (
    <fieldset>
      <legend>{say('may')}</legend>
      {scopes.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={chosen.value.includes(scope)}
            onChange={({ currentTarget: { checked } }) => {
              chosen.value = checked ? [...chosen.value, scope] : chosen.value.filter((one) => one !== scope)
            }}
          />
          {scopeText(scope)}
        </label>
      ))}
    </fieldset>
  )
}
