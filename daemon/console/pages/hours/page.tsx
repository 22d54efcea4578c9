/** Opening times and holidays, for managers: each hours of the house with its calendar. */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { HoursView, OpeningTimes, OpeningTimesView } from '../../../schema/extensions.ts'
import { Fault, send } from '../../frame/api.ts'
import { done } from '../../frame/deeds.ts'
import { draft, drop } from '../../frame/drafts.ts'
import { sentence } from '../../frame/faults.ts'
import { thing } from '../../frame/state.ts'
import { OpeningForm } from '../../pieces/OpeningForm.tsx'
import { Panel } from '../../pieces/Panel.tsx'
import { timeText } from '../../pieces/time.ts'
import { words } from '../../frame/words.ts'

/** What the page of opening times says. */
const say = words({
  en: {
    closed: 'Closed',
    closedUntil: 'Closed until {time}',
    discard: 'Discard',
    hours: 'Opening times',
    hoursOf: 'Opening times: {name}',
    how: 'Saved times are in use at once, and no call is touched. To open or close for today alone, use the switch at the top.',
    keepMine: 'Save mine',
    none: 'There are no opening times yet. A technician adds them on the page Config; then they can be changed here.',
    open: 'Open',
    openUntil: 'Open until {time}',
    save: 'Save',
    saved: 'The opening times of {name} are saved and in use.',
    takeTheirs: 'Show theirs',
    theirs: 'Somebody else has saved other times since you began. Saving yours replaces them.',
  },
  es: {
    closed: 'Cerrado',
    closedUntil: 'Cerrado hasta {time}',
    discard: 'Descartar',
    hours: 'Horario',
    hoursOf: 'Horario: {name}',
    how: 'El horario guardado se aplica al momento, sin afectar a ninguna llamada. Para abrir o cerrar solo hoy, use el botón de arriba.',
    keepMine: 'Guardar el mío',
    none: 'Todavía sin horario. Un técnico lo añade en la página Configuración; después se puede cambiar aquí.',
    open: 'Abierto',
    openUntil: 'Abierto hasta {time}',
    save: 'Guardar',
    saved: 'El horario de {name} se ha guardado y está en uso.',
    takeTheirs: 'Ver el otro',
    theirs: 'Otra persona ha guardado otro horario desde que usted empezó. Si guarda el suyo, lo reemplaza.',
  },
})

const list = thing<readonly HoursView[]>('/api/hours', ['hours'])

export default function HoursPage() {
  const all = list.data.value
  if (all === undefined || all.length === 0)
    return (
      <Panel title={say('hours')} thing={list} isEmpty={(hours) => hours.length === 0} empty={say('none')}>
        {() => null}
      </Panel>
    )
  return (
    <div class="columns wide">
      {all.map((hours) => (
        <Calendar key={hours.id} hours={hours} />
      ))}
    </div>
  )
}

const stateText = ({ open, until }: HoursView): string =>
  until === null ? say(open ? 'open' : 'closed') : say(open ? 'openUntil' : 'closedUntil', { time: timeText(until) })

/** What somebody writes of one calendar, and how it is saved: the draft stays through the lock. */
function useCalendar(name: string) {
  const path = `/api/hours/${encodeURIComponent(name)}/times`
  const key = `times:${name}`
  const view = useMemo(() => thing<OpeningTimesView>(path, []), [path])
  const written = useMemo(() => draft<OpeningTimes | undefined>(key, undefined), [key])
  const base = useMemo(() => draft<string>(`${key}:base`, ''), [key])
  const fault = useSignal('')
  const busy = useSignal(false)
  const theirs = useSignal<OpeningTimesView | undefined>(undefined)
  useEffect(() => void view.reload(), [path])
  const put = (times: OpeningTimes, onto: string): Promise<OpeningTimesView> => send('PUT', path, { base: onto, times })
  const change = (times: OpeningTimes): void => {
    if (written.value === undefined) base.value = view.data.value!.base
    written.value = times
    fault.value = ''
  }
  const discard = async (): Promise<void> => {
    written.value = theirs.value = undefined
    fault.value = ''
    drop(key)
    await view.reload()
  }
  const save = async (): Promise<void> => {
    const before = view.data.value!
    busy.value = true
    try {
      const now = await put(written.value!, base.value)
      await discard()
      done(say('saved', { name }), async () => {
        await put(before.times, now.base)
        await view.reload()
      })
    } catch (error) {
      if (error instanceof Fault && error.code === 'changed_meanwhile') theirs.value = error.body['current'] as OpeningTimesView
      fault.value = error instanceof Fault ? sentence(error) : String(error)
    } finally {
      busy.value = false
    }
  }
  const overwrite = async (): Promise<void> => {
    base.value = theirs.value!.base
    view.set(() => theirs.value!)
    theirs.value = undefined
    await save()
  }
  return { view, written, fault, busy, theirs, change, discard, save, overwrite }
}

function Calendar({ hours }: { readonly hours: HoursView }) {
  const { view, written, fault, busy, theirs, change, discard, save, overwrite } = useCalendar(hours.id)
  const isOpen = <span class={`tag ${hours.open ? 'green' : ''}`}>{stateText(hours)}</span>
  return (
    <Panel title={say('hoursOf', { name: hours.id })} thing={view} aside={isOpen}>
      {({ times }) => (
        <>
          <OpeningForm times={written.value ?? times} onTimes={change} />
          <div class="form">
            <p class="red" role="alert">
              {fault.value}
            </p>
            {theirs.value === undefined ? null : (
              <div class="note" role="group">
                <p class="grow">{say('theirs')}</p>
                <div class="acts">
                  <button type="button" class="btn small" onClick={() => void discard()}>
                    {say('takeTheirs')}
                  </button>
                  <button type="button" class="btn small danger" onClick={() => void overwrite()}>
                    {say('keepMine')}
                  </button>
                </div>
              </div>
            )}
            <p class="small muted">{say('how')}</p>
            <div class="acts">
              <button type="button" class="btn main" disabled={written.value === undefined || busy.value} onClick={() => void save()}>
                {say('save')}
              </button>
              {written.value === undefined ? null : (
                <button type="button" class="btn quiet" onClick={() => void discard()}>
                  {say('discard')}
                </button>
              )}
            </div>
          </div>
        </>
      )}
    </Panel>
  )
}
