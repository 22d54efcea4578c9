/** A new fax: the file, every page as the far end will print it, the number, a cover, and Send. */
import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FaxSummary } from '../../../schema/fax.ts'
import type { FaxPreviewView } from '../../../schema/fax-preview.ts'
import { Fault, send, upload } from '../../frame/api.ts'
import { ask, done } from '../../frame/deeds.ts'
import { sayFault, sentence } from '../../frame/faults.ts'
import { house } from '../../frame/house.ts'
import { me } from '../../frame/session.ts'
import { site } from '../../frame/site.ts'
import { Dialog } from '../../pieces/Dialog.tsx'
import { Icon } from '../../pieces/Icon.tsx'
import { foreign, numberText } from '../../pieces/Number.tsx'
import { nextAt, timeText } from '../../pieces/time.ts'
import { faxes, underWay } from './data.ts'
import { FileDrop } from './FileDrop.tsx'
import { isConfirmed, NumberField, type Destination } from './NumberField.tsx'
import type { Begun } from './page.tsx'
import { PageImage } from './PageImage.tsx'
import { warningText } from './warnings.ts'
import { say } from './words.ts'

const mostBytes = 20 * 1024 * 1024
const settleMs = 700

interface Cover {
  readonly wanted: boolean
  readonly to: string
  readonly from: string
  readonly subject: string
}

interface State {
  readonly name: Signal<string>
  readonly preview: Signal<FaxPreviewView | undefined>
  /** 0 to 1 while the file goes up; 1 while the pages are drawn; undefined at rest. */
  readonly share: Signal<number | undefined>
  readonly fault: Signal<string>
  readonly destination: Signal<Destination>
  readonly cover: Signal<Cover>
  /** HH:MM by the clock of the site; undefined: at once. */
  readonly later: Signal<string | undefined>
}

export function NewFax({ begun, close }: { readonly begun: Begun; readonly close: () => void }) {
  const state: State = {
    name: useSignal(''),
    preview: useSignal<FaxPreviewView | undefined>(undefined),
    share: useSignal<number | undefined>(undefined),
    fault: useSignal(''),
    destination: useSignal<Destination>({ to: begun.to === '' ? '' : numberText(begun.to), toAgain: '', known: undefined }),
    cover: useSignal<Cover>({ wanted: false, to: '', from: `${me.value?.name ?? ''}, ${site.name}`, subject: '' }),
    later: useSignal<string | undefined>(undefined),
  }
  const take = (file: File): void => void choose(state, file)
  const canSend = house.data.value?.box.faxes !== false
  useEffect(() => {
    if (begun.file !== undefined && canSend) take(begun.file)
  }, [])
  const settled = useCover(state)
  const isDrawn = state.preview.value !== undefined
  // The button that chose the file is gone: the number is what comes next.
  useEffect(() => {
    if (isDrawn && !(document.activeElement?.closest('.new-fax') instanceof HTMLElement))
      document.querySelector<HTMLElement>('.new-fax form input')?.focus({ preventScroll: true })
  }, [isDrawn])
  return (
    <Dialog
      title={state.name.value === '' ? say('newFax') : say('newFaxOf', { file: foreign(state.name.value) })}
      onClose={close}
      class="new-fax"
    >
      {canSend ? (
        <div class="two">
          <div class="pages">
            <Pages state={state} take={take} />
          </div>
          <Letter state={state} settled={settled} close={close} />
        </div>
      ) : (
        <NoLine />
      )}
    </Dialog>
  )
}

/** Said before somebody chooses a file. */
export function NoLine() {
  return (
    <p class="note red" role="status">
      <Icon name="stop" />
      <span>{sayFault('no_fax_line')}</span>
    </p>
  )
}

