/** Adds a phone: for which extension, then what the phone scans, how long it is awaited, and that it came. */
import { useId, useState } from 'preact/hooks'
import type { PhoneAwaited, PhoneView } from '../../../schema/phones.ts'
import { Field, Form, useSubmit } from '../../entry/Entry.tsx'
import { send } from '../../frame/api.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { foreign } from '../../pieces/Number.tsx'
import { lastsText, timeText } from '../../pieces/time.ts'
import { nowMs } from '../../pieces/Time.tsx'
import { noteText } from './sentences.ts'
import { namedExtension, phoneList } from './shown.tsx'
import { say } from './words.ts'

export interface Wanted {
  readonly extension?: string
  readonly mac?: string
}

export interface AddPhoneProps {
  readonly wanted: Wanted
  /** Numbers. */
  readonly extensions: readonly string[]
  readonly onAwaited: (answer: PhoneAwaited) => void
  readonly onClose: () => void
}

/** As docs/provisioning.md has them. */
const kinds = ['yealink', 'grandstream', 'snom', 'polycom', 'fanvil', 'linphone', 'baresip']
const minuteChoices = [30, 120, 1440]

export function AddPhone({ wanted, extensions, onAwaited, onClose }: AddPhoneProps) {
  const [extension, setExtension] = useState(wanted.extension ?? extensions[0] ?? '')
  const [kind, setKind] = useState('')
  const [mac, setMac] = useState(wanted.mac ?? '')
  const [minutes, setMinutes] = useState('30')
  const state = useSubmit()
  const add = async (): Promise<void> => {
    const body = { extension, minutes: Number(minutes), ...(kind === '' ? {} : { kind }), ...(mac === '' ? {} : { mac: mac.trim() }) }
    const answer = await send<PhoneAwaited>('POST', '/api/phones', body)
    await phoneList.reload()
    onAwaited(answer)
  }
  return (
    <Dialog title={say('add')} onClose={onClose} class="small-dialog">
      {extensions.length === 0 ? (
        <p class="empty">{say('addEmpty')}</p>
      ) : (
        <Form state={state} button={say('addDo')} onSubmit={add}>
          <Choice
            label={say('extension')}
            value={extension}
            onValue={setExtension}
            options={extensions.map((id) => [id, namedExtension(id)])}
          />
          <Choice
            label={say('kind')}
            value={kind}
            onValue={setKind}
            options={[['', say('kindAny')], ...kinds.map((one): [string, string] => [one, one])]}
          />
          <Field label={say('mac')} hint={say('macHint')} value={mac} onValue={setMac} optional autocomplete="off" maxLength={17} />
          <Choice
            label={say('minutes')}
            value={minutes}
            onValue={setMinutes}
            options={minuteChoices.map((n) => [String(n), n < 60 ? say('minutesOf', { n }) : lastsText(n * 60_000)])}
          />
        </Form>
      )}
    </Dialog>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  /** Value and text. */
  readonly options: readonly (readonly [string, string])[]
}

function Choice({ label, value, onValue, options }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} class="box" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

export interface AwaitedProps {
  /** As the list has it now; undefined until it was read, and of one that was removed. */
  readonly phone: PhoneView | undefined
  /** What is shown this one time: the code, and the address. */
  readonly answer: PhoneAwaited | undefined
  readonly again: (phone: string) => Promise<void>
  readonly onClose: () => void
}

export function Awaited({ phone: now, answer, again, onClose }: AwaitedProps) {
  const phone = now ?? answer?.phone
  if (phone === undefined) return null
  const { id, extension, fetchedAt, openUntil } = phone
  // A phone that is awaited again has fetched its settings before.
  const came = fetchedAt !== null && fetchedAt !== answer?.phone.fetchedAt
  const leftMs = openUntil === null ? 0 : Date.parse(openUntil) - nowMs.value
  return (
    <Dialog title={say('settingsOf', { extension: namedExtension(extension) })} onClose={onClose} class="small-dialog">
      <div class="form awaited">
        {came ? (
          <p class="note green" role="status">
            <b>{say('came')}</b> <bdi>{cameText(phone)}</bdi>
          </p>
        ) : leftMs > 0 ? (
          <>
            <p>{say('qrSay')}</p>
            <img key={openUntil} class="qr" src={`/api/phones/${id}/qr.svg`} alt={say('qr', { extension })} width="208" height="208" />
            {answer === undefined ? null : <Codes answer={answer} />}
            <p class="muted" role="status">
              {say('waiting')} <span class="num">{say('left', { time: lastsText(leftMs) })}</span>
            </p>
          </>
        ) : (
          <>
            <p class="note">{say('codeOver')}</p>
            <div class="acts">
              <button type="button" class="btn main" onClick={() => void again(id)}>
                {say('again')}
              </button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

function Codes({ answer: { code, url, notes } }: { readonly answer: PhoneAwaited }) {
  return (
    <>
      <dl class="facts">
        <dt>{say('code')}</dt>
        <dd>
          <code class="secret">{code}</code>
        </dd>
        <dt>{say('address')}</dt>
        <dd>
          <code class="secret">{url}</code>
        </dd>
      </dl>
      {notes.map((note) => (
        <p key={note} class="note">
          <bdi>{noteText(note)}</bdi>
        </p>
      ))}
    </>
  )
}

const cameText = ({ kind, userAgent, address, fetchedAt }: PhoneView): string =>
  say('cameFrom', { kind: foreign(userAgent ?? kind ?? ''), address: address ?? '', time: timeText(fetchedAt ?? nowMs.value) })
