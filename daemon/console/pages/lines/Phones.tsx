/** The phones of the house: which are connected, which fetch their settings, and which ask for some and are not known. */
import { useState } from 'preact/hooks'
import type { LineView } from '../../../schema/operation.ts'
import type { PhoneAwaited, PhonesView, PhoneView } from '../../../schema/phones.ts'
import { Fault, send } from '../../frame/api.ts'
import { extensionName } from '../../frame/house.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sentence } from '../../frame/faults.ts'
import { sayBox } from '../../pieces/box-words.ts'
import { Icon } from '../../pieces/Icon.tsx'
import { Menu, type MenuItem } from '../../pieces/Menu.tsx'
import { Foreign } from '../../pieces/Number.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { LineState } from '../../pieces/Strip.tsx'
import { Table } from '../../pieces/Table.tsx'
import { Time } from '../../pieces/Time.tsx'
import { timeText } from '../../pieces/time.ts'
import { AddPhone, Awaited, type Wanted } from './AddPhone.tsx'
import { isAwaited, lineList, phoneList, TestOf } from './shown.tsx'
import { say } from './words.ts'

/** An extension, and one of its phones; an extension whose phones were set up by hand has none here. */
interface Row {
  readonly line: LineView
  readonly phone: PhoneView | undefined
}

type Opened =
  | { readonly kind: 'add'; readonly wanted: Wanted }
  | { readonly kind: 'awaited'; readonly phone: string; readonly answer?: PhoneAwaited }
  | { readonly kind: 'test'; readonly id: string }

export function Phones() {
  const [opened, setOpened] = useState<Opened>()
  const close = (): void => setOpened(undefined)
  const shown = (answer: PhoneAwaited): void => setOpened({ kind: 'awaited', phone: answer.phone.id, answer })
  const lines = lineList.data.value?.filter(({ kind }) => kind === 'extension')
  const up = lines?.filter(({ ok }) => ok).length ?? 0
  return (
    <Panel
      title={say('phones')}
      class="phones"
      thing={phoneList}
      isEmpty={() => lines?.length === 0}
      empty={say('phonesEmpty')}
      count={lines === undefined || lines.length === 0 ? '' : say('phonesCount', { n: up, all: lines.length })}
      aside={
        <button type="button" class="btn small main" onClick={() => setOpened({ kind: 'add', wanted: {} })}>
          <Icon name="plus" />
          {say('add')}
        </button>
      }
    >
      {(phones) => (
        <>
          <List rows={rowsOf(lines ?? [], phones)} open={setOpened} awaited={shown} />
          <Asked asked={phones.asked} await={(mac) => setOpened({ kind: 'add', wanted: { mac } })} />
          {opened?.kind === 'add' ? (
            <AddPhone wanted={opened.wanted} extensions={(lines ?? []).map(({ id }) => id)} onAwaited={shown} onClose={close} />
          ) : null}
          {opened?.kind === 'awaited' ? (
            <Awaited
              phone={phones.phones.find(({ id }) => id === opened.phone)}
              answer={opened.answer}
              again={(phone) => again(phone, shown)}
              onClose={close}
            />
          ) : null}
          {opened?.kind === 'test' ? <TestOf id={opened.id} onClose={close} /> : null}
        </>
      )}
    </Panel>
  )
}

function rowsOf(lines: readonly LineView[], { phones }: PhonesView): Row[] {
  return lines.flatMap((line): Row[] => {
    const own = phones.filter(({ extension }) => extension === line.id)
    return own.length === 0 ? [{ line, phone: undefined }] : own.map((phone) => ({ line, phone }))
  })
}

interface ListProps {
  readonly rows: readonly Row[]
  readonly open: (opened: Opened) => void
  readonly awaited: (answer: PhoneAwaited) => void
}