async function choose({ name, preview, share, fault }: State, file: File): Promise<void> {
  name.value = file.name
  preview.value = undefined
  fault.value = ''
  if (file.size > mostBytes) {
    fault.value = sentence(new Fault(413, { code: 'attachment_too_large', error: '' }))
    return
  }
  share.value = 0
  try {
    preview.value = await upload<FaxPreviewView>('/api/fax/previews', file, 'application/pdf', (part) => (share.value = part))
  } catch (error) {
    fault.value = error instanceof Fault ? sentence(error) : String(error)
  } finally {
    share.value = undefined
  }
}

const wantedCover = ({ wanted, to, from, subject }: Cover): object | null =>
  !wanted ? null : Object.fromEntries(Object.entries({ to, from, subject }).filter(([, text]) => text.trim() !== ''))

/** A cover is a page of its own, with the number on it: it is drawn again when either changes. Whether what is shown is what was asked for. */
function useCover(state: State): boolean {
  const { cover, destination, preview, share, fault } = state
  const asked = useRef(0)
  const number = destination.value.known?.number ?? ''
  const wanted = wantedCover(cover.value)
  const key = wanted === null ? '' : `${number} ${JSON.stringify(wanted)}`
  const drawn =
    preview.value === undefined || preview.value.cover === null ? '' : `${preview.value.to} ${JSON.stringify(preview.value.cover)}`
  useEffect(() => {
    const before = preview.value
    if (before === undefined || key === drawn) return
    const mine = ++asked.current
    const timer = setTimeout(() => {
      share.value = 1
      const body = { previewId: before.previewId, ...(wanted === null ? {} : { cover: wanted, ...(number === '' ? {} : { to: number }) }) }
      send<FaxPreviewView>('POST', '/api/fax/previews', body)
        .then(
          (answer) => {
            if (mine === asked.current) preview.value = answer
          },
          (error: unknown) => (fault.value = error instanceof Fault ? sentence(error) : String(error)),
        )
        .finally(() => mine === asked.current && (share.value = undefined))
    }, settleMs)
    return () => clearTimeout(timer)
  }, [key, drawn])
  return key === drawn
}

function Pages({ state, take }: { readonly state: State; readonly take: (file: File) => void }) {
  const { preview, share, fault } = state
  const shown = preview.value
  return (
    <>
      {shown === undefined ? null : <p class="small muted">{say('asPrinted')}</p>}
      <p class="red" role="alert">
        {fault.value}
      </p>
      {share.value === undefined ? null : (
        <p class="note" role="status">
          {share.value < 1 ? say('uploading', { percent: Math.round(share.value * 100) }) : say('drawing')}
        </p>
      )}
      {shown === undefined ? (
        <Choose take={take} />
      ) : (
        <ol class="grid-pages" tabIndex={0} aria-label={say('pages')}>
          {Array.from({ length: shown.pages }, (_, n) => (
            <li key={`${shown.previewId} ${n}`}>
              <PageImage base={`/api/fax/previews/${shown.previewId}`} page={n + 1} width={432} alt={say('page', { page: n + 1 })} />
              <span>{n === 0 && shown.cover !== null ? say('coverPage') : n + 1}</span>
            </li>
          ))}
        </ol>
      )}
      {(shown?.warnings ?? []).map((warning) => (
        <p key={warning} class="note amber">
          <Icon name="alert" />
          <span>
            {say('warning')} <bdi>{foreign(warningText(warning))}</bdi> <b>{say('lookFirst')}</b>
          </span>
        </p>
      ))}
    </>
  )
}

function Choose({ take }: { readonly take: (file: File) => void }) {
  return (
    <FileDrop
      kind="tall"
      name={say('chooseFile')}
      onFile={take}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        event.stopPropagation()
        const file = event.dataTransfer?.files[0]
        if (file !== undefined) take(file)
      }}
    />
  )
}

