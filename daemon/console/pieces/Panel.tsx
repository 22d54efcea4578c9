/**
 * A part of a page with its heading. It shows nothing while it waits for less than 200 ms, then the frame of a list; the sentence of a
 * fault with a way on; and what would stand there where it is empty. The fault of one panel leaves the others.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import type { Fault } from '../frame/api.ts'
import { sentence } from '../frame/faults.ts'
import type { Thing } from '../frame/state.ts'
import { figure } from '../frame/words.ts'
import { Boundary } from './Boundary.tsx'
import { Time } from './Time.tsx'
import { say } from './words.ts'

export interface PanelProps<T> {
  readonly title: string
  /** Next to the title: how many. */
  readonly count?: number | string
  /** At the end of the head: buttons, a sentence. */
  readonly aside?: ComponentChildren
  /** What it shows; without it the children are shown as they are. */
  readonly thing?: Thing<T>
  /** What would stand here, and how it gets there. Shown where `isEmpty`. */
  readonly empty?: ComponentChildren
  readonly isEmpty?: (data: T) => boolean
  readonly children: ComponentChildren | ((data: T) => ComponentChildren)
  readonly class?: string
}

export function Panel<T>({ title, count, aside, thing, empty, isEmpty, children, class: kind = '' }: PanelProps<T>) {
  const id = useId()
  const data = thing?.data.value
  const fault = thing?.fault.value
  return (
    <section class={`panel ${kind}`} aria-labelledby={id} aria-busy={thing?.loading.value === true && data === undefined}>
      <header>
        <h2 id={id}>{title}</h2>
        {count === undefined ? null : <span class="count">{typeof count === 'number' ? figure(count) : count}</span>}
        <span class="grow" />
        {aside}
      </header>
      <div class="body">
        {thing !== undefined && fault !== undefined ? (
          <FaultNote fault={fault} again={() => thing.reload()} asOf={thing.asOf.value} />
        ) : null}
        <Boundary>
          {typeof children !== 'function' ? (
            children
          ) : data === undefined ? (
            fault === undefined && <Loading />
          ) : (
            <Body
              data={data}
              empty={isEmpty?.(data) === true ? (empty ?? say('emptyHere')) : undefined}
              show={children as (data: T) => ComponentChildren}
            />
          )}
        </Boundary>
      </div>
    </section>
  )
}

interface BodyProps<T> {
  readonly data: T
  readonly empty: ComponentChildren
  readonly show: (data: T) => ComponentChildren
}

/** Within the boundary: what cannot be drawn is this panel's fault alone. */
function Body<T>({ data, empty, show }: BodyProps<T>) {
  return <>{empty === undefined ? show(data) : <p class="empty">{empty}</p>}</>
}

const soonMs = 200

/** Nothing for 200 ms, then the frame of a list. */
export function Loading() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), soonMs)
    return () => clearTimeout(timer)
  }, [])
  if (!late) return null
  return (
    <div class="skeleton" role="status">
      <span class="vh">{say('loading')}</span>
      <i />
      <i />
      <i />
    </div>
  )
}

/** `asOf`: of what is still shown. */
export function FaultNote({
  fault,
  again,
  asOf,
}: {
  readonly fault: Fault
  readonly again?: () => unknown
  readonly asOf?: number | undefined
}) {
  return (
    <div class="fault" role="group">
      <p>{sentence(fault)}</p>
      {asOf === undefined ? null : (
        <p class="small muted">
          <Time at={asOf} form="asOf" />
        </p>
      )}
      <div class="acts">
        {again === undefined ? null : (
          <button type="button" class="btn small" onClick={() => void again()}>
            {say('again')}
          </button>
        )}
        {fault.requestId === undefined ? null : <span class="small faint">{say('request', { id: fault.requestId })}</span>}
      </div>
    </div>
  )
}