function List({ rows, open, awaited }: ListProps) {
  return (
    <Table
      caption={say('phones')}
      rows={rows}
      keyOf={({ line, phone }) => `${line.id} ${phone?.id ?? ''}`}
      columns={[
        { head: say('extension'), cell: ({ line }) => <bdi>{line.id}</bdi>, isHead: true },
        { head: say('name'), cell: ({ line }) => <Foreign text={extensionName(line.id)} /> },
        { head: say('state'), cell: ({ line }) => <LineState {...line} /> },
        { head: say('since'), cell: ({ line }) => <Time at={line.since} />, class: 'muted nowrap' },
        { head: say('phone'), cell: ({ phone }) => (phone === undefined ? null : <Device phone={phone} />), class: 'muted' },
        { head: say('fetched'), cell: ({ phone }) => <Fetched phone={phone} /> },
        { head: '', cell: (row) => <Menu items={deedsOf(row, { open, awaited })} />, class: 'r' },
      ]}
    />
  )
}

function Device({ phone: { kind, address, mac, userAgent } }: { readonly phone: PhoneView }) {
  return <Foreign text={[userAgent ?? kind, address, mac].filter((one) => one !== null && one !== '').join(', ')} />
}

/** Awaited until it came: the box says so without being asked. */
function Fetched({ phone }: { readonly phone: PhoneView | undefined }) {
  if (phone === undefined) return <span class="faint">{say('fetchedNever')}</span>
  if (phone.fetchedAt !== null)
    return (
      <span class="state green">
        <Icon name="check" />
        {say('came')} <span class="small muted">{say('fetchedAt', { time: timeText(phone.fetchedAt) })}</span>
      </span>
    )
  return isAwaited(phone) ? <span class="tag amber">{say('waits')}</span> : <span class="tag">{say('codeOver')}</span>
}

async function again(phone: string, shown: (answer: PhoneAwaited) => void): Promise<void> {
  await tried(async () => {
    shown(await send<PhoneAwaited>('POST', `/api/phones/${phone}/code`, {}))
    await phoneList.reload()
  })
}

async function tried(deed: () => Promise<unknown>): Promise<void> {
  await deed().catch((error: unknown) => done(error instanceof Fault ? sentence(error) : String(error)))
}

function deedsOf({ line, phone }: Row, { open, awaited }: Pick<ListProps, 'open' | 'awaited'>): MenuItem[] {
  const test: MenuItem = { text: sayBox('test'), icon: 'health', run: () => open({ kind: 'test', id: line.id }) }
  if (phone === undefined)
    return [test, { text: say('add'), icon: 'plus', run: () => open({ kind: 'add', wanted: { extension: line.id } }) }]
  const remove = async (): Promise<void> => {
    const question = { title: say('removeTitle', { extension: line.id }), lost: say('removeLost'), button: say('remove') }
    if (!(await ask(question))) return
    await send('DELETE', `/api/phones/${phone.id}`)
    done(say('removed'))
    await phoneList.reload()
  }
  return [
    test,
    ...(isAwaited(phone) && phone.fetchedAt === null
      ? [{ text: say('qrShow'), icon: 'search', run: () => open({ kind: 'awaited', phone: phone.id }) } as const]
      : []),
    { text: say('again'), icon: 'turn', run: () => void again(phone.id, awaited) },
    { text: say('remove'), icon: 'trash', danger: true, run: () => void tried(remove) },
  ]
}

interface AskedProps {
  readonly asked: PhonesView['asked']
  readonly await: (mac: string) => void
}

function Asked({ asked, await: expect }: AskedProps) {
  if (asked.length === 0) return null
  return (
    <>
      <h3 class="sub">{say('asked')}</h3>
      <ul>
        {asked.map(({ mac, kind, address, userAgent, at }) => (
          <li key={mac} class="row">
            <code>{mac}</code>
            <span class="grow">
              <Foreign text={`${userAgent === '' ? (kind ?? '') : userAgent}, ${address}`} />{' '}
              <span class="muted">
                <Time at={at} />
              </span>
            </span>
            <button type="button" class="btn small" onClick={() => expect(mac)}>
              {say('askedAwait')}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