function Letter({ state, settled, close }: { readonly state: State; readonly settled: boolean; readonly close: () => void }) {
  const { destination, cover, preview, share, fault, later } = state
  const at = later.value === undefined ? undefined : nextAt(later.value)
  const busy = useSignal(false)
  const change = (part: Partial<Cover>): void => void (cover.value = { ...cover.value, ...part })
  const ready =
    preview.value !== undefined &&
    share.value === undefined &&
    settled &&
    isConfirmed(destination.value) &&
    !busy.value &&
    (later.value === undefined || at !== undefined)
  const submit = async (): Promise<void> => {
    busy.value = true
    try {
      if (await sendNow(state)) close()
    } catch (error) {
      fault.value = error instanceof Fault ? sentence(error) : String(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) void submit()
      }}
    >
      <NumberField value={destination} />
      <label class="check">
        <input type="checkbox" checked={cover.value.wanted} onChange={(event) => change({ wanted: event.currentTarget.checked })} />{' '}
        {say('withCover')}
      </label>
      {cover.value.wanted ? (
        <>
          <Text label={say('coverTo')} value={cover.value.to} onValue={(to) => change({ to })} />
          <Text label={say('coverSubject')} value={cover.value.subject} onValue={(subject) => change({ subject })} />
          <Text label={say('coverFrom')} value={cover.value.from} onValue={(from) => change({ from })} />
        </>
      ) : null}
      {later.value === undefined ? null : (
        <label class="field">
          <span>{say('laterAt')}</span>
          <input class="box" type="time" required value={later.value} onInput={(event) => (later.value = event.currentTarget.value)} />
          <small>{say('laterHint')}</small>
        </label>
      )}
      {preview.value === undefined ? null : <Facts preview={preview.value} at={at} />}
      <div class="acts">
        <button type="submit" class="btn main" disabled={!ready}>
          <Icon name="send" />
          {preview.value === undefined ? say('send') : say('sendPages', { n: preview.value.pages })}
        </button>
        <button type="button" class="btn" onClick={() => (later.value = later.value === undefined ? '18:00' : undefined)}>
          {say(later.value === undefined ? 'later' : 'laterNot')}
        </button>
        <button type="button" class="btn quiet" onClick={close}>
          {say('giveUp')}
        </button>
      </div>
      <p class="small muted">{say('typedTwice')}</p>
    </form>
  )
}

function Text({ label, value, onValue }: { readonly label: string; readonly value: string; readonly onValue: (value: string) => void }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="box"
        type="text"
        maxLength={200}
        autocomplete="off"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  )
}

function Facts({ preview, at }: { readonly preview: FaxPreviewView; readonly at: number | undefined }) {
  const before = underWay().filter(({ status }) => status !== 'failed').length
  return (
    <dl class="facts">
      <dt>{say('takes')}</dt>
      <dd>{say('aboutMinutes', { n: Math.max(1, Math.round(preview.estimatedSeconds / 60)) })}</dd>
      <dt>{say('goes')}</dt>
      <dd>{at !== undefined ? timeText(at) : before === 0 ? say('goesNow') : say('goesAfter', { n: before })}</dd>
      <dt>{say('ifBusy')}</dt>
      <dd>{say('ifBusyText')}</dd>
    </dl>
  )
}

/** False where the person would rather not send the same once more. Throws Fault. */
async function sendNow({ preview, destination, later }: State): Promise<boolean> {
  const { to, toAgain } = destination.value
  const at = later.value === undefined ? undefined : nextAt(later.value)
  const body = {
    ...(at === undefined ? {} : { sendAt: new Date(at).toISOString() }),
    ...{ to, previewId: preview.value!.previewId, ...(toAgain === '' ? {} : { toAgain }) },
  }
  try {
    await send<FaxSummary>('POST', '/api/fax', body)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'fax_repeated') throw error
    const lost = say('repeatLost', { time: timeText(String(error.body['createdAt'] ?? new Date().toISOString())) })
    if (!(await ask({ title: say('repeatTitle'), lost, button: say('repeatButton') }))) return false
    await send<FaxSummary>('POST', '/api/fax', { ...body, repeat: true })
  }
  done(say('accepted', { number: numberText(destination.value.known?.number ?? to) }))
  void faxes.reload()
  return true
}
